// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// invented returns requests of n resources that no node has.
func invented(n int, prefix string) string {
	var requests []string
	for i := range n {
		requests = append(requests, fmt.Sprintf("%s%02d: 1", prefix, i))
	}
	return strings.Join(requests, ", ")
}

// many returns the requests of a pod with n invented resources besides those of Spark's container.
func many(n int, prefix string) queueing.Resources {
	all := queueing.Resources{"cpu": 500, "memory": 8 << 30, "pods": 1}
	for i := range n {
		all[fmt.Sprintf("%s%02d", prefix, i)] = 1
	}
	return all
}

func TestOfPod(t *testing.T) {
	t.Parallel()
	const spark = `containers: [{name: spark, resources: {requests: {cpu: 500m, memory: 8Gi}}}`
	tests := map[string]struct {
		pod     string
		want    queueing.Resources // of OfPod; nil if it is refused
		refused string
		clamped queueing.Resources // of those that are refused
	}{
		"a sidecar": {
			pod:  spark + `, {name: logs, resources: {requests: {memory: 1Gi}}}]`,
			want: queueing.Resources{"cpu": 500, "memory": 9 << 30, "pods": 1},
		},
		"a pod that says how many it is": {
			pod:  `containers: [{name: spark, resources: {requests: {pods: "0"}}}]`,
			want: queueing.Resources{"pods": 1},
		},
		"a sidecar that makes the sum wrap": {
			pod:     spark + `, {name: logs, resources: {requests: {memory: "9223372036854775807"}}}]`,
			refused: `spec.containers[1].resources.requests.memory: value "9223372036854775807" is above 8Pi, the most that is counted: set less`,
			clamped: queueing.Resources{"cpu": 500, "memory": Max, "pods": 1},
		},
		"a negative sidecar": {
			pod:     spark + `, {name: logs, resources: {requests: {memory: -16374Mi}}}]`,
			refused: `spec.containers[1].resources.requests.memory: value "-16374Mi" is negative: set a quantity of zero or more`,
			clamped: queueing.Resources{"cpu": 500, "memory": 8 << 30, "pods": 1},
		},
		"a negative limit": {
			pod:     spark + `, {name: logs, resources: {limits: {memory: -1}}}]`,
			refused: `spec.containers[1].resources.limits.memory: value "-1" is negative: set a quantity of zero or more`,
			clamped: queueing.Resources{"cpu": 500, "memory": 8 << 30, "pods": 1},
		},
		"an init container that stays": {
			pod:     spark + "]\ninitContainers: [{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 1e16}}}]",
			refused: `spec.initContainers[0].resources.requests.cpu: value "10P" is above 9007199254740992m, the most that is counted: set less`,
			clamped: queueing.Resources{"cpu": Max, "memory": 8 << 30, "pods": 1},
		},
		"requests of the whole pod": {
			pod:     spark + "]\nresources: {requests: {memory: -1Gi}}",
			refused: `spec.resources.requests.memory: value "-1Gi" is negative: set a quantity of zero or more`,
			clamped: queueing.Resources{"cpu": 500, "memory": 0, "pods": 1},
		},
		"overhead": {
			pod:     spark + "]\noverhead: {memory: -1Gi}",
			refused: `spec.overhead.memory: value "-1Gi" is negative: set a quantity of zero or more`,
			clamped: queueing.Resources{"cpu": 500, "memory": 8 << 30, "pods": 1},
		},
		"parts that are too much only together": {
			pod:     spark + `, {name: logs, resources: {requests: {memory: 8Pi}}}]`,
			refused: `memory of the whole pod: value "8388616Gi" is above 8Pi, the most that is counted: set less`,
			clamped: queueing.Resources{"cpu": 500, "memory": Max, "pods": 1},
		},
		"as many resources as are counted": {
			pod: spark + `, {name: more, resources: {requests: {` + invented(MaxResources-2, "x.y/r") + `}}}]`, want: many(MaxResources-2, "x.y/r"),
		},
		"one resource more": {
			pod:     spark + `, {name: more, resources: {limits: {}, requests: {` + invented(MaxResources-1, "x.y/r") + `}}}]`,
			refused: `resources of the whole pod: value "17" is above 16, the most different ones that are counted: set fewer`,
			clamped: many(MaxResources-1, "x.y/r"),
		},
		"resources with long names": {
			pod:     spark + `, {name: more, resources: {requests: {` + invented(8, strings.Repeat("x", 62)+"/r") + `}}}]`,
			refused: `names of the resources of the whole pod: value "537" is above 512, the most bytes that are counted: set fewer, or shorter ones`,
			clamped: many(8, strings.Repeat("x", 62)+"/r"),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pod corev1.Pod
			if err := yaml.UnmarshalStrict([]byte(tc.pod), &pod.Spec); err != nil {
				t.Fatal(err)
			}
			before := pod.DeepCopy()
			got, err := OfPod(&pod)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("amounts (-want +got):\n%s", diff)
			}
			if text := ""; err != nil {
				if text = err.Error(); text != tc.refused {
					t.Errorf("error:\ngot  %s\nwant %s", text, tc.refused)
				}
			} else if tc.refused != "" {
				t.Errorf("no error, want %s", tc.refused)
			}
			if tc.clamped == nil {
				tc.clamped = tc.want
			}
			if diff := cmp.Diff(tc.clamped, ClampPod(&pod)); diff != "" {
				t.Errorf("clamped amounts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, &pod); diff != "" {
				t.Errorf("the pod was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// hostileList returns amounts of which most could make sums overflow.
func hostileList(r *rand.Rand) corev1.ResourceList {
	list := corev1.ResourceList{}
	for range r.IntN(3) {
		name := corev1.ResourceName(names[r.IntN(len(names))])
		if list[name] = Quantity(string(name), r.Int64N(1<<40)); r.IntN(3) == 0 {
			list[name] = hostile(r)
		}
	}
	return list
}

func hostilePod(r *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Overhead: hostileList(r)}}
	for range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Resources: corev1.ResourceRequirements{Requests: hostileList(r), Limits: hostileList(r)}})
	}
	for range r.IntN(3) {
		c := corev1.Container{Resources: corev1.ResourceRequirements{Requests: hostileList(r)}}
		if r.IntN(2) == 0 {
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	if r.IntN(3) == 0 {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: hostileList(r)}
	}
	return pod
}

// TestPodsAreExactOrRefused: an accepted amount is exactly the sum that Kubernetes computes. An amount that is charged
// although it was refused is at least each of its valid parts, and within the range.
func TestPodsAreExactOrRefused(t *testing.T) {
	t.Parallel()
	taken := 0
	played := randtest.Each(t, 3000, func(seed uint64) {
		pod := hostilePod(rand.New(rand.NewPCG(seed, 2)))
		got, err := OfPod(pod)
		clamped := ClampPod(pod)
		for name, amount := range clamped {
			if amount < 0 || amount > Max {
				t.Fatalf("%s is charged %d", name, amount)
			}
		}
		if err != nil {
			return
		}
		taken++
		if diff := cmp.Diff(got, clamped); diff != "" {
			t.Fatalf("what is taken is not what is charged (-taken +charged):\n%s", diff)
		}
		for name, q := range resource.PodRequests(pod, resource.PodResourcesOptions{}) {
			if name != corev1.ResourcePods && exact(string(name), q).Cmp(big.NewInt(got[string(name)])) != 0 {
				t.Fatalf("%s: got %d, want %s", name, got[string(name)], q.String())
			}
		}
	})
	if played > 100 && taken < played/20 {
		t.Errorf("only %d of %d pods were taken: the test plays nothing else than refusals", taken, played)
	}
}
