// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// FluxNamespace is the namespace of Flux's own installation.
const FluxNamespace = "flux-system"

// Folders of Flux's controllers below this one.
const (
	fluxSource       = "flux-source"
	fluxKustomize    = "flux-kustomize"
	fluxHelm         = "flux-helm"
	fluxNotification = "flux-notification"
)

// FluxSettings are what a test has to know before Flux starts; see FreeAddress.
type FluxSettings struct {
	// EventsAddr is the address on which notification-controller receives events, including those of the other
	// controllers. Default: a free address.
	EventsAddr string
	// ReceiverAddr is the address on which notification-controller receives webhooks. Default: a free address.
	ReceiverAddr string
	// Helm also runs helm-controller.
	Helm bool
}

// NewFlux prepares Flux's source-controller, kustomize-controller, notification-controller and, with settings.Helm,
// helm-controller; Start starts them. As in an installation for several tenants, references to other namespaces are not
// allowed. New revisions end the wait for old ones, and dependencies are checked every second.
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
	for _, address := range []*string{&settings.EventsAddr, &settings.ReceiverAddr} {
		if *address != "" {
			continue
		}
		free, err := FreeAddress()
		if err != nil {
			return err
		}
		*address = free
	}
	controllers, err1 := s.fluxControllers(settings)
	health, err2 := freePorts(len(controllers))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	s.objects = append(s.objects, namespaceObject(FluxNamespace))
	s.objects = append(s.objects, fluxAccounts()...)
	for i, controller := range controllers {
		if err := s.addFluxController(cluster, controller, health[i]); err != nil {
			return err
		}
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

// fluxAccounts returns the accounts with which Flux's installation applies the administrators' objects, and their
// rights.
func fluxAccounts() []*unstructured.Unstructured {
	objects, subjects := []*unstructured.Unstructured{}, []any{}
	for _, name := range []string{"kustomize-controller", "helm-controller"} {
		objects = append(objects, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"namespace": FluxNamespace, "name": name},
		}})
		subjects = append(subjects, map[string]any{"kind": "ServiceAccount", "namespace": FluxNamespace, "name": name})
	}
	return append(objects, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": "cluster-reconciler-" + FluxNamespace},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": subjects,
	}})
}

// fluxController is one of Flux's programs, which has a module of its own.
type fluxController struct {
	module, name string
	flags        []string
}

// fluxControllers returns the controllers that the settings ask for. All report to notification-controller.
func (s *System) fluxControllers(settings FluxSettings) ([]fluxController, error) {
	storage := filepath.Join(s.folder, "storage")
	files, err := FreeAddress()
	if err := errors.Join(err, os.Mkdir(storage, 0o700)); err != nil {
		return nil, err
	}
	common := []string{"--interval-jitter-percentage=0", "--events-addr=http://" + settings.EventsAddr + "/"}
	controllers := []fluxController{
		{fluxSource, "source-controller", append([]string{"--concurrent=10", "--storage-path=" + storage, "--storage-addr=" + files,
			"--storage-adv-addr=" + files}, common...)},
		{fluxKustomize, "kustomize-controller", append([]string{"--concurrent=20", "--requeue-dependency=1s", "--no-cross-namespace-refs",
			"--feature-gates=CancelHealthCheckOnNewRevision=true"}, common...)},
		{fluxNotification, "notification-controller", []string{"--concurrent=10", "--no-cross-namespace-refs",
			"--events-addr=" + settings.EventsAddr, "--receiverAddr=" + settings.ReceiverAddr, "--rate-limit-interval=1s"}},
	}
	if settings.Helm {
		controllers = append(controllers, fluxController{fluxHelm, "helm-controller",
			append([]string{"--concurrent=10", "--requeue-dependency=1s", "--no-cross-namespace-refs"}, common...)})
	}
	return controllers, nil
}

// fluxCRDs is the folder of the CRDs in each of Flux's modules.
const fluxCRDs = "config/crd/bases"

// FluxAlertCRD returns the manifest of the kind Alert as Flux installs it.
func FluxAlertCRD(root string) (string, error) {
	build, err := findBuild(root, fluxNotification)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(build, "manifests", fluxCRDs, "notification.toolkit.fluxcd.io_alerts.yaml"))
	return string(text), err
}

// addFluxController adds a controller with its CRDs and the flags that all of them have.
func (s *System) addFluxController(cluster Cluster, c fluxController, health int) error {
	build, err := findBuild(cluster.Root, c.module)
	if err != nil {
		return err
	}
	crds, err := readManifests(build, fluxCRDs)
	if err != nil {
		return err
	}
	s.crds = append(s.crds, crds...)
	common := []string{fmt.Sprintf("--health-addr=127.0.0.1:%d", health), "--metrics-addr=0", "--log-level=debug"}
	s.programFrom(build, c.name, append(common, c.flags...)...)
	s.programs[len(s.programs)-1].env = []string{"KUBECONFIG=" + cluster.Kubeconfig, "RUNTIME_NAMESPACE=" + FluxNamespace}
	return nil
}
