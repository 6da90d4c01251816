// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
)

// Components by name; the names are also those of their log files.
const (
	mountsHolder      = "mounts"
	etcd              = "etcd"
	containerd        = "containerd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kubelet           = "kubelet"
	kubeProxy         = "kube-proxy"
	coredns           = "coredns"
)

// componentNames in the order of their start.
var componentNames = []string{
	mountsHolder, etcd, containerd, apiserver, controllerManager, scheduler, kubelet, kubeProxy, coredns,
}

// component is a daemon: how it is started and what it is known by.
type component struct {
	name       string
	argv       []string // argv[0] is a path or found in PATH
	executable string   // base name of the program that argv ends up running
	onNode     bool     // runs in the node's mount namespace
	files      []string // configuration files; a change of content means a restart
}

// digest changes when the component has to be restarted to be as configured.
func (s component) digest(contents map[string][]byte) string {
	hash := sha256.New()
	for _, arg := range s.argv {
		hash.Write([]byte(arg + "\x00"))
	}
	for _, file := range s.files {
		hash.Write(contents[file])
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// components returns how every component of the cluster is to be run.
func (c cluster) components(s settings) map[string]component {
	all := map[string]component{
		mountsHolder: c.mountsHolder(s),
		etcd:         multiCall(s, etcd, c.etcdFlags()),
		containerd: {
			name:       containerd,
			argv:       []string{"containerd", "--config", c.path("etc", "containerd.toml")},
			executable: "containerd",
			onNode:     true,
		},
		apiserver:         multiCall(s, apiserver, c.apiserverFlags(s.audit)),
		controllerManager: multiCall(s, controllerManager, c.controllerManagerFlags()),
		scheduler:         multiCall(s, scheduler, c.schedulerFlags()),
		kubelet:           multiCall(s, kubelet, c.kubeletFlags()),
		kubeProxy:         multiCall(s, kubeProxy, []string{"--config=" + c.path("etc", "kube-proxy.json")}),
		coredns:           multiCall(s, coredns, []string{"-conf=" + c.path("etc", "Corefile")}),
	}
	for name, files := range map[string][]string{
		containerd: {"containerd.toml", "cni.d/10-sparkgate.conflist"},
		apiserver:  {"audit-policy.json"},
		kubelet:    {"kubelet.json"},
		kubeProxy:  {"kube-proxy.json"},
		coredns:    {"Corefile"},
	} {
		spec := all[name]
		for _, file := range files {
			spec.files = append(spec.files, c.path("etc", file))
		}
		spec.onNode = spec.onNode || name == kubelet
		all[name] = spec
	}
	return all
}

// multiCall runs a part of the multi-call binary, or the program of another
// minor in its place.
func multiCall(s settings, name string, flags []string) component {
	if s.programs != "" && slices.Contains(kubernetesPrograms, name) {
		return component{name: name, argv: append([]string{filepath.Join(s.programs, name)}, flags...), executable: name}
	}
	return component{
		name:       name,
		argv:       append([]string{s.binary, name}, flags...),
		executable: filepath.Base(s.binary),
	}
}

// mountsHolder starts a mount namespace that sees the machine's mounts but
// whose own mounts the machine does not see, puts the cluster's folders in
// the place of privateDirs, and stays.
func (c cluster) mountsHolder(s settings) component {
	const script = `while [ $# -gt 1 ]; do mkdir -p "$1"; mount --bind "$1" "$2"; shift 2; done; exec "$1"`
	argv := []string{"unshare", "--mount", "--propagation", "slave", "sh", "-ec", script, "sh"}
	for _, dir := range privateDirs {
		argv = append(argv, c.path("private", dir), dir)
	}
	return component{name: mountsHolder, argv: append(argv, s.pause), executable: filepath.Base(s.pause)}
}

// Data is thrown away with the cluster: etcd does not wait for the disk.
func (c cluster) etcdFlags() []string {
	return []string{
		"--data-dir=" + c.path("etcd"),
		"--listen-client-urls=http://127.0.0.1:2379",
		"--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls=http://127.0.0.1:2380",
		"--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=default=http://127.0.0.1:2380",
		"--unsafe-no-fsync",
		"--quota-backend-bytes=4294967296",
		"--log-level=warn",
	}
}

func (c cluster) apiserverFlags(audit bool) []string {
	flags := map[string]string{
		"advertise-address":                  nodeIP,
		"allow-privileged":                   "true",
		"authorization-mode":                 "Node,RBAC",
		"client-ca-file":                     c.pki("ca.crt"),
		"etcd-servers":                       "http://127.0.0.1:2379",
		"kubelet-certificate-authority":      c.pki("ca.crt"),
		"kubelet-client-certificate":         c.pki("apiserver-kubelet-client.crt"),
		"kubelet-client-key":                 c.pki("apiserver-kubelet-client.key"),
		"kubelet-preferred-address-types":    "InternalIP", // the node's name does not resolve
		"proxy-client-cert-file":             c.pki("front-proxy-client.crt"),
		"proxy-client-key-file":              c.pki("front-proxy-client.key"),
		"requestheader-allowed-names":        "front-proxy-client",
		"requestheader-client-ca-file":       c.pki("front-proxy-ca.crt"),
		"requestheader-extra-headers-prefix": "X-Remote-Extra-",
		"requestheader-group-headers":        "X-Remote-Group",
		"requestheader-username-headers":     "X-Remote-User",
		"secure-port":                        apiPort,
		"service-account-issuer":             "https://kubernetes.default.svc",
		"service-account-key-file":           c.pki("service-accounts.pub"),
		"service-account-signing-key-file":   c.pki("service-accounts.key"),
		"service-cluster-ip-range":           serviceCIDR,
		"tls-cert-file":                      c.pki("apiserver.crt"),
		"tls-private-key-file":               c.pki("apiserver.key"),
	}
	if audit {
		flags["audit-policy-file"] = c.path("etc", "audit-policy.json")
		flags["audit-log-path"] = c.auditLog()
		flags["audit-log-maxsize"] = "500" // MiB
	}
	return flagList(flags)
}

func (c cluster) auditLog() string { return c.path("log", "audit.log") }

func (c cluster) controllerManagerFlags() []string {
	config := c.componentKubeconfig("controller-manager")
	return flagList(map[string]string{
		"authentication-kubeconfig":        config,
		"authorization-kubeconfig":         config,
		"bind-address":                     "127.0.0.1",
		"client-ca-file":                   c.pki("ca.crt"),
		"cluster-signing-cert-file":        c.pki("ca.crt"),
		"cluster-signing-key-file":         c.pki("ca.key"),
		"kube-api-burst":                   "400",
		"kube-api-qps":                     "200",
		"kubeconfig":                       config,
		"leader-elect":                     "false",
		"root-ca-file":                     c.pki("ca.crt"),
		"service-account-private-key-file": c.pki("service-accounts.key"),
		"use-service-account-credentials":  "true",
	})
}

func (c cluster) schedulerFlags() []string {
	config := c.componentKubeconfig("scheduler")
	return flagList(map[string]string{
		"authentication-kubeconfig": config,
		"authorization-kubeconfig":  config,
		"bind-address":              "127.0.0.1",
		"kube-api-burst":            "400",
		"kube-api-qps":              "200",
		"kubeconfig":                config,
		"leader-elect":              "false",
	})
}

// A kubelet refuses a loopback address as its node's.
func (c cluster) kubeletFlags() []string {
	return flagList(map[string]string{
		"config":            c.path("etc", "kubelet.json"),
		"hostname-override": nodeName,
		"kubeconfig":        c.componentKubeconfig("kubelet"),
		"node-ip":           nodeIP,
		"root-dir":          c.path("kubelet"),
	})
}

// flagList renders the flags sorted by name, so that the same flags are always
// the same list.
func flagList(flags map[string]string) []string {
	list := make([]string, 0, len(flags))
	for _, name := range sortedKeys(flags) {
		list = append(list, "--"+name+"="+flags[name])
	}
	return list
}

func sortedKeys(values map[string]string) []string { return slices.Sorted(maps.Keys(values)) }
