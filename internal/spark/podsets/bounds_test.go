// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestBoundsOfLimitRanges: what the API server would refuse is found before quota is asked for. Driver and executors request one cpu and 1408Mi.
func TestBoundsOfLimitRanges(t *testing.T) {
	t.Parallel()
	const changed = ", or ask an administrator to change that"
	for name, test := range map[string]struct {
		items  string
		values []string
		want   string
	}{
		"wide enough":  {items: `[{type: Container, max: {cpu: 4, memory: 2Gi}, min: {cpu: 100m, memory: 1Mi}, default: {cpu: 2}}, {type: Pod, max: {memory: 2Gi}}]`},
		"another kind": {items: `[{type: PersistentVolumeClaim, max: {storage: 1Gi}, min: {storage: 1Gi}}]`},
		"executors are too large": {
			items:  `[{type: Container, max: {memory: 2Gi}}]`,
			values: []string{"spark.executor.memory", "4g"},
			want:   `spec.executor.memory: value "4505Mi" of the request is above the 2Gi memory that LimitRange small of the namespace allows a container: set less` + changed,
		},
		"the driver is too small": {
			items:  `[{type: Container, min: {cpu: 500m}}]`,
			values: []string{"spark.kubernetes.driver.request.cores", "250m"},
			want:   `spec.driver.coreRequest: value "250m" of the request is below the 500m cpu that LimitRange small of the namespace allows a container: set more` + changed,
		},
		"a default limit below the request": {
			items: `[{type: Container, default: {cpu: 500m}}]`,
			want: `spec.driver.coreRequest: value "1" of the request is above the limit of 500m cpu that LimitRange small of the namespace gives a container without one: ` +
				`set spec.driver.coreLimit to 1 or more` + changed,
		},
		"a limit of one's own": {
			items:  `[{type: Container, default: {cpu: 500m}}]`,
			values: []string{"spark.kubernetes.driver.limit.cores", "1", "spark.kubernetes.executor.limit.cores", "2"},
		},
		"a limit above the most": {
			items:  `[{type: Container, max: {cpu: 1}}]`,
			values: []string{"spark.kubernetes.executor.limit.cores", "2"},
			want:   `spec.executor.coreLimit: value "2" of the limit is above the 1 cpu that LimitRange small of the namespace allows a container: set less` + changed,
		},
		"a pod without a limit": {
			items: `[{type: Pod, max: {cpu: 4}}]`,
			want:  `spec.driver.coreLimit: value is absent, and LimitRange small of the namespace bounds the limit of a pod to 4 cpu: set one` + changed,
		},
		"a pod whose limit comes from a default": {items: `[{type: Container, default: {cpu: 2}}, {type: Pod, max: {cpu: 4}}]`},
		"a ratio that is kept": {
			items:  `[{type: Container, maxLimitRequestRatio: {cpu: 4, memory: 1}}, {type: Pod, maxLimitRequestRatio: {cpu: 4}}]`,
			values: []string{"spark.kubernetes.driver.limit.cores", "4", "spark.kubernetes.executor.limit.cores", "1"},
		},
		"a ratio, and executors without a limit": {
			items:  `[{type: Container, maxLimitRequestRatio: {cpu: 4}}]`,
			values: []string{"spark.kubernetes.driver.limit.cores", "4"},
			want:   `spec.executor.coreLimit: value is absent, and LimitRange small of the namespace bounds the limit of a container to 4 times its request of cpu: set one` + changed,
		},
		"a ratio, and a limit above it": {
			items:  `[{type: Container, maxLimitRequestRatio: {cpu: "1.5"}}]`,
			values: []string{"spark.kubernetes.driver.limit.cores", "1500m", "spark.kubernetes.executor.limit.cores", "1501m"},
			want: `spec.executor.coreLimit: value "1501m" of the limit is more than 1.5 times the request of 1 cpu, the most that LimitRange small of the namespace ` +
				`allows a container: set less, request more` + changed,
		},
		"a ratio, and a default limit above it": {
			items:  `[{type: Container, default: {cpu: 2}, maxLimitRequestRatio: {cpu: 4}}]`,
			values: []string{"spark.kubernetes.executor.request.cores", "400m"},
			want: `spec.executor.coreLimit: value "2" of the limit is more than 4 times the request of 400m cpu, the most that LimitRange small of the namespace ` +
				`allows a container: set less, request more` + changed,
		},
		"a ratio of whole pods": {
			items: `[{type: Pod, maxLimitRequestRatio: {cpu: 1}}]`,
			want:  `spec.driver.coreLimit: value is absent, and LimitRange small of the namespace bounds the limit of a pod to 1 times its request of cpu: set one` + changed,
		},
		"a pod that is too large": {
			items: `[{type: Pod, max: {memory: 1Gi}}]`,
			want:  `spec.driver.memory: value "1408Mi" of the request is above the 1Gi memory that LimitRange small of the namespace allows a pod: set less` + changed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, sparkConf(test.values...))
			ranges := limitRanges(t, test.items)
			ranges[0].Name = "small"
			_, err := PodSets(app, objects, Environment{LimitRanges: ranges})
			if test.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var outside *EnvironmentError
			if !errors.As(err, &outside) || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestQuotasThatDemandLimits: a ResourceQuota that counts limits is a bound of pods; one with a scope, or of requests, is none.
func TestQuotasThatDemandLimits(t *testing.T) {
	t.Parallel()
	app, objects := build(t, sparkConf("spark.kubernetes.driver.limit.cores", "1"))
	for spec, want := range map[string]string{
		"hard: {requests.cpu: 1, pods: 1}":                  "",
		"hard: {limits.memory: 8Gi}":                        "",
		"{hard: {limits.cpu: 4}, scopes: [NotTerminating]}": "",
		"hard: {limits.cpu: 4, requests.cpu: 4}":            "spec.executor.coreLimit: value is absent, and ResourceQuota team of the namespace bounds the limit of a pod to 4 cpu: set one, or ask an administrator to change that",
		"hard: {limits.memory: 1Gi}":                        "spec.driver.memory: value \"1408Mi\" of the request is above the 1Gi memory that ResourceQuota team of the namespace allows a pod: set less, or ask an administrator to change that",
	} {
		quota := &corev1.ResourceQuota{}
		quota.Name = "team"
		if err := yaml.UnmarshalStrict([]byte(spec), &quota.Spec); err != nil {
			t.Fatal(err)
		}
		var e Environment
		if r, demands := OfQuota(quota); demands {
			e.LimitRanges = append(e.LimitRanges, r)
		}
		got := ""
		if _, err := PodSets(app, objects, e); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// TestBoundsOfOtherContainers: a sidecar is held to the same bounds; sums of init containers are left to the API server.
func TestBoundsOfOtherContainers(t *testing.T) {
	t.Parallel()
	app, objects := build(t, sparkConf())
	logs := podOf(t, `containers: [{name: logs, resources: {requests: {memory: 3Gi}}}]`).Spec.Containers
	objects.ExecutorTemplate.Spec.Containers = append(objects.ExecutorTemplate.Spec.Containers, logs...)
	check := func(items, want string) {
		t.Helper()
		ranges := limitRanges(t, items)
		ranges[0].Name = "small"
		if _, err := PodSets(app, objects, Environment{LimitRanges: ranges}); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(`[{type: Container, max: {memory: 2Gi}}]`, `spec.executor.template.spec.containers (logs): value "3Gi" of the request is above the 2Gi memory that LimitRange small `+
		"of the namespace allows a container: set less, or ask an administrator to change that")
	check(`[{type: Pod, max: {memory: 4Gi}}]`, `spec.executor.memory: value "4480Mi" of the request is above the 4Gi memory that LimitRange small of the namespace allows a pod: `+
		"set less, or ask an administrator to change that")
	check(`[{type: Pod, min: {cpu: 3}}]`, `spec.driver.coreRequest: value "1" of the request is below the 3 cpu that LimitRange small of the namespace allows a pod: `+
		"set more, or ask an administrator to change that")
	objects.ExecutorTemplate.Spec.InitContainers = []corev1.Container{{Name: "fetch"}}
	check(`[{type: Pod, max: {memory: 4Gi}}]`, "")
}
