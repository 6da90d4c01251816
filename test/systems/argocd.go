// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/alicebob/miniredis/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// ArgoCDNamespace is the namespace of Argo CD's own installation, and of its Applications.
const ArgoCDNamespace = "argocd"

// Names of Argo CD's programs, which are one file: the name by which it is called says which.
const (
	argocd               = "argocd"
	argocdController     = "argocd-application-controller"
	argocdApplicationSet = "argocd-applicationset-controller"
	argocdRepoServer     = "argocd-repo-server"
	argocdServer         = "argocd-server"
)

// ArgoCDSettings are what a test has to know before Argo CD starts; see FreeAddress.
type ArgoCDSettings struct {
	// ServerPort is where Argo CD's API server listens, without TLS. It leaves the password of admin in a Secret.
	ServerPort int
}

// NewArgoCD prepares Argo CD's application controller, ApplicationSet controller, repo server and API server; Start starts them. Its
// configuration is empty, and so are the rights of the project `default`: all are allowed. A change in Git is found when an Application is
// annotated to be refreshed, as by a webhook. Redis is one for tests, in this process.
func NewArgoCD(cluster Cluster, settings ArgoCDSettings) (*System, error) {
	s, err := newSystem(argocd, cluster)
	if err != nil {
		return nil, err
	}
	if err := s.prepareArgoCD(cluster, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare Argo CD: %w", err), s.Close())
	}
	return s, nil
}

func (s *System) prepareArgoCD(cluster Cluster, settings ArgoCDSettings) error {
	s.name = "Argo CD"
	crds, err := readManifests(s.build, "manifests/crds")
	if err != nil {
		return err
	}
	s.crds = crds
	s.objects = append(s.objects, namespaceObject(ArgoCDNamespace))
	s.objects = append(s.objects, argocdObjects()...)
	redis, err := s.startRedis()
	if err != nil {
		return err
	}
	ports, err := freePorts(7)
	if err != nil {
		return err
	}
	repo := fmt.Sprintf("127.0.0.1:%d", ports[0])
	common := []string{"--namespace=" + ArgoCDNamespace, "--repo-server-plaintext"}
	cached := append([]string{"--redis=" + redis, "--repo-server=" + repo}, common...)
	s.argocdProgram(argocdRepoServer, "--redis="+redis, "--address=127.0.0.1", port("port", ports[0]), "--metrics-address=127.0.0.1",
		port("metrics-port", ports[1]), "--disable-tls", "--client-ca-path=")
	s.argocdProgram(argocdController, append(cached, port("metrics-port", ports[2]), "--app-resync-jitter=0")...)
	s.argocdProgram(argocdServer, append(cached, "--address=127.0.0.1", port("port", settings.ServerPort), "--metrics-address=127.0.0.1",
		port("metrics-port", ports[3]), "--insecure")...)
	s.argocdProgram(argocdApplicationSet, append(common, "--argocd-repo-server="+repo, fmt.Sprintf("--metrics-addr=127.0.0.1:%d", ports[4]),
		fmt.Sprintf("--probe-addr=127.0.0.1:%d", ports[5]), fmt.Sprintf("--webhook-addr=127.0.0.1:%d", ports[6]))...)
	s.ready = func(ctx context.Context) error {
		var all []error
		for _, port := range []int{ports[1], ports[2], settings.ServerPort} {
			all = append(all, healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/healthz", port)))
		}
		return errors.Join(append(all, healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[4])))...)
	}
	return s.argocdFiles(cluster)
}

// port is a flag.
func port(name string, number int) string { return fmt.Sprintf("--%s=%d", name, number) }

// argocdProgram adds one of the programs.
func (s *System) argocdProgram(name string, flags ...string) {
	s.programFrom(s.folder, name, append(flags, "--loglevel=debug")...)
}

// argocdFiles makes what the programs want to find around them: each other by name, Kustomize, and folders of their image.
func (s *System) argocdFiles(cluster Cluster) error {
	for _, folder := range []string{"bin", "tmp", "gpg", "keys"} {
		if err := os.Mkdir(filepath.Join(s.folder, folder), 0o700); err != nil {
			return err
		}
	}
	bin := filepath.Join(s.folder, "bin")
	for _, name := range []string{argocd, argocdController, argocdApplicationSet, argocdRepoServer, argocdServer} {
		if err := os.Symlink(filepath.Join(s.build, "bin", "cmd"), filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	// The repo server runs it for each commit, whether or not signatures are wanted.
	if err := os.WriteFile(filepath.Join(bin, "git-verify-wrapper.sh"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		return err
	}
	keys := filepath.Join(s.folder, "keys")
	for _, p := range s.programs {
		p.env = []string{
			"KUBECONFIG=" + cluster.Kubeconfig,
			"ARGOCD_FAKE_IN_CLUSTER=true", // https://kubernetes.default.svc is the server of KUBECONFIG
			"ARGOCD_GPG_ENABLED=false", "ARGOCD_GNUPGHOME=" + filepath.Join(s.folder, "gpg"),
			"ARGOCD_GPG_DATA_PATH=" + keys, "ARGOCD_TLS_DATA_PATH=" + keys, "ARGOCD_SSH_DATA_PATH=" + keys,
			"ARGOCD_ASK_PASS_SOCK=" + filepath.Join(s.folder, "ask-pass.sock"),
			"HOME=" + s.folder, "TMPDIR=" + filepath.Join(s.folder, "tmp"),
			"PATH=" + bin + ":" + filepath.Join(s.build, "bin") + ":" + os.Getenv("PATH"),
		}
	}
	return nil
}

// argocdObjects returns those of its installation without which it does not start, or syncs nothing.
func argocdObjects() []*unstructured.Unstructured {
	object := func(apiVersion, kind, name string, content map[string]any) *unstructured.Unstructured {
		content["apiVersion"], content["kind"] = apiVersion, kind
		content["metadata"] = map[string]any{
			"namespace": ArgoCDNamespace, "name": name, "labels": map[string]any{"app.kubernetes.io/part-of": argocd},
		}
		return &unstructured.Unstructured{Object: content}
	}
	all := []any{map[string]any{"group": "*", "kind": "*"}}
	return []*unstructured.Unstructured{
		object("v1", "ConfigMap", "argocd-cm", map[string]any{}),
		object("v1", "ConfigMap", "argocd-rbac-cm", map[string]any{}),
		object("v1", "Secret", "argocd-secret", map[string]any{"data": map[string]any{
			"server.secretkey": base64.StdEncoding.EncodeToString([]byte("of a test")),
		}}),
		object("argoproj.io/v1alpha1", "AppProject", "default", map[string]any{"spec": map[string]any{
			"sourceRepos": []any{"*"}, "destinations": []any{map[string]any{"server": "*", "namespace": "*"}},
			"clusterResourceWhitelist": all, "namespaceResourceWhitelist": all,
		}}),
	}
}

// startRedis starts a Redis in this process and returns its address. Close ends it.
func (s *System) startRedis() (string, error) {
	redis := miniredis.NewMiniRedis()
	if err := redis.Start(); err != nil {
		return "", fmt.Errorf("start Redis: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	const tick = 100 * time.Millisecond
	go wait.UntilWithContext(ctx, func(context.Context) { redis.FastForward(tick) }, tick) // its keys do not expire otherwise
	s.closers = append(s.closers, func() {
		cancel()
		redis.Close()
	})
	return redis.Addr(), nil
}
