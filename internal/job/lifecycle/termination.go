// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// deleteOrphanedPods deletes pods that should not exist while the application waits or its attempt runs: pods of other
// attempts, from a create that took effect late or by an operator that had lost its lease, and pods which are being
// deleted with too long a grace period.
func deleteOrphanedPods(st *state) {
	for _, r := range st.o.Pods {
		if r.Active() && (!st.current(r) || r.Deleting) {
			deletePod(st, r)
		}
	}
}

// deletePod deletes a pod, unless it is being deleted already and ends within MaxTermination. Another actor may have
// deleted it with a longer grace period.
func deletePod(st *state, r *pods.Record) {
	if !r.Deleting || r.EndsLate(st.o.MaxTermination) {
		st.after(Action{Kind: DeletePod, Pod: r})
	}
}

// podsOverdue reports whether the deadline for the pods to be gone has passed.
func podsOverdue(st *state) bool { return !st.o.Now.Before(podsGoneBy(st)) }

// awaitedPods returns the active pods whose end the attempt has to wait for. Once no driver is left that could create
// executors, pods that were created after the deadline do not count: users who may create pods could otherwise give
// them the labels of the application, again and again, and make it keep its quota.
func awaitedPods(st *state) []*pods.Record {
	active, due := st.activePods(), podsGoneBy(st)
	if driverMayRun(st) {
		return active
	}
	return slices.DeleteFunc(active, func(r *pods.Record) bool { return r.CreatedAfter(due) })
}

// nodesNeeded reports whether the next step depends on whether the nodes of overdue pods answer.
func nodesNeeded(st *state) bool {
	return podsOverdue(st) && st.o.UnreachableNodes == nil && len(st.activePods()) > 0
}

// driverEndDue returns when a driver that another client deletes should have ended; zero if there is none. That client
// is the control plane if the driver's node does not answer.
func driverEndDue(st *state) time.Time {
	driver := st.driver()
	if driver == nil || !driver.Deleting || !driver.Active() {
		return time.Time{}
	}
	return time.Unix(int64(driver.EndsAt), 0).Add(terminationTimeout(st))
}

// driverEndOverdue reports whether the time at which such a driver should have ended has passed.
func driverEndOverdue(st *state) bool {
	due := driverEndDue(st)
	return !due.IsZero() && !st.o.Now.Before(due)
}

// endTerminatingDriver handles a driver that is being deleted while its attempt is under way. When it is overdue, it is
// deleted without a grace period if its node answers. If the node does not answer, the driver may stay for long, and
// the status says so. It returns what has to be observed first.
func endTerminatingDriver(st *state) Need {
	due := driverEndDue(st)
	switch {
	case due.IsZero():
	case st.o.Now.Before(due):
		st.requeue(due)
	case st.o.UnreachableNodes == nil:
		return NeedNodes
	default:
		endOverduePod(st, st.driver())
		st.requeue(st.o.Now.Add(lookAgainAfter(st.o.Now.Sub(due) / 5)))
	}
	return NeedNothing
}

// endPods ends all active pods, and forces the end of overdue ones on nodes that answer.
func endPods(st *state) {
	late := podsOverdue(st)
	for _, r := range st.activePods() {
		if late {
			endOverduePod(st, r)
		} else {
			endPod(st, r)
		}
	}
	// The watch reports when pods are gone, but not when a node begins or ceases to answer.
	if late {
		st.requeue(st.o.Now.Add(lookAgainAfter(st.o.Now.Sub(podsGoneBy(st)) / 5)))
	} else {
		st.requeue(podsGoneBy(st))
	}
	if st.o.StrayDriver {
		st.requeue(st.o.Now.Add(strayInterval))
	}
}

// endPod ends a pod that is not overdue. Executors are left to their driver while it runs: it would replace those that
// are deleted, and old and new ones together would use more than was granted.
func endPod(st *state, r *pods.Record) {
	switch {
	case !r.Deleting && r.Role == pods.Executor && driverMayRun(st):
	case !r.Deleting && onlySidecars(st, r):
		endSidecars(st, r)
	default:
		deletePod(st, r)
	}
}

// endOverduePod ends a pod that should have ended by now: without a grace period if it is being deleted and its node
// answers.
func endOverduePod(st *state, r *pods.Record) {
	if r.Deleting && !st.o.UnreachableNodes[r.Node] {
		st.after(Action{Kind: DeletePod, Pod: r, Force: true})
		return
	}
	deletePod(st, r)
}

