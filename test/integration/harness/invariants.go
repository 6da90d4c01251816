// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// moment has the objects that exist at one moment of a history.
type moment struct {
	t           *testing.T
	limit       int64
	lateDrivers bool
	replaced    bool
	apps        map[types.UID]*v1alpha1.SparkApplication
	pods        map[types.UID]*corev1.Pod
	// reported are the problems that were reported already.
	reported map[string]bool
}

// sawApplication adds a version of an application.
func (m *moment) sawApplication(e event) {
	m.t.Helper()
	before := m.apps[e.app.UID]
	if e.kind == watch.Deleted {
		delete(m.apps, e.app.UID)
		return
	}
	m.apps[e.app.UID] = e.app
	for _, problem := range CheckConformance(e.app) {
		if text := e.app.Name + ": " + problem; !m.reported[text] && (!m.replaced || problem != withoutFinalizer) {
			// Report each problem only once.
			m.reported[text] = true
			m.t.Errorf("%s at version %s: %s", text, e.app.ResourceVersion, Show(e.app))
		}
	}
	if before != nil && isBack(before, e.app) {
		m.t.Errorf("%s went back within attempt %d/%d: from %s to %s", e.app.Name, e.app.Status.Run, e.app.Status.Attempt, Stage(before), Stage(e.app))
	}
	m.withinLimit()
}

// rank orders the stages of an attempt; stages that come and go have none.
var rank = map[string]int{"Queued": 1, "Submitting": 2, "Starting": 3, "Running": 4, "Finalizing": 5, "Succeeded": 6, "Failed": 6, "DriverStartTimeout": 6,
	"AdmissionTimeout": 6, "DeadlineExceeded": 6, "TotalDeadlineExceeded": 6}

// isBack reports whether an attempt is in an earlier stage than before, or the counters went down.
func isBack(before, after *v1alpha1.SparkApplication) bool {
	b, a := &before.Status, &after.Status
	switch {
	case a.Run != b.Run:
		return a.Run < b.Run
	case a.Attempt != b.Attempt:
		return a.Attempt < b.Attempt
	}
	from, to := rank[Stage(before)], rank[Stage(after)]
	return from > 0 && to > 0 && to < from
}

// sawPod adds a version of a pod.
func (m *moment) sawPod(e event) {
	m.t.Helper()
	if e.pod.Labels[v1alpha1.ApplicationUIDLabel] == "" {
		return
	}
	if e.kind == watch.Deleted {
		delete(m.pods, e.pod.UID)
		return
	}
	_, known := m.pods[e.pod.UID]
	m.pods[e.pod.UID] = e.pod
	if !known && !m.lateDrivers && e.pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver {
		m.newDriver(e.pod)
	}
	m.withinLimit()
}

// newDriver checks that a driver has a grant from its first moment, and is the only driver.
func (m *moment) newDriver(pod *corev1.Pod) {
	m.t.Helper()
	app := m.apps[types.UID(pod.Labels[v1alpha1.ApplicationUIDLabel])]
	if app == nil {
		m.t.Errorf("driver %s was made for an application that does not exist", pod.Name)
		return
	}
	g := app.Status.Grant
	if g == nil || strconv.FormatInt(g.Run, 10) != pod.Labels[v1alpha1.RunLabel] || strconv.FormatInt(g.Attempt, 10) != pod.Labels[v1alpha1.AttemptLabel] {
		m.t.Errorf("driver %s was made without a grant: %s", pod.Name, Show(app))
	}
	for uid, other := range m.pods {
		if uid != pod.UID && isActive(other) && other.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleDriver &&
			other.Labels[v1alpha1.ApplicationUIDLabel] == pod.Labels[v1alpha1.ApplicationUIDLabel] {
			m.t.Errorf("driver %s was made while driver %s is alive", pod.Name, other.Name)
		}
	}
}

func isActive(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed && (pod.Spec.NodeName != "" || pod.DeletionTimestamp == nil)
}

// withinLimit checks that neither pods nor grants hold more than the limit.
func (m *moment) withinLimit() {
	m.t.Helper()
	m.checkUngated()
	if m.limit == 0 {
		return
	}
	for what, held := range map[string]int64{"pods": m.podMemory(), "grants": m.grantedMemory()} {
		if held > m.limit && !m.reported[what] {
			m.reported[what] = true
			m.t.Errorf("%s hold %d bytes of memory, the queue has %d", what, held, m.limit)
		}
	}
}

func (m *moment) podMemory() int64 {
	var sum int64
	for _, pod := range m.pods {
		for i := range pod.Spec.Containers {
			if isActive(pod) && !isGated(pod) {
				sum += pod.Spec.Containers[i].Resources.Requests.Memory().Value()
			}
		}
	}
	return sum
}

// runs reports whether an application has active pods.
func (m *moment) runs(app *v1alpha1.SparkApplication) bool {
	for _, pod := range m.pods {
		if pod.Labels[v1alpha1.ApplicationUIDLabel] == string(app.UID) && isActive(pod) {
			return true
		}
	}
	return false
}

// NoNode is the name of a node that does not exist, so that no pod runs on it.
const NoNode = "nowhere"

// isGated reports whether a pod waits for quota and does not hold any yet.
func isGated(pod *corev1.Pod) bool {
	return slices.Contains(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
}

// checkUngated checks that no more executors have lost their scheduling gates than the grant of their attempt has.
func (m *moment) checkUngated() {
	m.t.Helper()
	inside := map[types.UID]int32{}
	for _, pod := range m.pods {
		app := m.apps[types.UID(pod.Labels[v1alpha1.ApplicationUIDLabel])]
		hasPassed := pod.Labels[v1alpha1.SparkRoleLabel] == v1alpha1.SparkRoleExecutor && isActive(pod) && !isGated(pod) && pod.Spec.NodeName != NoNode
		if app != nil && app.Status.Grant != nil && app.Status.Grant.Gated && hasPassed {
			inside[app.UID]++
		}
	}
	for uid, count := range inside {
		app := m.apps[uid]
		granted := grantedExecutors(app.Status.Grant)
		if text := app.Name + " executors"; count > granted && !m.reported[text] {
			m.reported[text] = true
			m.t.Errorf("%d executors of %s have passed their gates, %d are granted: %s", count, app.Name, granted, Show(app))
		}
	}
}

func grantedExecutors(g *v1alpha1.Grant) int32 {
	var count int32
	for _, p := range g.PodSets {
		if p.Name == v1alpha1.ExecutorPodSet {
			count += p.Count
		}
	}
	return count
}

// grantedMemory returns the memory that grants hold. The grant of an application that is being deleted and has no pods
// left is released before its finalizer is removed, so another one may hold that memory before the object is gone.
func (m *moment) grantedMemory() int64 {
	var sum int64
	for _, app := range m.apps {
		if g := app.Status.Grant; g != nil && (app.DeletionTimestamp.IsZero() || m.runs(app)) {
			for _, p := range g.PodSets {
				memory := p.Requests[corev1.ResourceMemory]
				sum += int64(p.Count) * memory.Value()
			}
		}
	}
	return sum
}
