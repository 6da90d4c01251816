// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
)

func noQuota(reason, message string) change {
	return says(kueuev1.WorkloadQuotaReserved, metav1.ConditionFalse, reason, message)
}

func stopped(q **kueuev1.StopPolicy) {
	hold := kueuev1.Hold
	*q = &hold
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		w      *kueuev1.Workload
		around surroundings
		state  queueing.State
		reason string
		// says are parts of the message.
		says []string
	}{
		"fresh": {made(), open(), queueing.Waiting, queueing.ReasonWaitingForGate, []string{"has not evaluated Workload pi-abcde-3-2"}},
		"no room": {
			made(noQuota("Pending", "couldn't assign flavors to pod set executor: insufficient unused quota for cpu in flavor default, 600m more needed")), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota, []string{"ClusterQueue all: ", "insufficient unused quota for cpu in flavor default"},
		},
		"others are asked to go": {
			made(noQuota("Pending", "couldn't assign flavors to pod set driver: insufficient unused quota for cpu in flavor default, 1 more needed. Pending the preemption of 2 workload(s)")), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota, []string{"Pending the preemption of other Workloads"},
		},
		"too much for ever": {
			made(noQuota("Pending", "couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor default, previously considered podsets requests (200m) + current podset request (90) > maximum capacity (4)")), open(),
			queueing.Refused, queueing.ReasonExceedsQuota, []string{"maximum capacity (4)"},
		},
		"too much in one flavor, not now in another": {
			made(noQuota("Pending", "couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor a, previously considered podsets requests (0) + current podset request (9) > maximum capacity (4), insufficient unused quota for cpu in flavor b, 1 more needed")), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota, nil,
		},
		"a resource that the queue does not have": {
			made(noQuota("Pending", "couldn't assign flavors to pod set driver: insufficient unused quota for cpu in flavor default, 1 more needed; couldn't assign flavors to pod set executor: resource nvidia.com/gpu unavailable in ClusterQueue")), open(),
			queueing.Refused, queueing.ReasonExceedsQuota, []string{"resource nvidia.com/gpu unavailable in ClusterQueue"},
		},
		"executors that never fit beside a driver that does not fit now": {
			made(noQuota("Pending", "couldn't assign flavors to pod set driver: insufficient unused quota for cpu in flavor default, 1 more needed; couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor default, previously considered podsets requests (200m) + current podset request (5) > maximum capacity (4)")), open(),
			queueing.Refused, queueing.ReasonExceedsQuota, nil,
		},
		"more than ever fits, but not at least": {
			made(noQuota("Pending", "couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor default, previously considered podsets requests (200m) + current podset request (5) > maximum capacity (3200m)")), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota, nil,
		},
		"at least more than ever fits": {
			made(noQuota("Pending", "couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor default, previously considered podsets requests (200m) + current podset request (5) > maximum capacity (3)")), open(),
			queueing.Refused, queueing.ReasonExceedsQuota, nil,
		},
		"too few nodes in the topology": {
			made(noQuota("Pending", `couldn't assign flavors to pod set executor: topology "racks" allows to fit only 2 out of 5 pod(s). Total nodes: 9; excluded: resource "cpu": 4, taint "spot=true:NoSchedule": 3`)), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota,
			[]string{`topology "racks" doesn't allow to fit all of 5 pod(s). Nodes are excluded by resource "cpu", taint "spot=true:NoSchedule"`},
		},
		"too much in one flavor, too few nodes in another": {
			made(noQuota("Pending", `couldn't assign flavors to pod set executor: insufficient quota for cpu in flavor a, previously considered podsets requests (0) + current podset request (9) > maximum capacity (4), topology "racks" doesn't allow to fit any of 5 pod(s)`)), open(),
			queueing.Waiting, queueing.ReasonWaitingForQuota, []string{"doesn't allow to fit all of 5 pod(s)"},
		},
		"taints": {
			made(noQuota("Pending", "couldn't assign flavors to pod set driver: untolerated taint {spot true NoSchedule} in flavor spot")), open(),
			queueing.Waiting, queueing.ReasonFlavorMismatch, []string{"untolerated taint"},
		},
		"namespace": {
			made(noQuota("Inadmissible", "workload namespace doesn't match ClusterQueue selector")), open(),
			queueing.Waiting, queueing.ReasonNamespaceNotAllowed, []string{"doesn't match ClusterQueue selector"},
		},
		"inadmissible otherwise": {
			made(noQuota("Inadmissible", "resources validation failed: x")), open(), queueing.Waiting, queueing.ReasonWaitingForGate, []string{"resources validation failed"},
		},
		"backs off": {
			made(noQuota("Pending", givenBack+"Exceeded the PodsReady timeout default/pi"), isEvicted("PodsReadyTimeout", "Exceeded the PodsReady timeout default/pi"),
				says(kueuev1.WorkloadRequeued, metav1.ConditionFalse, "PodsReadyTimeout", "Exceeded the PodsReady timeout default/pi"),
				func(w *kueuev1.Workload) { w.Status.RequeueState = &kueuev1.RequeueState{RequeueAt: &noon} }), open(),
			queueing.Waiting, queueing.ReasonWaitingForGate,
			[]string{"does not consider Workload pi-abcde-3-2 before 2026-05-01T12:00:00Z", "has evicted it (PodsReadyTimeout): Exceeded the PodsReady timeout"},
		},
		"fresh again": {
			made(noQuota("Pending", givenBack+"Preempted to accommodate a workload"), isEvicted("Preempted", "Preempted to accommodate a workload"),
				says(kueuev1.WorkloadRequeued, metav1.ConditionTrue, "Preempted", "Preempted to accommodate a workload")), open(),
			queueing.Waiting, queueing.ReasonWaitingForGate, []string{"has not evaluated Workload pi-abcde-3-2"},
		},
		"fresh since the queue admits": {
			made(noQuota("Inadmissible", "ClusterQueue all is inactive")), open(), queueing.Waiting, queueing.ReasonWaitingForGate, []string{"has not evaluated Workload pi-abcde-3-2"},
		},
		"ClusterQueue being deleted": {
			made(noQuota("Inadmissible", "ClusterQueue all is inactive")), open(func(s *surroundings) { s.clusterQueue.DeletionTimestamp = &noon }),
			queueing.Waiting, queueing.ReasonQueueHeld, []string{"ClusterQueue all is being deleted"},
		},
		"other pods come first": {
			made(noQuota("Waiting", "waiting for all admitted workloads to be in PodsReady condition")), open(),
			queueing.Waiting, queueing.ReasonWaitingForGate, []string{"waiting for all admitted workloads"},
		},
		"gated": {
			made(noQuota("AdmissionGated", "Admission is gated by: example.org/budget")), open(), queueing.Waiting, queueing.ReasonWaitingForGate, []string{"gated by: example.org/budget"},
		},
		"fresh since it is no longer gated": {
			made(noQuota("Pending", "AdmissionGatedBy cleared, waiting for quota reservation")), open(),
			queueing.Waiting, queueing.ReasonWaitingForGate, []string{"has not evaluated Workload pi-abcde-3-2"},
		},
		"fresh, which a later version says": {
			made(noQuota("PendingEvaluation", "Workload is pending evaluation in the scheduling queue")), open(),
			queueing.Waiting, queueing.ReasonWaitingForGate, []string{"has not evaluated Workload pi-abcde-3-2"},
		},
		"a reason nobody has heard of": {
			made(noQuota("Tomorrow", "come back tomorrow")), open(), queueing.Waiting, queueing.ReasonWaitingForQuota, []string{"come back tomorrow"},
		},
		"no LocalQueue": {
			made(noQuota("Inadmissible", "LocalQueue team-a doesn't exist")), open(func(s *surroundings) { s.localQueue, s.clusterQueue = nil, nil }),
			queueing.Waiting, queueing.ReasonReferenceNotFound, []string{`LocalQueue "team-a"`, "create it", "namespace default"},
		},
		"no ClusterQueue": {
			made(), open(func(s *surroundings) { s.clusterQueue = nil }), queueing.Waiting, queueing.ReasonReferenceNotFound, []string{`ClusterQueue "all"`, "default/team-a"},
		},
		"LocalQueue stopped": {
			made(), open(func(s *surroundings) { stopped(&s.localQueue.Spec.StopPolicy) }), queueing.Waiting, queueing.ReasonQueueHeld, []string{"LocalQueue default/team-a", "Hold"},
		},
		"ClusterQueue stopped": {
			made(), open(func(s *surroundings) { stopped(&s.clusterQueue.Spec.StopPolicy) }), queueing.Waiting, queueing.ReasonQueueHeld, []string{"ClusterQueue all", "Hold"},
		},
		"ClusterQueue without its flavors": {
			made(), open(func(s *surroundings) {
				s.clusterQueue.Status.Conditions = []metav1.Condition{{Type: "Active", Status: metav1.ConditionFalse, Reason: "FlavorNotFound", Message: "Can't admit new workloads: references missing ResourceFlavor(s): x."}}
			}), queueing.Waiting, queueing.ReasonQueueHeld, []string{"missing ResourceFlavor(s): x"},
		},
		"admission checks": {
			made(hasQuota, func(w *kueuev1.Workload) {
				w.Status.AdmissionChecks = []kueuev1.AdmissionCheckState{
					{Name: "budget", State: kueuev1.CheckStateReady}, {Name: "nodes", State: kueuev1.CheckStatePending, Message: "provisioning"},
				}
			}), open(), queueing.Waiting, queueing.ReasonWaitingForGate, []string{"quota in ClusterQueue all", "nodes is Pending (provisioning)"},
		},
		"admitted": {made(isAdmitted), open(), queueing.Granted, "", nil},
		"admitted to a flavor that is gone": {
			made(isAdmitted), open(func(s *surroundings) { s.flavor = func(string) *kueuev1.ResourceFlavor { return nil } }),
			queueing.Waiting, queueing.ReasonWaitingForGate, []string{"ResourceFlavor on-demand"},
		},
		"deactivated": {
			made(isInactive, isEvicted("Deactivated", "The workload is deactivated")), open(), queueing.Refused, queueing.ReasonQueueHeld,
			[]string{"pi-abcde-3-2 was deactivated", "spec.suspend", "spec.runID"},
		},
		"deactivated after too many starts": {
			made(isInactive, isEvicted("DeactivatedDueToRequeuingLimitExceeded", "The workload is deactivated due to exceeding the maximum number of re-queuing retries")), open(),
			queueing.Refused, queueing.ReasonQueueHeld, []string{"re-queuing retries"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := ask()
			if strings.Contains(name, "at least") {
				asked = ask(atLeast(3))
			}
			v, silent := verdictOf(asked, tt.w, tt.around)
			if silent != strings.HasPrefix(name, "fresh") {
				t.Errorf("Kueue has said nothing: %t", silent)
			}
			if v.State != tt.state || v.Reason != tt.reason || contradicts(v) {
				t.Errorf("%s/%s, want %s/%s (%s)", v.State, v.Reason, tt.state, tt.reason, v.Message)
			}
			for _, part := range tt.says {
				if !strings.Contains(v.Message, part) {
					t.Errorf("message %q does not say %q", v.Message, part)
				}
			}
			if strings.Contains(v.Message, "more needed") || strings.Contains(v.Message, "2 workload") {
				t.Errorf("message %q ticks", v.Message)
			}
			if want := strings.Contains(v.Message, "Pending the preemption"); v.Preempting != want {
				t.Errorf("displacing %t, want %t", v.Preempting, want)
			}
		})
	}
}

