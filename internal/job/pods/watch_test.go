// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
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

func gated(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Spec.SchedulingGates = "", []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}}
	pod.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	pod.Spec.NodeSelector = map[string]string{"pool": "a"}
}

// overloaded gives a pod thousands of everything whose number only the size of an object bounds.
func overloaded(pod *corev1.Pod) {
	pod.Finalizers = nil
	for i := range 5000 {
		name := fmt.Sprintf("example.com/%d", i)
		pod.Labels[name], pod.Spec.NodeSelector[name] = "x", "x"
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: name, Operator: corev1.TolerationOpExists})
		pod.Finalizers = append(pod.Finalizers, name)
	}
}

// TestGatedPodWithTooMuch: of a pod that waits behind a gate no more is remembered than some entries of each list.
func TestGatedPodWithTooMuch(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]change{
		"spec.tolerations": func(p *corev1.Pod) {
			for i := range maxListed {
				p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: fmt.Sprint("k", i)})
			}
		},
		"spec.nodeSelector": func(p *corev1.Pod) {
			for i := range maxListed {
				p.Spec.NodeSelector[fmt.Sprint("k", i)] = "x"
			}
		},
		"its containers' resources": func(p *corev1.Pod) {
			for i := range maxListed {
				p.Spec.Containers[0].Resources.Requests[corev1.ResourceName(fmt.Sprintf("example.com/%d", i))] = resource.MustParse("1")
			}
		},
		"": func(*corev1.Pod) {},
	} {
		gate := RecordOf(podOf("pi-exec-1", executor, gated, change)).SchedulingGate
		if !strings.HasPrefix(gate.Excess, field) || (field == "") != (gate.Excess == "") {
			t.Errorf("it says %q, want %q", gate.Excess, field)
		}
		if kept := len(gate.Requests) + len(gate.Tolerations) + len(gate.NodeSelector); field != "" && kept > 0 {
			t.Errorf("%s: %d entries are kept", field, kept)
		}
	}
}

// TestFew: of very many resources, cores, memory and the pod itself are kept.
func TestFew(t *testing.T) {
	t.Parallel()
	all := queueing.Resources{"cpu": 1, "memory": 2, "pods": 1}
	if diff := cmp.Diff(all, CapResources(all)); diff != "" {
		t.Error(diff)
	}
	for i := range 1000 {
		all[fmt.Sprintf("a.example.com/%d", i)] = 1
	}
	if few := CapResources(all); len(few) > maxListed || few["cpu"] != 1 || few["memory"] != 2 || few["pods"] != 1 {
		t.Errorf("%d are kept: %v", len(few), few)
	}
}

// TestLongImage: the name of an image is cut, however long a pod says that it is.
func TestLongImage(t *testing.T) {
	t.Parallel()
	image := strings.Repeat("x", 100_000)
	r := RecordOf(podOf("pi-driver", func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "spark-kubernetes-driver", Image: image,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "InvalidImageName"}}}}
	}))
	if n := len(r.Waiting.Image); n > maxMessage || n == 0 {
		t.Errorf("%d bytes are kept", n)
	}
}

// TestLeanPodHasTheSameRecord: what is taken out of pods while a list is collected is in no record.
func TestLeanPodHasTheSameRecord(t *testing.T) {
	t.Parallel()
	sidecar := func(pod *corev1.Pod) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "sidecar"})
	}
	choosy := func(pod *corev1.Pod) {
		terms := []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "lifecycle", Operator: corev1.NodeSelectorOpIn, Values: []string{"spot"}}}}}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
	}
	for name, changes := range map[string][]change{
		"behind a gate, with an affinity": {fat, gated, choosy},
		"a driver":                        {fat}, "an executor": {fat, executor}, "with a sidecar": {fat, sidecar}, "that has failed": {fat, phase(corev1.PodFailed), because("Evicted", "low on disk")},
		"that is being deleted": {fat, deleting},
		"behind a gate":         {fat, gated}, "behind a gate, with too much": {gated, overloaded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := podOf("pi-driver", changes...)
			want := RecordOf(pod.DeepCopy())
			if gate := want.SchedulingGate; strings.Contains(name, "affinity") && gate.NodeSelector["lifecycle"] != "spot" {
				t.Errorf("the affinity is not among the labels of nodes: %v", gate.NodeSelector)
			}
			small := Lean(pod)
			if diff := cmp.Diff(want, RecordOf(small)); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			if size := small.Size(); size > 10_000 {
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
