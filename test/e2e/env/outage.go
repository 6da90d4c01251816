// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// StopComponent stops a component of the cluster, such as kubelet or kube-apiserver. It is started again at the end of
// the test. No other test may run meanwhile.
func StopComponent(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() { StartComponents(t) })
	localcluster(t, "stop", name)
}

// StartComponents starts what was stopped and waits until the cluster is healthy.
func StartComponents(t *testing.T) {
	t.Helper()
	localcluster(t, "up")
}

func localcluster(t *testing.T, args ...string) {
	t.Helper()
	binary := os.Getenv("SPARKGATE_LOCALCLUSTER")
	if binary == "" {
		t.Fatal("SPARKGATE_LOCALCLUSTER does not name the program localcluster: run `make e2e-slow`")
	}
	// The context of a test is over in its clean-up.
	if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
		t.Fatalf("localcluster %v: %v\n%s", args, err, out)
	}
}

// OperatorEnds returns a function that waits for the end of the operator's current process.
func OperatorEnds(t *testing.T) (await func()) {
	t.Helper()
	pid, err := processOf(runningOperator(t))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		waitFor(t, "the operator to end", func(context.Context) (bool, error) {
			_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
			return os.IsNotExist(err), nil
		})
	}
}

// BearOutage lets the record of the namespace continue after an outage of the API server. Objects that were created and
// deleted while the watch was down are missing in it.
func (s *Namespace) BearOutage() {
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	s.history.patient = true
}

func (h *history) isPatient() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.patient
}

// catchUp lists one kind as soon as the API server answers, records the changes since the last known state, and returns
// the version from which to continue.
func (h *history) catchUp(ctx context.Context, list client.ObjectList, in client.ListOption) (string, error) {
	err := wait.PollUntilContextTimeout(ctx, lookInterval, Patience, true, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return cluster.client.List(ctx, list, in) == nil, nil
	})
	if err != nil {
		return "", fmt.Errorf("list again: %w", err)
	}
	before := h.current(list)
	err = apimeta.EachListItem(list, func(item kruntime.Object) error {
		obj, ok := item.DeepCopyObject().(client.Object)
		if !ok {
			return fmt.Errorf("unexpected item %T", item)
		}
		if known := before[obj.GetUID()]; known == nil || known.GetResourceVersion() != obj.GetResourceVersion() {
			h.add(obj, false)
		}
		delete(before, obj.GetUID())
		return nil
	})
	for _, gone := range before {
		h.add(gone, true)
	}
	return list.GetResourceVersion(), err
}

// current returns the objects of a list's kind that exist according to the record.
func (h *history) current(list client.ObjectList) map[types.UID]client.Object {
	switch list.(type) {
	case *v1alpha1.SparkApplicationList:
		return existing(eventsOf(h, &h.apps, ""))
	case *v1alpha1.SparkQueueList:
		return existing(eventsOf(h, &h.queues, ""))
	case *corev1.PodList:
		return existing(eventsOf(h, &h.pods, ""))
	}
	return nil
}

func existing[T client.Object](events []Event[T]) map[types.UID]client.Object {
	objects := map[types.UID]client.Object{}
	for _, e := range events {
		if e.Gone {
			delete(objects, e.Object.GetUID())
			continue
		}
		objects[e.Object.GetUID()] = e.Object
	}
	return objects
}