func TestGrant(t *testing.T) {
	t.Parallel()
	plain, _ := verdictOf(ask(), made(isAdmitted), open())
	golden.CompareYAML(t, "testdata/grant.yaml", plain.Grant)
	checks := made(isAdmitted, func(w *kueuev1.Workload) {
		w.Status.AdmissionChecks = []kueuev1.AdmissionCheckState{{Name: "nodes", State: kueuev1.CheckStateReady, PodSetUpdates: []kueuev1.PodSetUpdate{{
			Name: "executor", Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"cluster-autoscaler.kubernetes.io/consume-provisioning-request": "x"},
			NodeSelector: map[string]string{"pool": "p1"}, Tolerations: []corev1.Toleration{{Key: "pool", Operator: corev1.TolerationOpExists}},
		}}}}
		w.Status.Admission.PodSetAssignments[1].TopologyAssignment = &kueuev1.TopologyAssignment{Levels: []string{"rack"}}
	})
	checked, _ := verdictOf(ask(), checks, open())
	golden.CompareYAML(t, "testdata/grant-checks-and-topology.yaml", checked.Grant)
	near := ask(func(a *queueing.Ask) {
		a.Objects.Templates["executor"].Annotations = map[string]string{kueuev1.PodSetGroupName: "near"}
	})
	if v, _ := verdictOf(near, checks, open()); v.Grant.PodSets[1].Annotations[kueuev1.PodSetUnconstrainedTopologyAnnotation] != "true" {
		t.Errorf("Kueue does not see that it chooses the nodes of executors that are to be near others: %v", v.Grant.PodSets[1].Annotations)
	}
}

