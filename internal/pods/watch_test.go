// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// fat is a pod with all that a record does not need.
func fat(pod *corev1.Pod) {
	text := strings.Repeat("x", 100_000)
	pod.Annotations = map[string]string{"note": text}
	pod.Spec.Volumes = []corev1.Volume{{Name: text}}
	c := &pod.Spec.Containers[0]
	c.Args = []string{text}
	c.Env = []corev1.EnvVar{{Name: "A", Value: text}, {Name: "SPARK_DRIVER_BIND_ADDRESS", Value: "10.0.0.1"}}
}

// TestLeanPodHasTheSameRecord: what is taken out of pods while a list is collected is in no record.
func TestLeanPodHasTheSameRecord(t *testing.T) {
	t.Parallel()
	sidecar := func(pod *corev1.Pod) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "sidecar"})
	}
	for name, changes := range map[string][]change{
		"a driver": {fat}, "an executor": {fat, executor}, "with a sidecar": {fat, sidecar}, "that has failed": {fat, phase(corev1.PodFailed), because("Evicted", "low on disk")},
		"that is being deleted": {fat, deleting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := podOf("pi-driver", changes...)
			want := RecordOf(pod.DeepCopy())
			small := lean(pod)
			if diff := cmp.Diff(want, RecordOf(small)); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			if size := small.Size(); size > 2000 {
				t.Errorf("the pod still takes %d bytes", size)
			}
		})
	}
}

// TestFirstListIsOfRecords: the Reflector collects records, by the names of their pods, and hands them to the store.
func TestFirstListIsOfRecords(t *testing.T) {
	t.Parallel()
	store := NewStore(func(types.NamespacedName) {})
	collected := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.WithTransformer(store.Transformer()))
	for i := range 3 {
		if err := collected.Add(podOf(fmt.Sprint("pod-", i), fat)); err != nil {
			t.Fatal(err)
		}
	}
	if err := collected.Delete(podOf("pod-1")); err != nil {
		t.Fatal(err)
	}
	for _, obj := range collected.List() {
		if _, isPod := obj.(*corev1.Pod); isPod {
			t.Fatal("a whole pod is kept")
		}
	}
	if err := store.Replace(collected.List(), "20"); err != nil {
		t.Fatal(err)
	}
	if got := store.Len(); got != 2 {
		t.Errorf("%d pods, want 2", got)
	}
}
