// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// namespaceLabel marks the queues of a namespace, because queues are cluster-scoped.
const namespaceLabel = "e2e.sparkgate.io/namespace"

// restricted makes the API server refuse pods that do not satisfy the restricted Pod Security Standard, as all pods of
// the tests have to.
const restricted = "pod-security.kubernetes.io/enforce"

// Namespace is one test's own part of the cluster: a namespace where drivers may run, the queues that the test applies,
// and a record of everything that happens to them. Its methods fail the test on errors, so they have to be called in
// the test's own goroutine.
type Namespace struct {
	// Name is the name of the namespace; tests name their queues after it.
	Name    string
	t       testing.TB
	history *history
	stop    context.CancelFunc
}

// New creates a namespace for a test that runs at most n Spark applications at a time. It waits until the machine has
// slots for them.
func New(t *testing.T, n int) *Namespace {
	t.Helper()
	t.Cleanup(acquire(n))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{restricted: "restricted"}}}
	if err := cluster.client.Create(t.Context(), namespace); err != nil {
		t.Fatalf("make a namespace: %v", err)
	}
	// The record outlives the test's context, so that it includes the clean-up.
	ctx, stop := context.WithCancel(context.Background())
	s := &Namespace{Name: namespace.Name, t: t, stop: stop}
	t.Cleanup(s.close)
	var err error
	if s.history, err = startHistory(ctx, s.Name); err != nil {
		t.Fatal(err)
	}
	t.Logf("namespace %s", s.Name)
	return s
}

// NewTenant is New with everything that drivers need: the namespace has the tenant component of config/job-namespace.
func NewTenant(t *testing.T, n int) *Namespace {
	t.Helper()
	s := New(t, n)
	s.Admit()
	return s
}

// Admit applies config/job-namespace by the overlay that its comment describes.
func (s *Namespace) Admit() {
	s.t.Helper()
	// A kustomization takes only relative paths, and only the folders below a temporary one are ours.
	dir := s.t.TempDir()
	tenant, err := filepath.Rel(dir, filepath.Join(cluster.root, "config", "job-namespace"))
	if err != nil {
		s.t.Fatal(err)
	}
	overlay := fmt.Sprintf("namespace: %s\nresources:\n- %s\n", s.Name, tenant)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(overlay), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.Kubectl("apply", "-k", dir)
}

// close checks the invariants, prints what happened if the test failed, and removes everything of the namespace.
func (s *Namespace) close() {
	defer s.stop()
	if s.history != nil {
		s.checkInvariants()
	}
	if s.t.Failed() {
		s.dump()
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	inside := client.InNamespace(s.Name)
	if err := cluster.client.DeleteAllOf(ctx, &v1alpha1.SparkApplication{}, inside); err != nil {
		s.t.Errorf("clean up: %v", err)
	}
	s.waitGone(ctx, inside)
	if err := cluster.client.DeleteAllOf(ctx, &v1alpha1.SparkQueue{}, client.MatchingLabels{namespaceLabel: s.Name}); err != nil {
		s.t.Errorf("clean up: %v", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Name}}
	if err := cluster.client.Delete(ctx, namespace); err != nil {
		s.t.Errorf("clean up: %v", err)
	}
}

// waitGone waits until the applications are gone and their pods are not active: otherwise their pods would slow the
// next tests down.
func (s *Namespace) waitGone(ctx context.Context, in client.ListOption) {
	for {
		apps, pods := &v1alpha1.SparkApplicationList{}, &corev1.PodList{}
		err := cluster.client.List(ctx, apps, in)
		if err == nil {
			err = cluster.client.List(ctx, pods, in, client.HasLabels{v1alpha1.ApplicationLabel})
		}
		if err != nil {
			s.t.Errorf("clean up: %v", err)
			return
		}
		left := len(apps.Items)
		for i := range pods.Items {
			if active(&pods.Items[i]) {
				left++
			}
		}
		if left == 0 {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Errorf("clean up: %d applications or active pods are left in namespace %s", left, s.Name)
			return
		case <-time.After(time.Second):
		}
	}
}

func active(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// Read reads the current version of an object.
func (s *Namespace) Read(obj client.Object) {
	s.t.Helper()
	if err := cluster.client.Get(s.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		s.t.Fatal(err)
	}
}
