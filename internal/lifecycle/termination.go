// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/pods"
)

// termination ends pods, and forces those that do not end in time.
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

// awaited returns the pods that the end of the attempt waits for: the active ones, without those that were created after
// all should have gone, once no driver is left that could have created them. Who may create pods may give them the labels
// of an application, again and again, and it would keep its quota for as long.
func (tm termination) awaited() []*pods.Record {
	active, due := tm.activePods(), tm.deadlines.podsGone()
	if tm.driverMayRun() {
		return active
	}
	return slices.DeleteFunc(active, func(r *pods.Record) bool { return r.CreatedAfter(due) })
}

// nodesNeeded reports whether the next step depends on whether the nodes of overdue pods answer.
func (tm termination) nodesNeeded() bool {
	return tm.overdue() && tm.o.UnreachableNodes == nil && len(tm.activePods()) > 0
}

// driverDue returns when a driver that another client has deleted (the control plane, if the node does not answer) should
// have ended; zero if there is none.
func (tm termination) driverDue() time.Time {
	driver := tm.driver()
	if driver == nil || !driver.Deleting || !driver.Active() {
		return time.Time{}
	}
	return time.Unix(int64(driver.EndsAt), 0).Add(tm.deadlines.termination())
}

// driverOverdue reports whether the driver should have ended because another client deletes it.
func (tm termination) driverOverdue() bool {
	due := tm.driverDue()
	return !due.IsZero() && !tm.o.Now.Before(due)
}

// leavingDriver follows a driver that is being deleted while its attempt is under way. Once it is overdue, it is deleted
// without grace if its node answers; else it may stay for long, and the status says so. It returns what has to be read
// first.
func (tm termination) leavingDriver() Need {
	due := tm.driverDue()
	switch {
	case due.IsZero():
	case tm.o.Now.Before(due):
		tm.requeue(due)
	case tm.o.UnreachableNodes == nil:
		return NeedNodes
	default:
		tm.endOverdue(tm.driver())
		tm.requeue(tm.o.Now.Add(lookAgainAfter(tm.o.Now.Sub(due) / 5)))
	}
	return NeedNothing
}

// endPods ends all active pods, and forces those that are overdue on nodes that answer.
func (tm termination) endPods() {
	late := tm.overdue()
	for _, r := range tm.activePods() {
		if late {
			tm.endOverdue(r)
		} else {
			tm.endPod(r)
		}
	}
	if late { // the watch shows when the pods go, but not whether their nodes answer
		tm.requeue(tm.o.Now.Add(lookAgainAfter(tm.o.Now.Sub(tm.deadlines.podsGone()) / 5)))
	} else {
		tm.requeue(tm.deadlines.podsGone())
	}
	if tm.o.StrayDriver {
		tm.requeue(tm.o.Now.Add(strayInterval))
	}
}

// endPod ends a pod that has time left. Executors follow their driver: as long as it runs it replaces those that are
// deleted, and both would use more than was granted.
func (tm termination) endPod(r *pods.Record) {
	switch {
	case !r.Deleting && r.Role == pods.Executor && tm.driverMayRun():
	case !r.Deleting && tm.onlySidecars(r):
		tm.endSidecars(r)
	default:
		tm.deletePod(r)
	}
}

// endOverdue ends a pod that should have ended by now.
func (tm termination) endOverdue(r *pods.Record) {
	if r.Deleting && !tm.o.UnreachableNodes[r.Node] {
		tm.after(Action{Kind: DeletePod, Pod: r, Force: true})
		return
	}
	tm.deletePod(r)
}

// driverMayRun reports whether the driver has a container of Spark that has not ended.
func (tm termination) driverMayRun() bool {
	driver := tm.driver()
	return driver != nil && driver.Active() && driver.Ended == nil
}

// onlySidecars reports whether the driver has ended on its own and only other containers of its pod still run.
func (tm termination) onlySidecars(r *pods.Record) bool {
	return r.Role == pods.Driver && r.Ended != nil && tm.current(r) && tm.s.Stopping == "" && tm.s.Times.Stopping != nil &&
		tm.o.App.DeletionTimestamp.IsZero()
}

// endSidecars ends the other containers of a driver's pod once their grace period is over. The pod stays, with its log,
// as long as spec.retention says; if the kubelet does not end them in time, it is deleted after all.
func (tm termination) endSidecars(r *pods.Record) {
	due := tm.sidecarsEnd()
	switch {
	case tm.o.Now.Before(due):
		tm.requeue(due)
	case !r.EndsContainers:
		tm.after(Action{Kind: EndContainers, Pod: r})
	}
}

// sidecarsOverdue reports whether other containers of a driver's pod run for longer than they may after its end.
func (tm termination) sidecarsOverdue() bool {
	driver := tm.driver()
	return driver != nil && driver.Active() && tm.onlySidecars(driver) && !tm.o.Now.Before(tm.sidecarsEnd())
}

// sidecarsEnd returns when other containers of a driver's pod are ended: in time for them to end before the pod would be
// deleted.
func (tm termination) sidecarsEnd() time.Time {
	return tm.s.Times.Stopping.Add(min(sidecarGrace, tm.deadlines.termination()/2))
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

// driverMayHide reports whether executors are about to be ended although a driver that the watch does not show might replace
// them.
func (tm termination) driverMayHide() bool {
	return tm.s.Driver != nil && !tm.o.DriverAbsent && tm.driver() == nil && slices.ContainsFunc(tm.activePods(), func(r *pods.Record) bool {
		return r.Role == pods.Executor && !r.Deleting && tm.current(r)
	})
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
