// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"math"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/queueing"
)

const gibi = 1 << 30

// running is a pod on a node with 1 CPU and 1Gi.
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
	all := []*Record{
		running("b", Executor, "b", ""), running("a", Executor, "a", ""), ended, waiting, running("z-driver", Driver, "d", ""),
	}
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
