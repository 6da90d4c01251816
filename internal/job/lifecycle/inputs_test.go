// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// taken gives the driver's name to another client's pod, which has ended: in this world the operator sees the pods of
// others as well.
func (w *world) taken() {
	w.app.Spec.Driver.PodName = "mine"
	w.logf("another client: creates a pod of this name")
	w.pods["mine"] = &pods.Record{Origin: &pods.Origin{Namespace: "default"}, Name: "mine", Trouble: &pods.Trouble{}, UID: "foreign", Phase: corev1.PodSucceeded}
}

// TestPauseOfChangedInputs: inputs that change for ever are planned again at a bounded rate.
func TestPauseOfChangedInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.taken()
	w.settle()
	var pause time.Duration
	for n := range 12 {
		w.inputs += "x"
		w.settle()
		if w.app.Status.Grant != nil || w.app.Status.Times.Retry == nil {
			t.Fatalf("change %d: the grant is kept\n%s", n, w.story())
		}
		pause = w.app.Status.Times.Retry.Sub(w.now)
		w.nextLook()
	}
	if s := &w.app.Status; pause < maxReplanBackoff || pause > 2*maxReplanBackoff || s.Failures != 0 || s.Requeues != 12 || s.Run != 1 {
		t.Errorf("after 12 changes it pauses for %s, and has failed %d times and was sent back %d times\n%s", pause, s.Failures, s.Requeues, w.story())
	}
}

// TestGrantOfUnknownInputs: a grant that an older operator gave says nothing of its inputs, so that it goes back once.
func TestGrantOfUnknownInputs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		planned, granted string
		outdated         bool
	}{
		"the same":             {"v1:a", "v1:a", false},
		"others":               {"v1:a", "v1:b", true},
		"by an older one":      {"v1:a", "", true},
		"by another rule":      {"v1:a", "v2:a", true},
		"neither says (tests)": {"", "", false},
	} {
		v := &queueing.Verdict{State: queueing.Granted, Grant: &queueing.Grant{Inputs: tc.granted}}
		if got := Outdated(&Plan{Inputs: tc.planned}, v); got != tc.outdated {
			t.Errorf("%s: outdated is %t, want %t", name, got, tc.outdated)
		}
	}
	if Outdated(&Plan{Inputs: "v1:a"}, &queueing.Verdict{State: queueing.Waiting}) {
		t.Error("what waits is outdated")
	}
}

// TestUnknownDriverHasToFitTheGrant: a driver that this process has not created counts as the attempt's if it fits the grant, whatever created it.
func TestUnknownDriverHasToFitTheGrant(t *testing.T) {
	t.Parallel()
	grant := &v1alpha1.Grant{PodSets: []v1alpha1.PodSetGrant{{Name: v1alpha1.DriverPodSet, Count: 1, Requests: map[corev1.ResourceName]resource.Quantity{
		"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi"),
	}}}}
	for name, tc := range map[string]struct {
		origin pods.Origin
		known  bool
		fits   bool
	}{
		"as granted":                      {origin: pods.Origin{CPU: 1000, Memory: 1 << 30}, fits: true},
		"more memory":                     {origin: pods.Origin{CPU: 1000, Memory: 1<<30 + 1}},
		"more cpu":                        {origin: pods.Origin{CPU: 1001, Memory: 1 << 30}},
		"accelerators":                    {origin: pods.Origin{CPU: 1000, Memory: 1 << 30, GPU: 8, OtherRequests: "nvidia.com/gpu=8"}},
		"storage that the cluster adds":   {origin: pods.Origin{CPU: 1000, Memory: 1 << 30, OtherRequests: "ephemeral-storage=1073741824"}, fits: true},
		"made by this process, with more": {origin: pods.Origin{CPU: 2000, Memory: 2 << 30}, known: true, fits: true},
	} {
		st := &state{s: v1alpha1.SparkApplicationStatus{Grant: grant, Driver: &v1alpha1.DriverStatus{}}}
		if tc.known {
			st.o.CreatedDriver = "uid"
		}
		if got := beyondGrant(st, &pods.Record{Origin: &tc.origin, UID: "uid", Name: "pi-driver"}); (got == "") != tc.fits {
			t.Errorf("%s: beyond the grant is %q, want that the driver fits: %t", name, got, tc.fits)
		}
	}
}
