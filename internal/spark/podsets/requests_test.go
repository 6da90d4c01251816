// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/queueing"
)

// podOf reads the spec of a pod.
func podOf(t *testing.T, spec string) *corev1.Pod {
	t.Helper()
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(spec), &pod.Spec); err != nil {
		t.Fatal(err)
	}
	return &pod
}

// quantityOf reads a quantity.
func quantityOf(t *testing.T, text string) resource.Quantity {
	t.Helper()
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatal(err)
	}
	return quantity
}

// limitRanges reads the items of a limit range.
func limitRanges(t *testing.T, items string) []corev1.LimitRange {
	t.Helper()
	var limitRange corev1.LimitRange
	if err := yaml.UnmarshalStrict([]byte(items), &limitRange.Spec.Limits); err != nil {
		t.Fatal(err)
	}
	return []corev1.LimitRange{limitRange}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	const spark = `containers: [{name: spark, resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 1Gi}}}`
	for name, test := range map[string]struct {
		pod    string
		limits string
		class  corev1.ResourceList
		want   queueing.Resources
	}{
		"one container": {
			pod:  spark + `]`,
			want: queueing.Resources{"cpu": 500, "memory": 1024 * mib, "pods": 1},
		},
		"a second container": {
			pod:  spark + `, {name: logs, resources: {requests: {cpu: 10m, memory: 16Mi}}}]`,
			want: queueing.Resources{"cpu": 510, "memory": 1040 * mib, "pods": 1},
		},
		"an init container that needs more": {
			pod:  spark + "]\ninitContainers: [{name: fetch, resources: {requests: {cpu: '2', memory: 512Mi}}}]",
			want: queueing.Resources{"cpu": 2000, "memory": 1024 * mib, "pods": 1},
		},
		"an init container that stays": {
			pod:  spark + "]\ninitContainers: [{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 64Mi}}}]",
			want: queueing.Resources{"cpu": 600, "memory": 1088 * mib, "pods": 1},
		},
		"a limit without a request": {
			pod:  spark + `, {name: gpu, resources: {limits: {nvidia.com/gpu: 2, cpu: 100m}}}]`,
			want: queueing.Resources{"cpu": 600, "memory": 1024 * mib, "nvidia.com/gpu": 2, "pods": 1},
		},
		"storage": {
			pod:  `containers: [{name: spark, resources: {requests: {ephemeral-storage: 1Gi}}}]`,
			want: queueing.Resources{"ephemeral-storage": 1024 * mib, "pods": 1},
		},
		"a runtime class": {
			pod:   spark + "]\nruntimeClassName: gvisor",
			class: corev1.ResourceList{"cpu": quantityOf(t, "250m"), "memory": quantityOf(t, "128Mi")},
			want:  queueing.Resources{"cpu": 750, "memory": 1152 * mib, "pods": 1},
		},
		"an unknown runtime class": {
			pod:  spark + "]\nruntimeClassName: other",
			want: queueing.Resources{"cpu": 500, "memory": 1024 * mib, "pods": 1},
		},
		"a runtime class whose overhead stands in the pod": {
			pod:   spark + "]\nruntimeClassName: gvisor\noverhead: {cpu: 10m}",
			class: corev1.ResourceList{"cpu": quantityOf(t, "250m")},
			want:  queueing.Resources{"cpu": 510, "memory": 1024 * mib, "pods": 1},
		},
		"requests of the whole pod": {
			pod:  spark + "]\nresources: {requests: {cpu: '3', memory: 2Gi}}",
			want: queueing.Resources{"cpu": 3000, "memory": 2048 * mib, "pods": 1},
		},
		"limits of the whole pod are requests of what no container requests": {
			pod:  spark + "]\nresources: {limits: {cpu: '3', memory: 2Gi, hugepages-2Mi: 64Mi, nvidia.com/gpu: 1}}",
			want: queueing.Resources{"cpu": 500, "memory": 1024 * mib, "hugepages-2Mi": 64 * mib, "pods": 1},
		},
		"defaults of the namespace fill a sidecar": {
			pod:    spark + `, {name: logs}]`,
			limits: `[{type: Container, defaultRequest: {cpu: 100m, memory: 64Mi}, default: {cpu: 200m, memory: 128Mi}}]`,
			want:   queueing.Resources{"cpu": 600, "memory": 1088 * mib, "pods": 1},
		},
		"a default limit is a default request": {
			pod:    spark + `, {name: logs}]`,
			limits: `[{type: Container, default: {cpu: 200m}}]`,
			want:   queueing.Resources{"cpu": 700, "memory": 1024 * mib, "pods": 1},
		},
		"a limit of the container beats a default": {
			pod:    `containers: [{name: logs, resources: {limits: {cpu: 50m}}}]`,
			limits: `[{type: Container, defaultRequest: {cpu: 100m}}]`,
			want:   queueing.Resources{"cpu": 50, "pods": 1},
		},
		"defaults fill init containers, too": {
			pod:    "containers: [{name: spark}]\ninitContainers: [{name: fetch}]",
			limits: `[{type: Container, defaultRequest: {cpu: 100m}}]`,
			want:   queueing.Resources{"cpu": 100, "pods": 1},
		},
		"bounds of other things": {
			pod:    spark + `, {name: logs}]`,
			limits: `[{type: Pod, max: {cpu: '4'}}, {type: PersistentVolumeClaim, max: {storage: 1Gi}}]`,
			want:   queueing.Resources{"cpu": 500, "memory": 1024 * mib, "pods": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := Environment{RuntimeClasses: map[string]corev1.ResourceList{"gvisor": test.class}}
			if test.limits != "" {
				env.LimitRanges = limitRanges(t, test.limits)
			}
			pod := podOf(t, test.pod)
			before := pod.DeepCopy()
			got, err := env.Requests(pod)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, pod); diff != "" {
				t.Errorf("the pod was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestWholePodRequestsLessThanItsContainers: an API server that does not know requests of whole pods drops them, so that a pod would take more
// than its queue was charged.
func TestWholePodRequestsLessThanItsContainers(t *testing.T) {
	t.Parallel()
	env := Environment{LimitRanges: limitRanges(t, `[{type: Container, defaultRequest: {memory: 1Gi}}]`)}
	for pod, want := range map[string]string{
		"containers: [{name: spark, resources: {requests: {cpu: '8'}}}]\nresources: {requests: {cpu: 1m}}": "spec.resources.requests.cpu: value \"1m\" is less than the 8 " +
			"that the containers request together: set that or more, or remove it",
		"containers: [{name: spark}, {name: logs}]\nresources: {requests: {memory: 1Gi}}":                                              "spec.resources.requests.memory: value \"1Gi\" is less than the 2Gi",
		"containers: [{name: spark}]\ninitContainers: [{name: fetch, resources: {limits: {cpu: 2}}}]\nresources: {requests: {cpu: 1}}": "spec.resources.requests.cpu: value \"1\" is less than the 2",
	} {
		if _, err := env.Requests(podOf(t, pod)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", pod, err, want)
		}
	}
}

func TestRequestsOfTemplates(t *testing.T) {
	t.Parallel()
	app, objects := build(t, sparkConf("spark.executor.instances", "3"))
	objects.ExecutorTemplate.Spec.Containers = append(objects.ExecutorTemplate.Spec.Containers, podOf(t,
		`containers: [{name: logs, resources: {requests: {cpu: 50m, memory: 32Mi}}}]`).Spec.Containers...)
	sets, err := PodSets(app, objects, Environment{})
	if err != nil {
		t.Fatal(err)
	}
	want := queueing.Resources{"cpu": 1050, "memory": 1440 * mib, "pods": 1}
	if diff := cmp.Diff(want, sets[1].Requests); diff != "" {
		t.Errorf("requests of executors with a sidecar (-want +got):\n%s", diff)
	}
}
