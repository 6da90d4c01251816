// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/queueing"
)

const gibi = 1 << 30

// running returns a pod on a node with 1 CPU and 1Gi.
func running(name string, role Role, uid, owner types.UID) *Record {
	return &Record{
		Origin: &Origin{OwnerUID: owner, CPU: 1000, Memory: gibi}, Name: name, UID: uid, Role: role, Phase: corev1.PodRunning, Node: "node-1",
	}
}

func namesOf(of []*Record) []string {
	var names []string
	for _, r := range of {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

// What an application has made is known by uids, never by labels: all of these have the same ones.
func TestMade(t *testing.T) {
	t.Parallel()
	all := []*Record{
		running("driver", Driver, "d", "app"),
		running("earlier", Driver, "e", "app"),
		running("exec-1", Executor, "x1", "d"),
		running("exec-of-the-earlier", Executor, "x2", "e"),
		running("no-owner", Executor, "x3", ""),
		running("of-another-driver", Executor, "x4", "other"),
		running("driver-of-another", Driver, "other", "other-app"),
		running("neither", Other, "o", "d"),
	}
	tests := map[string]struct {
		driver types.UID
		want   []string
	}{
		"the driver is seen":                 {"d", []string{"driver", "earlier", "exec-1", "exec-of-the-earlier"}},
		"its uid is not known yet":           {"", []string{"driver", "earlier", "exec-1", "exec-of-the-earlier"}},
		"it is gone, and its executors stay": {"other", []string{"driver", "driver-of-another", "earlier", "exec-1", "exec-of-the-earlier", "of-another-driver"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, others := CreatedBy(all, "app", tc.driver)
			if got := namesOf(made); !slices.Equal(got, tc.want) {
				t.Errorf("made %v, want %v", got, tc.want)
			}
			if len(made)+len(others) != len(all) {
				t.Errorf("%d pods are lost", len(all)-len(made)-len(others))
			}
		})
	}
}

// No more is attributed to a grant than it had, drivers first; what uses no node is attributed to no grant.
func TestBeyond(t *testing.T) {
	t.Parallel()
	grant := func(count int32, requests queueing.Resources) queueing.Grant {
		return queueing.Grant{PodSets: []queueing.PodSetGrant{{Count: count, Requests: requests}}}
	}
	ended, waiting := running("ended", Executor, "1", ""), running("unscheduled", Executor, "2", "")
	ended.Phase, waiting.Node = corev1.PodFailed, ""
	nowhere, bound := running("nobody-answers-for-its-node", Executor, "3", ""), running("b", Executor, "b", "")
	nowhere.Phase, bound.Phase, bound.Scheduled = corev1.PodPending, corev1.PodPending, true
	all := []*Record{bound, running("a", Executor, "a", ""), ended, waiting, nowhere, running("z-driver", Driver, "d", "")}
	tests := map[string]struct {
		grant queueing.Grant
		want  []string
	}{
		"no grant":               {queueing.Grant{}, []string{"a", "b", "z-driver"}},
		"one":                    {grant(1, queueing.Resources{"cpu": 1000, "memory": gibi, "pods": 1}), []string{"a", "b"}},
		"pods are not counted":   {grant(2, queueing.Resources{"cpu": 1000, "memory": gibi}), []string{"b"}},
		"all":                    {grant(3, queueing.Resources{"cpu": 1000, "memory": gibi, "pods": 1}), nil},
		"too little memory":      {grant(3, queueing.Resources{"cpu": 1000, "memory": gibi / 2, "pods": 1}), []string{"a", "b"}},
		"a resource not granted": {grant(3, queueing.Resources{"memory": gibi}), []string{"a", "b", "z-driver"}},
		"more than can be counted": {
			grant(math.MaxInt32, queueing.Resources{"cpu": math.MaxInt64 / 2, "memory": math.MaxInt64, "pods": 1}), nil,
		},
		"nothing can be gained by less than nothing": {grant(3, queueing.Resources{"cpu": -1, "memory": gibi}), []string{"a", "b", "z-driver"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := namesOf(ExceedingGrant(all, tc.grant)); !slices.Equal(got, tc.want) {
				t.Errorf("beyond the grant are %v, want %v", got, tc.want)
			}
		})
	}
}

// What has accelerators is charged for them: an executor beyond those of the grant is attributed to no grant.
func TestBeyondByAccelerators(t *testing.T) {
	t.Parallel()
	gpu := func(name string) *Record {
		r := running(name, Executor, types.UID(name), "")
		r.GPU, r.OtherRequests = 1, "nvidia.com/gpu=1"
		return r
	}
	all := []*Record{running("driver", Driver, "d", ""), gpu("a"), gpu("b")}
	pods := queueing.Resources{"cpu": 1000, "memory": gibi, "pods": 1}
	with := func(name string, amount int64) queueing.Resources {
		r := pods.Clone()
		r[name] = amount
		return r
	}
	for name, tc := range map[string]struct {
		executors queueing.PodSetGrant
		want      []string
	}{
		"for both":            {queueing.PodSetGrant{Count: 2, Requests: with("nvidia.com/gpu", 1)}, nil},
		"for one":             {queueing.PodSetGrant{Count: 1, Requests: with("nvidia.com/gpu", 1)}, []string{"b"}},
		"of another kind":     {queueing.PodSetGrant{Count: 2, Requests: with("amd.com/gpu", 1)}, []string{"a", "b"}},
		"without accelerator": {queueing.PodSetGrant{Count: 2, Requests: pods}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grant := queueing.Grant{PodSets: []queueing.PodSetGrant{{Count: 1, Requests: pods}, tc.executors}}
			if got := namesOf(ExceedingGrant(all, grant)); !slices.Equal(got, tc.want) {
				t.Errorf("beyond the grant are %v, want %v", got, tc.want)
			}
		})
	}
}

// A record knows all that its pod requests, and executors of an attempt share it.
func TestRequests(t *testing.T) {
	t.Parallel()
	requesting := func(more ...string) change {
		return func(pod *corev1.Pod) {
			for _, request := range more {
				name, amount, _ := strings.Cut(request, "=")
				pod.Spec.Containers[0].Resources.Requests[corev1.ResourceName(name)] = resource.MustParse(amount)
			}
		}
	}
	gpus := requesting("nvidia.com/gpu=2", "nvidia.com/mig-1g.5gb=1", "ephemeral-storage=10Gi", "hugepages-2Mi=4Mi", "example.org/none=0")
	r := RecordOf(podOf("driver", gpus))
	want := queueing.Resources{
		"cpu": 200, "memory": 896 << 20, "pods": 1, "nvidia.com/gpu": 2, "nvidia.com/mig-1g.5gb": 1, "ephemeral-storage": 10 << 30, "hugepages-2Mi": 4 << 20,
	}
	if diff := cmp.Diff(want, r.Requests()); diff != "" || r.GPU != 3 {
		t.Errorf("%d GPUs, requests (-want +got):\n%s", r.GPU, diff)
	}
	if plain := RecordOf(podOf("driver")); plain.OtherRequests != "" {
		t.Errorf("a pod without others has %q", plain.OtherRequests)
	}
	if second := RecordOf(podOf("second", gpus)); !second.share(r) || second.Origin != r.Origin {
		t.Error("two equal pods share nothing")
	}
	if other := RecordOf(podOf("other", requesting("nvidia.com/gpu=3"))); other.share(r) {
		t.Error("two pods with different requests share them")
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("example.org/resource-%d=1", i))
	}
	if r := RecordOf(podOf("many", requesting(many...))); len(r.OtherRequests) > maxOtherRequests+100 {
		t.Errorf("%d bytes are remembered of what a pod requests", len(r.OtherRequests))
	}
}