// driverMayRun reports whether the Spark container of the driver may still run.
func driverMayRun(st *state) bool {
	driver := st.driver()
	return driver != nil && driver.Active() && driver.Ended == nil
}

// onlySidecars reports whether a pod is that of a driver which has ended on its own, so that only its other containers
// still run.
func onlySidecars(st *state, r *pods.Record) bool {
	return r.Role == pods.Driver && r.Ended != nil && st.current(r) && st.s.Stopping == "" && st.s.Times.Stopping != nil &&
		st.o.App.DeletionTimestamp.IsZero()
}

// endSidecars ends the other containers of a driver's pod when their grace period is over. The pod and its log stay as
// long as spec.retention says. If the kubelet does not end the containers in time, the pod is deleted after all.
func endSidecars(st *state, r *pods.Record) {
	due := sidecarsEndBy(st)
	switch {
	case st.o.Now.Before(due):
		st.requeue(due)
	case !r.EndsContainers:
		st.after(Action{Kind: EndContainers, Pod: r})
	}
}

// sidecarsOverdue reports whether the grace period of the other containers in the driver's pod is over.
func sidecarsOverdue(st *state) bool {
	driver := st.driver()
	return driver != nil && driver.Active() && onlySidecars(st, driver) && !st.o.Now.Before(sidecarsEndBy(st))
}

// sidecarsEndBy returns when the other containers of a driver's pod are ended: early enough that they can end before
// the pod would have to be deleted.
func sidecarsEndBy(st *state) time.Time {
	return st.s.Times.Stopping.Add(min(sidecarGrace, terminationTimeout(st)/2))
}

// nodeLostMessage returns a message about overdue pods on nodes that do not answer; empty if there are none.
func nodeLostMessage(st *state) string {
	var lost []string
	for _, r := range st.activePods() {
		if r.Deleting && st.o.UnreachableNodes[r.Node] {
			lost = append(lost, fmt.Sprintf("pod %s on node %s", r.Name, r.Node))
		}
	}
	if len(lost) == 0 {
		return ""
	}
	sort.Strings(lost)
	return strings.Join(lost, ", ") + " cannot be ended because the node does not answer; if it is really down, " + freeNode
}

// freeNode is what an administrator can do about a node that is down.
const freeNode = "taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute, or delete the pods with --force"

// silentNode says that the node of a pod does not answer, as Kubernetes reports after less than a minute; empty if it
// does.
func silentNode(r *pods.Record) string {
	if r == nil || r.SilentSince == 0 || !r.Active() {
		return ""
	}
	since := time.Unix(int64(r.SilentSince), 0).UTC()
	return fmt.Sprintf("node %s has not answered since %s, and pod %s may still run there", r.Node, since.Format(time.RFC3339), r.Name)
}

// podsInWords names pods that have to end, and their nodes: two of them, and how many others there are.
func podsInWords(all []*pods.Record) string {
	names := make([]string, 0, len(all))
	for _, r := range all {
		name := r.Name
		if r.Node != "" {
			name += " (node " + r.Node + ")"
		}
		names = append(names, name)
	}
	sort.Strings(names)
	if len(names) > 3 {
		return fmt.Sprintf("pods %s and %d others", strings.Join(names[:2], ", "), len(names)-2)
	}
	if len(names) == 1 {
		return "pod " + names[0]
	}
	return "pods " + strings.Join(names, ", ")
}

// driverMayBeUnobserved reports whether a driver may exist that the watch has not shown yet, because the watch can be
// older than the status, which another operator may have written.
func driverMayBeUnobserved(st *state) bool {
	return st.s.Driver != nil && !st.o.DriverAbsent && st.driver() == nil
}

// executorsMayBeReplaced reports whether executors are about to be deleted although a driver that the watch does not
// show could replace them.
func executorsMayBeReplaced(st *state) bool {
	return driverMayBeUnobserved(st) && slices.ContainsFunc(st.activePods(), func(r *pods.Record) bool {
		return r.Role == pods.Executor && !r.Deleting && st.current(r)
	})
}

// recordDriver writes the uid of the driver that the watch shows, if there is one, into the status.
func recordDriver(st *state) {
	if driver := st.driver(); driver != nil {
		st.s.Driver.UID = driver.UID
	}
}
