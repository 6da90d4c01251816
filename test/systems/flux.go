// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FluxNamespace is the namespace of Flux's own installation.
const FluxNamespace = "flux-system"

// Folders of Flux's controllers below this one.
const (
	fluxSource       = "flux-source"
	fluxKustomize    = "flux-kustomize"
	fluxNotification = "flux-notification"
)

// FluxSettings are what a test has to know before Flux starts; see FreeAddress.
type FluxSettings struct {
	// EventsAddr is where notification-controller takes events, also those of the other controllers.
	EventsAddr string
	// ReceiverAddr is where notification-controller takes webhooks.
	ReceiverAddr string
}

// NewFlux prepares Flux's source-controller, kustomize-controller and notification-controller; Start starts them. As in an installation for
// several tenants, nothing refers to other namespaces. New revisions end the wait for old ones, and dependencies are looked at every
// second.
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
	kustomize, err1 := findBuild(cluster.Root, fluxKustomize)
	notification, err2 := findBuild(cluster.Root, fluxNotification)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, build := range []string{s.build, kustomize, notification} {
		crds, err := readManifests(build, fluxCRDs)
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
	files, err1 := FreeAddress()
	health, err2 := freePorts(3)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	events := "--events-addr=http://" + settings.EventsAddr + "/"
	s.fluxController(s.build, "source-controller", health[0], "--interval-jitter-percentage=0", "--concurrent=10", events,
		"--storage-path="+storage, "--storage-addr="+files, "--storage-adv-addr="+files)
	s.fluxController(kustomize, "kustomize-controller", health[1], "--interval-jitter-percentage=0", "--concurrent=20", events,
		"--requeue-dependency=1s", "--no-cross-namespace-refs", "--feature-gates=CancelHealthCheckOnNewRevision=true")
	s.fluxController(notification, "notification-controller", health[2], "--concurrent=10", "--no-cross-namespace-refs",
		"--events-addr="+settings.EventsAddr, "--receiverAddr="+settings.ReceiverAddr, "--rate-limit-interval=1s")
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

// fluxCRDs is the folder of the CRDs in each of Flux's modules.
const fluxCRDs = "config/crd/bases"

// FluxAlertCRD is the manifest of the kind Alert as Flux installs it.
func FluxAlertCRD(root string) (string, error) {
	build, err := findBuild(root, fluxNotification)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(build, "manifests", fluxCRDs, "notification.toolkit.fluxcd.io_alerts.yaml"))
	return string(text), err
}

// fluxController adds a controller with the flags that all of them have.
func (s *System) fluxController(build, name string, health int, flags ...string) {
	common := []string{fmt.Sprintf("--health-addr=127.0.0.1:%d", health), "--metrics-addr=0", "--log-level=debug"}
	s.programFrom(build, name, append(common, flags...)...)
}
