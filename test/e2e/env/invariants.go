// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// rank orders the stages of one attempt. Other stages (suspended, a spec that cannot run) may come at any time.
var rank = map[string]int{
	v1alpha1.ReferenceNotFoundReason: 1, v1alpha1.ExceedsQuotaReason: 1, v1alpha1.QueuedReason: 1,
	v1alpha1.SubmittingReason: 2,
	v1alpha1.StartingReason:   3,
	v1alpha1.RunningReason:    4,
	v1alpha1.FinalizingReason: 5,
	v1alpha1.SucceededReason:  6, v1alpha1.FailedReason: 6, v1alpha1.DriverStartTimeoutReason: 6,
	v1alpha1.AdmissionTimeoutReason: 6, v1alpha1.DeadlineExceededReason: 6, v1alpha1.TotalDeadlineExceededReason: 6,
}

// Stages returns the stages of one attempt of an application in order, without repetitions.
func (s *Namespace) Stages(name string, attempt Attempt) []string {
	var stages []string
	for _, app := range s.Versions(name) {
		stage := StageOf(app)
		if stage == "" || (Attempt{app.Status.Run, app.Status.Attempt}) != attempt {
			continue
		}
		if len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
	}
	return stages
}

// checkInvariants checks the invariants of all applications in all recorded versions.
func (s *Namespace) checkInvariants() {
	if _, broken := s.history.next(); broken != nil {
		s.t.Errorf("the record broke off: %v", broken)
	}
	// attempts has the last stage of each attempt.
	attempts := map[types.UID]map[Attempt]string{}
	for _, app := range s.Versions("") {
		if attempts[app.UID] == nil {
			attempts[app.UID] = map[Attempt]string{}
		}
		s.checkOrder(app, attempts[app.UID])
		s.checkConditions(app)
		s.checkOwnership(app)
	}
	s.checkDrivers()
}

// checkOrder checks that the stages of an attempt never go back.
func (s *Namespace) checkOrder(app *v1alpha1.SparkApplication, last map[Attempt]string) {
	attempt, stage := Attempt{app.Status.Run, app.Status.Attempt}, StageOf(app)
	if rank[stage] == 0 {
		return
	}
	if rank[stage] < rank[last[attempt]] {
		s.t.Errorf("%s went back from %s to %s in run %d, attempt %d", app.Name, last[attempt], stage, attempt.Run, attempt.Attempt)
	}
	last[attempt] = stage
}

// checkConditions checks the conventions of Flux and kstatus in every version that a client could have read.
func (s *Namespace) checkConditions(app *v1alpha1.SparkApplication) {
	ready := Condition(app, v1alpha1.ReadyCondition)
	reconciling := Condition(app, v1alpha1.ReconcilingCondition).Status == metav1.ConditionTrue
	stalled := Condition(app, v1alpha1.StalledCondition)
	isStalled := stalled.Status == metav1.ConditionTrue
	switch {
	case ready.Status == "":
	case reconciling && isStalled:
		s.t.Errorf("%s is both Reconciling and Stalled in stage %s", app.Name, ready.Reason)
	case isStalled && (ready.Status != metav1.ConditionFalse || ready.Reason != stalled.Reason):
		s.t.Errorf("%s is Stalled/%s while Ready is %s/%s", app.Name, stalled.Reason, ready.Status, ready.Reason)
	case ready.Status == metav1.ConditionUnknown && !reconciling:
		s.t.Errorf("%s has Ready Unknown/%s and is not Reconciling", app.Name, ready.Reason)
	}
}

// checkOwnership checks that the operator owns status and finalizers, and no field that the user wrote.
func (s *Namespace) checkOwnership(app *v1alpha1.SparkApplication) {
	for _, entry := range app.ManagedFields {
		if entry.Manager != v1alpha1.FieldOwner || entry.FieldsV1 == nil {
			continue
		}
		fields := entry.FieldsV1.GetRawString()
		for _, foreign := range []string{`"f:spec"`, `"f:labels"`, `"f:annotations"`, `"f:ownerReferences"`} {
			if strings.Contains(fields, foreign) {
				s.t.Errorf("the operator owns %s of %s: %s", foreign, app.Name, fields)
			}
		}
	}
}

// checkDrivers checks that an attempt never has more than one driver.
func (s *Namespace) checkDrivers() {
	drivers := map[string]map[types.UID]bool{}
	for _, e := range eventsOf(s.history, &s.history.pods, "") {
		labels := e.Object.Labels
		if labels[v1alpha1.SparkRoleLabel] != v1alpha1.SparkRoleDriver || labels[v1alpha1.ApplicationUIDLabel] == "" {
			continue
		}
		key := fmt.Sprintf("%s, uid %s, run %s, attempt %s", labels[v1alpha1.ApplicationLabel], labels[v1alpha1.ApplicationUIDLabel],
			labels[v1alpha1.RunLabel], labels[v1alpha1.AttemptLabel])
		if drivers[key] == nil {
			drivers[key] = map[types.UID]bool{}
		}
		drivers[key][e.Object.UID] = true
	}
	for key, uids := range drivers {
		if len(uids) > 1 {
			s.t.Errorf("%d drivers were made for %s", len(uids), key)
		}
	}
}

// Peak is the most that the pods of the namespace requested at any moment, in thousandths of a core and in bytes, and
// the largest number of drivers at once. A pod counts from its creation, or from when its scheduling gate was removed,
// until it has ended or is gone.
type Peak struct{ CPU, Memory, Drivers int64 }

// Peak returns the peak of everything recorded so far. Each field has its own maximum.
func (s *Namespace) Peak() Peak {
	var peak, now Peak
	counted := map[types.UID]Peak{}
	for _, e := range eventsOf(s.history, &s.history.pods, "") {
		before := counted[e.Object.UID]
		var after Peak
		if active(e.Object) && !e.Gone && !waitsForQuota(e.Object) {
			after = requestsOf(e.Object)
		}
		counted[e.Object.UID] = after
		now.CPU += after.CPU - before.CPU
		now.Memory += after.Memory - before.Memory
		now.Drivers += after.Drivers - before.Drivers
		peak = Peak{max(peak.CPU, now.CPU), max(peak.Memory, now.Memory), max(peak.Drivers, now.Drivers)}
	}
	return peak
}

// waitsForQuota reports whether a pod is behind the scheduling gate, so that it does not hold quota yet.
func waitsForQuota(pod *corev1.Pod) bool {
	return slices.Contains(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
}

func requestsOf(pod *corev1.Pod) Peak {
	var r Peak
	for i := range pod.Spec.Containers {
		requests := pod.Spec.Containers[i].Resources.Requests
		r.CPU += requests.Cpu().MilliValue()
		r.Memory += requests.Memory().Value()
	}
	if pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver {
		r.Drivers = 1
	}
	return r
}
