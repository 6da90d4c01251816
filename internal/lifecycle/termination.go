// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sparkgate/sparkgate/internal/pods"
)

// termination ends pods, and sees to those that do not end.
type termination struct {
	*state
	*draft
	deadlines deadlines
}

// deleteOrphanedPods deletes pods that no attempt of the application should have any longer: from a create that was
// answered late, or by an operator that had lost its lease. Those that are being deleted already end in time.
func (tm termination) deleteOrphanedPods() {
	for _, r := range tm.o.Pods {
		if r.Active() && (!tm.current(r) || r.Deleting) {
			tm.deletePod(r)
		}
	}
}

// deletePod deletes a pod, unless it is being deleted and ends in time: another actor may have given it a longer grace
// period.
func (tm termination) deletePod(r *pods.Record) {
	if !r.Deleting || r.EndsLate(tm.o.MaxTermination) {
		tm.after(Action{Kind: DeletePod, Pod: r})
	}
}

// overdue reports whether pods should have ended by now.
func (tm termination) overdue() bool { return !tm.o.Now.Before(tm.deadlines.podsGone()) }

// nodesNeeded reports whether the next step depends on whether the nodes of overdue pods answer.
func (tm termination) nodesNeeded() bool {
	return tm.overdue() && tm.o.UnreachableNodes == nil && len(tm.activePods()) > 0
}

// endPods deletes all active pods, and forces those that are overdue on nodes that answer. Executors follow their driver: as long as it runs
// it replaces those that are deleted, and both would use more than was granted.
func (tm termination) endPods() {
	late := tm.overdue()
	for _, r := range tm.activePods() {
		switch {
		case !late && !r.Deleting && r.Role == pods.Executor && tm.driverMayRun():
			continue
		case r.Deleting && late && !tm.o.UnreachableNodes[r.Node]:
			tm.after(Action{Kind: DeletePod, Pod: r, Force: true})
		case !r.Deleting && tm.sidecarsMayRun(r):
			tm.requeue(tm.s.Times.Stopping.Add(sidecarGrace))
		default:
			tm.deletePod(r)
		}
	}
	if late {
		tm.requeue(tm.o.Now.Add(referenceInterval))
	} else {
		tm.requeue(tm.deadlines.podsGone())
	}
}

// driverMayRun reports whether the driver has a container of Spark that has not ended.
func (tm termination) driverMayRun() bool {
	driver := tm.driver()
	return driver != nil && driver.Active() && driver.Ended == nil
}

// sidecarsMayRun reports whether the driver ended and only its other containers still run, within their grace period.
func (tm termination) sidecarsMayRun(r *pods.Record) bool {
	return r.Role == pods.Driver && r.Ended != nil && tm.s.Stopping == "" && tm.o.App.DeletionTimestamp.IsZero() &&
		tm.s.Times.Stopping != nil && tm.o.Now.Before(tm.s.Times.Stopping.Add(sidecarGrace))
}

// nodeLost explains overdue pods on nodes that do not answer; empty if there are none.
func (tm termination) nodeLost() string {
	var lost []string
	for _, r := range tm.activePods() {
		if r.Deleting && tm.o.UnreachableNodes[r.Node] {
			lost = append(lost, fmt.Sprintf("pod %s on node %s", r.Name, r.Node))
		}
	}
	if len(lost) == 0 {
		return ""
	}
	sort.Strings(lost)
	return strings.Join(lost, ", ") + " cannot be ended because the node does not answer; if it is really down, taint it " +
		"node.kubernetes.io/out-of-service=nodeshutdown:NoExecute, or delete the pods with --force"
}

// driverInDoubt reports whether pods may exist that the watch has not shown yet: the driver of the attempt is not in
// view. The watch may be older than the status, which another operator may have written.
func (tm termination) driverInDoubt() bool {
	if driver := tm.driver(); driver != nil {
		tm.s.Driver.UID = driver.UID
		return false
	}
	return tm.s.Driver != nil && !tm.o.DriverAbsent
}