// TestContradictions: a node selector key that the pod has with another value can never be satisfied. The message names
// both values.
func TestContradictions(t *testing.T) {
	t.Parallel()
	updates := func(u kueuev1.PodSetUpdate) *kueuev1.Workload {
		u.Name = "driver"
		return made(isAdmitted, func(w *kueuev1.Workload) {
			w.Status.AdmissionChecks = []kueuev1.AdmissionCheckState{{Name: "c", State: kueuev1.CheckStateReady, PodSetUpdates: []kueuev1.PodSetUpdate{u}}}
		})
	}
	for name, tt := range map[string]struct {
		w    *kueuev1.Workload
		says string
	}{
		"node selector of the template": {updates(kueuev1.PodSetUpdate{NodeSelector: map[string]string{"arch": "amd"}}), "node selector arch=amd on the driver, which has arch=arm"},
		"node selector of the flavor":   {updates(kueuev1.PodSetUpdate{NodeSelector: map[string]string{"class": "spot"}}), "node selector class=spot on the driver, which has class=on-demand"},
		"label":                         {updates(kueuev1.PodSetUpdate{Labels: map[string]string{"spark-role": "x"}}), "label spark-role=x on the driver, which has spark-role=any"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := verdictOf(ask(), tt.w, open())
			if v.State != queueing.Refused || v.Reason != queueing.ReasonFlavorMismatch || !contradicts(v) || !strings.Contains(v.Message, tt.says) {
				t.Errorf("%s/%s, conflict %t, message %q; want a refusal that says %q", v.State, v.Reason, contradicts(v), v.Message, tt.says)
			}
		})
	}
}

