// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// FluxNamespace is the namespace of Flux's own installation.
const FluxNamespace = "flux-system"

// Folders of Flux's controllers below this one.
const (
	fluxSource    = "flux-source"
	fluxKustomize = "flux-kustomize"
)

// FluxSettings are what tests may want otherwise. The zero value is Flux with the lockdown for tenants: no references across namespaces.
type FluxSettings struct {
	// EventsAddr is where the controllers send their events; default nowhere. An address that does not answer delays every event by 15 s.
	EventsAddr string
}

// Flux starts Flux for a test. The test's end stops it; what is installed stays.
func Flux(t testing.TB, cluster Cluster, settings FluxSettings) *System {
	t.Helper()
	system, err := NewFlux(cluster, settings)
	if err != nil {
		t.Fatal(err)
	}
	return system.begin(t)
}

// NewFlux prepares Flux's source-controller and kustomize-controller; Start starts them. New revisions end the wait for old ones, and
// dependencies are looked at every second.
func NewFlux(cluster Cluster, settings FluxSettings) (*System, error) {
	s, err := newSystem(fluxSource, cluster)
	if err != nil {
		return nil, err
	}
	if err := s.prepareFlux(cluster, settings); err != nil {
		return nil, fmt.Errorf("prepare Flux: %w", err)
	}
	return s, nil
}

func (s *System) prepareFlux(cluster Cluster, settings FluxSettings) error {
	s.name = "Flux"
	kustomize, err := findBuild(cluster.Root, fluxKustomize)
	if err != nil {
		return err
	}
	for _, build := range []string{s.build, kustomize} {
		crds, err := readManifests(build, "config/crd/bases")
		if err != nil {
			return err
		}
		s.crds = append(s.crds, crds...)
	}
	s.objects = append(s.objects, namespaceObject(FluxNamespace))
	storage := filepath.Join(s.folder, "storage")
	if err := os.Mkdir(storage, 0o700); err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	files, health := fmt.Sprintf("127.0.0.1:%d", ports[0]), ports[1:]
	s.fluxController(s.build, "source-controller", health[0], "--storage-path="+storage, "--storage-addr="+files, "--storage-adv-addr="+files,
		"--concurrent=10", "--events-addr="+settings.EventsAddr)
	s.fluxController(kustomize, "kustomize-controller", health[1], "--concurrent=20", "--requeue-dependency=1s", "--no-cross-namespace-refs",
		"--feature-gates=CancelHealthCheckOnNewRevision=true", "--events-addr="+settings.EventsAddr)
	for _, p := range s.programs {
		p.env = []string{"KUBECONFIG=" + cluster.Kubeconfig, "RUNTIME_NAMESPACE=" + FluxNamespace}
	}
	s.ready = func(ctx context.Context) error {
		var all []error
		for _, port := range health {
			all = append(all, healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", port)))
		}
		return errors.Join(all...)
	}
	return nil
}

// fluxController adds a controller with the flags that all of them have.
func (s *System) fluxController(build, name string, health int, flags ...string) {
	common := []string{fmt.Sprintf("--health-addr=127.0.0.1:%d", health), "--metrics-addr=0", "--interval-jitter-percentage=0", "--log-level=debug"}
	s.programFrom(build, name, append(common, flags...)...)
}
