// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

type object = map[string]any

// settings are what the configuration depends on beside the cluster itself.
type settings struct {
	binary      string // the multi-call binary
	programs    string // folder with kubernetesPrograms of another minor; empty if the multi-call binary is all
	pause       string // the static pause program
	cniPlugins  string // folder with the CNI plugins
	snapshotter string // of containerd
	diskStats   bool   // the kubelet knows how full the state folder's disk is
	audit       bool   // log requests, see auditPolicy
}

// configFiles renders every configuration file, by path.
func (c cluster) configFiles(s settings) (map[string][]byte, error) {
	toml, err := c.containerdConfig(s)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		c.path("etc", "containerd.toml"): toml,
		c.path("etc", "Corefile"):        c.corefile(),
		c.path("etc", "resolv.conf"):     resolvConf(),
	}
	for name, value := range map[string]object{
		"audit-policy.json":           auditPolicy(),
		"cni.d/10-sparkgate.conflist": c.cniConfig(),
		"kube-proxy.json":             c.kubeProxyConfig(),
		"kubelet.json":                c.kubeletConfig(s.diskStats),
	} {
		content, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		files[c.path("etc", name)] = append(content, '\n')
	}
	return files, nil
}

// writeConfigFiles writes those files that are not there with this content.
func writeConfigFiles(files map[string][]byte) error {
	for path, content := range files {
		if current, err := os.ReadFile(path); err == nil && bytes.Equal(current, content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeFile(path, content); err != nil {
			return err
		}
	}
	return nil
}

// restrict_oom_score_adj: machines without CAP_SYS_RESOURCE cannot lower the
// score and would fail to create any sandbox. disable_apparmor: a profile
// would stay in the kernel after down.
var containerdTemplate = template.Must(template.New("containerd").Parse(`version = 2
root = "{{.Dir}}/containerd"
state = "{{.Dir}}/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.tracing",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = "{{.Socket}}"

[plugins."io.containerd.internal.v1.opt"]
  path = "{{.Dir}}/run/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{{.Pause}}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{{.CNIPlugins}}"
    conf_dir = "{{.Dir}}/etc/cni.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "{{.Snapshotter}}"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`))

func (c cluster) containerdConfig(s settings) ([]byte, error) {
	var out bytes.Buffer
	err := containerdTemplate.Execute(&out, map[string]string{
		"Dir": c.dir, "Socket": c.containerdSocket(), "Pause": pauseImage,
		"CNIPlugins": s.cniPlugins, "Snapshotter": s.snapshotter,
	})
	return out.Bytes(), err
}

// cniConfig routes every pod over a device pair of its own. On a common
// bridge the answer of a pod to a pod would bypass the address translation of
// Services unless the kernel has br_netfilter.
func (c cluster) cniConfig() object {
	return object{
		"cniVersion": "0.4.0",
		"name":       c.name,
		"plugins": []object{{
			"type":   "ptp",
			"ipMasq": false,
			"ipam": object{
				"type":    "host-local",
				"dataDir": c.path("cni"),
				"ranges":  [][]object{{{"subnet": podCIDR}}},
				"routes":  []object{{"dst": "0.0.0.0/0"}},
			},
		}},
	}
}

// Without diskStats a kubelet that has to account for local storage would not
// start.
func (c cluster) kubeletConfig(diskStats bool) object {
	socket := "unix://" + c.containerdSocket()
	return object{
		"apiVersion":                    "kubelet.config.k8s.io/v1beta1",
		"kind":                          "KubeletConfiguration",
		"authentication":                object{"anonymous": object{"enabled": false}, "x509": object{"clientCAFile": c.pki("ca.crt")}},
		"authorization":                 object{"mode": "Webhook"},
		"tlsCertFile":                   c.pki("kubelet-server.crt"),
		"tlsPrivateKeyFile":             c.pki("kubelet-server.key"),
		"cgroupDriver":                  "cgroupfs",
		"cgroupRoot":                    "/" + c.name,
		"failCgroupV1":                  false,
		"failSwapOn":                    false,
		"containerRuntimeEndpoint":      socket,
		"imageServiceEndpoint":          socket,
		"clusterDNS":                    []string{nodeIP},
		"clusterDomain":                 clusterDomain,
		"resolvConf":                    c.path("etc", "resolv.conf"),
		"podLogsDir":                    c.path("log", "pods"),
		"volumePluginDir":               c.path("kubelet", "volume-plugins"),
		"localStorageCapacityIsolation": diskStats,
		"evictionHard":                  object{"memory.available": "100Mi"},
		// Images are imported by hand and could not be pulled again: 100
		// switches their garbage collection off.
		"imageGCHighThresholdPercent": 100,
		"maxPods":                     250,
		"serializeImagePulls":         false,
	}
}

func (c cluster) kubeProxyConfig() object {
	return object{
		"apiVersion":         "kubeproxy.config.k8s.io/v1alpha1",
		"kind":               "KubeProxyConfiguration",
		"mode":               "nftables",
		"clusterCIDR":        podCIDR,
		"hostnameOverride":   nodeName,
		"clientConnection":   object{"kubeconfig": c.componentKubeconfig("kube-proxy")},
		"conntrack":          object{"maxPerCore": 0, "min": 0},
		"healthzBindAddress": "127.0.0.1:10256",
		"metricsBindAddress": "127.0.0.1:10249",
	}
}

// corefile answers names of the cluster only. Absent names are remembered for
// one second, so that a Service is found soon after its creation.
func (c cluster) corefile() []byte {
	return []byte(strings.Join([]string{
		".:53 {",
		"    errors",
		"    ready 127.0.0.1:8181",
		"    cache 5 {",
		"        denial 9984 1",
		"    }",
		"    kubernetes " + clusterDomain + " in-addr.arpa {",
		"        kubeconfig " + c.componentKubeconfig("coredns"),
		"    }",
		"}",
		"",
	}, "\n"))
}

// resolvConf is for pods with dnsPolicy Default: the machine's own name
// servers cannot be reached from the cluster's network.
func resolvConf() []byte { return []byte("nameserver " + nodeIP + "\n") }

// auditPolicy logs who wrote what, and what programs in pods have read,
// without the objects: enough to count requests and to see which rights are
// used.
func auditPolicy() object {
	return object{
		"apiVersion": "audit.k8s.io/v1",
		"kind":       "Policy",
		"omitStages": []string{"RequestReceived"},
		"rules": []object{
			{"level": "Metadata", "verbs": []string{"create", "update", "patch", "delete", "deletecollection"}},
			{"level": "None", "userGroups": []string{"system:serviceaccounts:kube-system"}},
			{"level": "Metadata", "userGroups": []string{"system:serviceaccounts"}},
			{"level": "None"},
		},
	}
}

func (c cluster) pki(file string) string { return c.path("pki", file) }