func TestEvictions(t *testing.T) {
	t.Parallel()
	deleted := noon
	for name, tt := range map[string]struct {
		w            *kueuev1.Workload
		reason, says string // empty for one that may stay
	}{
		"admitted":           {made(isAdmitted), "", ""},
		"preempted":          {made(isAdmitted, isEvicted("Preempted", "Preempted to accommodate a workload (UID: 1)")), queueing.ReasonPreempted, "(Preempted): Preempted to accommodate"},
		"stopped":            {made(isAdmitted, isEvicted("ClusterQueueStopped", "The ClusterQueue is stopped")), queueing.ReasonQueueHeld, "The ClusterQueue is stopped"},
		"LocalQueue stopped": {made(isAdmitted, isEvicted("LocalQueueStopped", "The LocalQueue is stopped")), queueing.ReasonQueueHeld, "LocalQueue"},
		"too slow":           {made(isAdmitted, isEvicted("PodsReadyTimeout", "Exceeded the PodsReady timeout ns/pi")), queueing.ReasonPreempted, "PodsReadyTimeout"},
		"deactivated":        {made(isAdmitted, isInactive), queueing.ReasonPreempted, "deactivated"},
		"ended by somebody":  {made(isAdmitted, says(kueuev1.WorkloadFinished, metav1.ConditionTrue, "OwnerNotFound", "no owner")), queueing.ReasonPreempted, "finished by a user or another controller: no owner"},
		"deleted":            {made(isAdmitted, func(w *kueuev1.Workload) { w.DeletionTimestamp = &deleted }), queueing.ReasonPreempted, "being deleted"},
		"gone":               {nil, queueing.ReasonPreempted, "deleted by a user or another controller"},
		"without its quota":  {made(noQuota("Pending", "x")), queueing.ReasonPreempted, "lost its quota"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := evictionOf(tt.w)
			if tt.reason == "" {
				if e != nil {
					t.Errorf("evicted: %+v", e)
				}
				return
			}
			if e == nil || e.Reason != tt.reason || !strings.Contains(e.Message, tt.says) {
				t.Errorf("eviction %+v, want %s that says %q", e, tt.reason, tt.says)
			}
		})
	}
}
