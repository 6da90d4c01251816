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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// VolcanoNamespace is the namespace of Volcano's own installation.
	VolcanoNamespace = "volcano-system"
	volcanoVersion   = "scheduling.volcano.sh/v1beta1"
)

// VolcanoSettings are what tests may want otherwise. The zero value is Volcano with the actions and plugins of its Helm chart.
type VolcanoSettings struct {
	// SchedulerConf replaces the scheduler's configuration: actions and tiers of plugins.
	SchedulerConf string
}

// Volcano starts Volcano's scheduler and controllers for a test. The test's end stops them; what is installed stays.
//
// The scheduler decides once a second, and only where there is a node: see Node.
func Volcano(t testing.TB, cluster Cluster, settings VolcanoSettings) *System {
	t.Helper()
	system, err := NewVolcano(cluster, settings)
	if err != nil {
		t.Fatal(err)
	}
	return system.begin(t)
}

// NewVolcano prepares Volcano's scheduler and controllers, without its admission webhooks; Start starts them.
func NewVolcano(cluster Cluster, settings VolcanoSettings) (*System, error) {
	s, err := newSystem("volcano", cluster)
	if err != nil {
		return nil, err
	}
	conf := []byte(settings.SchedulerConf)
	if len(conf) == 0 {
		if conf, err = os.ReadFile(filepath.Join(s.build, "manifests", "installer", "helm", "chart", "volcano", "config", "volcano-scheduler.conf")); err != nil {
			return nil, err
		}
	}
	// In a folder of its own: the scheduler reads it again with every change in its folder, and would read it all the time beside its log.
	confFile, err := s.write(filepath.Join("conf", "volcano-scheduler.conf"), conf)
	if err != nil {
		return nil, err
	}
	common := []string{"--kubeconfig=" + cluster.Kubeconfig, "--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000", "--v=3"}
	s.program("controller-manager", common...)
	s.program("scheduler", append(common, "--scheduler-conf="+confFile, "--cache-dump-dir="+s.folder)...)
	// Its controllers never begin where kinds of jobflow are missing.
	for _, folder := range []string{"config/crd/volcano/bases", "config/crd/jobflow/bases"} {
		crds, err := readManifests(s.build, folder)
		if err != nil {
			return nil, err
		}
		s.crds = append(s.crds, crds...)
	}
	s.objects = []*unstructured.Unstructured{namespaceObject(VolcanoNamespace)}
	s.ready = s.volcanoWorks
	return s, nil
}

// volcanoWorks says whether the controllers open a queue and the scheduler looks at a pod group.
func (s *System) volcanoWorks(ctx context.Context) error {
	queue := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcanoVersion, "kind": "Queue", "metadata": map[string]any{"name": probeName}, "spec": map[string]any{"weight": int64(1)},
	}}
	group := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcanoVersion, "kind": "PodGroup", "metadata": map[string]any{"name": probeName, "namespace": VolcanoNamespace},
		"spec": map[string]any{"minMember": int64(1), "queue": probeName},
	}}
	if err := errors.Join(s.present(ctx, queue), s.present(ctx, group)); err != nil {
		return err
	}
	if state, _, _ := unstructured.NestedString(queue.Object, "status", "state"); state != "Open" {
		return fmt.Errorf("its controllers have not opened a queue yet: its state is %q", state)
	}
	if phase, _, _ := unstructured.NestedString(group.Object, "status", "phase"); phase == "" {
		return errors.New("its scheduler has not looked at a pod group yet")
	}
	return errors.Join(s.client.Delete(ctx, group), s.client.Delete(ctx, queue))
}
