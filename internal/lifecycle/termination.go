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

// termination ends pods, and forces the end of those that do not end in time.
type termination struct {
	*state
	*draft
	deadlines deadlines
}

// deleteOrphanedPods deletes pods that should not exist while the application waits or its attempt runs: pods of other
// attempts, from a create that took effect late or by an operator that had lost its lease, and pods which are being
// deleted with too long a grace period.
func (tm termination) deleteOrphanedPods() {
	for _, r := range tm.o.Pods {
		if r.Active() && (!tm.current(r) || r.Deleting) {
			tm.deletePod(r)
		}
	}
}

// deletePod deletes a pod, unless it is being deleted already and ends within MaxTermination. Another actor may have
// deleted it with a longer grace period.
func (tm termination) deletePod(r *pods.Record) {
	if !r.Deleting || r.EndsLate(tm.o.MaxTermination) {
		tm.after(Action{Kind: DeletePod, Pod: r})
	}
}

// overdue reports whether the deadline for the pods to be gone has passed.
func (tm termination) overdue() bool { return !tm.o.Now.Before(tm.deadlines.podsGone()) }

// awaited returns the active pods whose end the attempt has to wait for. Once no driver is left that could create
// executors, pods that were created after the deadline do not count: users who may create pods could otherwise give
// them the labels of the application, again and again, and make it keep its quota.
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

// driverDue returns when a driver that another client deletes should have ended; zero if there is none. That client is
// the control plane if the driver's node does not answer.
func (tm termination) driverDue() time.Time {
	driver := tm.driver()
	if driver == nil || !driver.Deleting || !driver.Active() {
		return time.Time{}
	}
	return time.Unix(int64(driver.EndsAt), 0).Add(tm.deadlines.termination())
}

// driverOverdue reports whether the time at which such a driver should have ended has passed.
func (tm termination) driverOverdue() bool {
	due := tm.driverDue()
	return !due.IsZero() && !tm.o.Now.Before(due)
}

// endTerminatingDriver handles a driver that is being deleted while its attempt is under way. When it is overdue, it is
// deleted without a grace period if its node answers. If the node does not answer, the driver may stay for long, and
// the status says so. It returns what has to be observed first.
func (tm termination) endTerminatingDriver() Need {
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

// endPods ends all active pods, and forces the end of overdue ones on nodes that answer.
func (tm termination) endPods() {
	late := tm.overdue()
	for _, r := range tm.activePods() {
		if late {
			tm.endOverdue(r)
		} else {
			tm.endPod(r)
		}
	}
	// The watch reports when pods are gone, but not when a node begins or ceases to answer.
	if late {
		tm.requeue(tm.o.Now.Add(lookAgainAfter(tm.o.Now.Sub(tm.deadlines.podsGone()) / 5)))
	} else {
		tm.requeue(tm.deadlines.podsGone())
	}
	if tm.o.StrayDriver {
		tm.requeue(tm.o.Now.Add(strayInterval))
	}
}

// endPod ends a pod that is not overdue. Executors are left to their driver while it runs: it would replace those that
// are deleted, and old and new ones together would use more than was granted.
func (tm termination) endPod(r *pods.Record) {
	switch {
	case !r.Deleting && r.Role == pods.Executor && tm.driverMayRun():
	case !r.Deleting && tm.onlySidecars(r):
		tm.endSidecars(r)
	default:
		tm.deletePod(r)
	}
}

// endOverdue ends a pod that should have ended by now: without a grace period if it is being deleted and its node
// answers.
func (tm termination) endOverdue(r *pods.Record) {
	if r.Deleting && !tm.o.UnreachableNodes[r.Node] {
		tm.after(Action{Kind: DeletePod, Pod: r, Force: true})
		return
	}
	tm.deletePod(r)
}

// driverMayRun reports whether the Spark container of the driver may still run.
func (tm termination) driverMayRun() bool {
	driver := tm.driver()
	return driver != nil && driver.Active() && driver.Ended == nil
}

// onlySidecars reports whether a pod is that of a driver which has ended on its own, so that only its other containers
// still run.
func (tm termination) onlySidecars(r *pods.Record) bool {
	return r.Role == pods.Driver && r.Ended != nil && tm.current(r) && tm.s.Stopping == "" && tm.s.Times.Stopping != nil &&
		tm.o.App.DeletionTimestamp.IsZero()
}

// endSidecars ends the other containers of a driver's pod when their grace period is over. The pod and its log stay as
// long as spec.retention says. If the kubelet does not end the containers in time, the pod is deleted after all.
func (tm termination) endSidecars(r *pods.Record) {
	due := tm.sidecarsEnd()
	switch {
	case tm.o.Now.Before(due):
		tm.requeue(due)
	case !r.EndsContainers:
		tm.after(Action{Kind: EndContainers, Pod: r})
	}
}

// sidecarsOverdue reports whether the grace period of the other containers in the driver's pod is over.
func (tm termination) sidecarsOverdue() bool {
	driver := tm.driver()
	return driver != nil && driver.Active() && tm.onlySidecars(driver) && !tm.o.Now.Before(tm.sidecarsEnd())
}

// sidecarsEnd returns when the other containers of a driver's pod are ended: early enough that they can end before the
// pod would have to be deleted.
func (tm termination) sidecarsEnd() time.Time {
	return tm.s.Times.Stopping.Add(min(sidecarGrace, tm.deadlines.termination()/2))
}

// nodeLost returns a message about overdue pods on nodes that do not answer; empty if there are none.
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

// driverMayBeUnobserved reports whether a driver may exist that the watch has not shown yet, because the watch can be
// older than the status, which another operator may have written.
func (tm termination) driverMayBeUnobserved() bool {
	return tm.s.Driver != nil && !tm.o.DriverAbsent && tm.driver() == nil
}

// executorsMayBeReplaced reports whether executors are about to be deleted although a driver that the watch does not
// show could replace them.
func (tm termination) executorsMayBeReplaced() bool {
	return tm.driverMayBeUnobserved() && slices.ContainsFunc(tm.activePods(), func(r *pods.Record) bool {
		return r.Role == pods.Executor && !r.Deleting && tm.current(r)
	})
}

// recordDriver writes the uid of the driver that the watch shows, if there is one, into the status.
func (tm termination) recordDriver() {
	if driver := tm.driver(); driver != nil {
		tm.s.Driver.UID = driver.UID
	}
}
