// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/server"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// executors are the executor pods of an attempt, sorted by the side of the scheduling gate that they are on.
type executors struct {
	// base is the executor pod set of the base gang.
	base *v1alpha1.PodSetGrant
	// allowed is what the grant has for each executor.
	allowed queueing.Resources
	// admittedCount is the weight, by flavor, of the pods that have passed the scheduling gate, or never had one, and are
	// not gone. admitted are those of them that are not being deleted, ending the others.
	admittedCount    map[string]int32
	admitted, ending map[string][]*pods.Record
	// gated are the pods behind the scheduling gate that fit the grant, oldest first; tooLarge those that do not fit.
	gated, tooLarge []*pods.Record
	// unanswered are pods that were ungated by a write which got no response. They count as admitted.
	unanswered []unanswered
}

// unanswered is a pod that was ungated by a write which got no response, and the flavor in which it was ungated.
type unanswered struct {
	pod    *pods.Record
	flavor string
}

// newExecutors sorts the executor pods of the current attempt.
func newExecutors(st *state) executors {
	c := executors{base: baseOf(st.s.Grant), admittedCount: map[string]int32{}, admitted: map[string][]*pods.Record{}, ending: map[string][]*pods.Record{}}
	c.allowed = amounts.ClampAll(c.base.Requests)
	for _, r := range st.currentPods() {
		if !isAttemptExecutor(st, r) || usesNothing(r, st.o.Ungating[r.UID]) {
			continue
		}
		flavor, released := st.o.Ungating[r.UID]
		switch {
		case r.SchedulingGate != nil && released:
			c.unanswered = append(c.unanswered, unanswered{r, flavor})
			c.addAdmitted(r, flavor)
		case r.SchedulingGate == nil:
			c.addAdmitted(r, cmp.Or(flavor, grantedFlavor(st.s.Grant, r), c.base.Flavor))
		case r.Deleting:
		case tooLarge(r, c.allowed) != "":
			c.tooLarge = append(c.tooLarge, r)
		default:
			c.gated = append(c.gated, r)
		}
	}
	for flavor := range c.admittedCount {
		c.admittedCount[flavor] = c.weights(slices.Concat(c.admitted[flavor], c.ending[flavor]))
	}
	slices.SortFunc(c.gated, byAge)
	slices.SortFunc(c.tooLarge, byAge)
	slices.SortFunc(c.unanswered, func(a, b unanswered) int { return byAge(a.pod, b.pod) })
	return c
}

// baseOf returns the executor pod set of the base gang, empty if there is none.
func baseOf(g *v1alpha1.Grant) *v1alpha1.PodSetGrant {
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && !p.Elastic {
			return p
		}
	}
	return &v1alpha1.PodSetGrant{}
}

// isAttemptExecutor reports whether a pod is an active executor that the driver of the attempt created. It checks the
// owner, because labels can be forged or belong to another application.
func isAttemptExecutor(st *state, r *pods.Record) bool {
	if r.Role != pods.Executor || !r.Active() {
		return false
	}
	return st.s.Driver != nil && st.s.Driver.UID != "" && r.OwnerUID == st.s.Driver.UID
}

// usesNothing reports whether a pod needs no quota: it has no node, and it never had the operator's scheduling gate,
// which would have left a flavor label. Without the guard, users can create any number of such pods, of any size.
func usesNothing(r *pods.Record, flavor string) bool {
	return r.SchedulingGate == nil && cmp.Or(flavor, r.Flavor) == "" && !r.OnNode()
}

// grantedFlavor returns the flavor in the label of an executor; empty if the grant has no executors in that flavor.
// Whoever may change the labels of pods, such as the driver, could otherwise have them charged to a flavor without
// quota.
func grantedFlavor(g *v1alpha1.Grant, r *pods.Record) string {
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == r.Flavor {
			return r.Flavor
		}
	}
	return ""
}

// weights returns for how many executors of the grant several pods count together. That is more than their number if
// those on nodes request more than was granted, as after a manual ungating or an in-place resize, or if the program sets
// their size.
func (c *executors) weights(of []*pods.Record) int32 {
	most := [...]int64{c.allowed[string(corev1.ResourceCPU)], c.allowed[string(corev1.ResourceMemory)]}
	var beyond [len(most)]int64
	for _, r := range of {
		for i, asks := range [len(most)]int64{r.CPU, r.Memory} {
			if r.OnNode() {
				beyond[i] += max(0, asks-most[i])
			}
		}
	}
	more := int64(0)
	for i := range most {
		if most[i] > 0 {
			more = max(more, (beyond[i]+most[i]-1)/most[i])
		}
	}
	return int32(min(int64(len(of))+more, math.MaxInt16))
}

// above returns the first pods of a list without which the others weigh at most as much as given.
func (c *executors) above(ordered []*pods.Record, most int32) []*pods.Record {
	for i := range ordered {
		if c.weights(ordered[i:]) <= most {
			return ordered[:i]
		}
	}
	return ordered
}

// addAdmitted counts a pod of a flavor that has passed the scheduling gate.
func (c *executors) addAdmitted(r *pods.Record, flavor string) {
	c.admittedCount[flavor] = 0 // counted once all are known
	if r.Deleting {
		c.ending[flavor] = append(c.ending[flavor], r)
		return
	}
	c.admitted[flavor] = append(c.admitted[flavor], r)
}

// byAge orders executors by the number at the end of their names, which Spark counts up.
func byAge(a, b *pods.Record) int {
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// tooLarge returns what a gated pod requests beyond the grant for one executor; empty if it fits. With resource
// profiles, a program can request larger executors than the spec has.
func tooLarge(r *pods.Record, allowed queueing.Resources) string {
	if r.SchedulingGate.Excess != "" {
		return "more than an executor can have, as " + r.SchedulingGate.Excess
	}
	for _, name := range slices.Sorted(maps.Keys(r.SchedulingGate.Requests)) {
		if asks := r.SchedulingGate.Requests[name]; asks > allowed[name] {
			most, wanted := amounts.Quantity(name, allowed[name]), amounts.Quantity(name, asks)
			return fmt.Sprintf("%s %s, but the grant has %s for each executor", name, wanted.String(), most.String())
		}
	}
	return ""
}

// The operator creates the workers of a cluster as Spark creates executors: the master pod owns them, and all else of
// them is that of executors. They are numbered from 1, and the next worker of a number follows when the one before is
// gone. So two passes never create one too many, whatever the watch has shown.

const (
	// workerPause is the pause before workers are created again after one has failed, for each failure of the attempt so
	// far; maxWorkerPause bounds it.
	workerPause    = 5 * time.Second
	maxWorkerPause = 2 * time.Minute
	// refusedInterval is the pause before workers are created again that the API server has refused.
	refusedInterval = 30 * time.Second
	// lackingNote begins messages about workers that cannot be created, and workerNotCreated is the reason of the event
	// about it.
	lackingNote      = "workers cannot be created: "
	workerNotCreated = "WorkerNotCreated"
)

// createWorkers creates the workers that the cluster lacks, and deletes those that have ended.
func createWorkers(st *state) {
	if !masterReady(st) {
		return
	}
	for _, r := range workersThere(st) {
		if !r.Active() {
			deletePod(st, r)
		}
	}
	for _, r := range surplusWorkers(st) {
		st.after(Action{Kind: DeletePod, Pod: r})
	}
	if st.o.App.Spec.Server.IdleTimeout != nil {
		st.requeue(st.o.Now.Add(masterInterval)) // no event says that a program has come
	}
	lacking := lackingWorkers(st)
	if at := workersAgainAt(st); len(lacking) > 0 && st.o.Now.Before(at) {
		st.requeue(at)
		return
	}
	switch {
	case len(lacking) == 0:
	case st.o.Obstacle != "":
		st.requeue(st.o.Now.Add(refusedInterval))
	default:
		st.after(Action{Kind: CreateWorkers, Workers: lacking})
	}
}

// workersWanted returns how many workers there should be now: those of the base gang, and where others may come, as many
// as spec.server.workers says, or up to that many as programs need.
func workersWanted(st *state) int32 {
	base, spec := baseOf(st.s.Grant).Count, st.o.App.Spec.Server
	if !st.isElastic() && catalog.Of(st.s.Grant.Gate).Resizes {
		return base
	}
	most := max(base, ptr.Deref(spec.Workers, 0))
	if spec.IdleTimeout == nil {
		return most
	}
	each := max(1, int64(ptr.Deref(st.o.App.Spec.Executor.Cores, 1)))
	needed := (st.o.ClusterCores + each - 1) / each
	if programWaits(st) {
		needed = max(needed, int64(workersAlive(st)+1))
	}
	return int32(min(int64(most), max(int64(base), needed)))
}

// programWaits reports whether a program without a core waits for another worker: all that there are have cores in use. An
// executor that does not fit an empty worker does not fit another one.
func programWaits(st *state) bool {
	return st.o.Activity.Waits && !slices.ContainsFunc(readyWorkers(st), func(r *pods.Record) bool {
		w, alive := st.o.Activity.Workers[r.Host]
		return alive && w.Cores == 0
	})
}

// stayingWorkers returns the workers that are not ending.
func stayingWorkers(st *state) []*pods.Record {
	return slices.DeleteFunc(workersThere(st), func(r *pods.Record) bool { return r.Deleting || !r.Active() })
}

// lackingWorkers returns the numbers of the workers to create, the lowest that are free. One that is ending still counts.
func lackingWorkers(st *state) (lacking []int) {
	there := map[int]bool{}
	for _, r := range workersThere(st) {
		there[workerNumber(r.Name)] = true
	}
	wanted := int(workersWanted(st)) - len(there)
	for n := 1; len(lacking) < wanted; n++ {
		if !there[n] {
			lacking = append(lacking, n)
		}
	}
	return lacking
}

// surplusWorkers returns the workers to end because fewer are wanted: those that are not ready, then those with the
// fewest cores in use. If the operator chooses their number, it ends only those that have been idle for long enough.
func surplusWorkers(st *state) []*pods.Record {
	surplus := max(0, len(stayingWorkers(st))-int(workersWanted(st)))
	ordered := evictionOrder(stayingWorkers(st), st.o.Activity.Workers)
	if timeout := st.o.App.Spec.Server.IdleTimeout; timeout != nil {
		ordered = slices.DeleteFunc(ordered, func(r *pods.Record) bool {
			w, alive := st.o.Activity.Workers[r.Host]
			used := alive && (w.Cores > 0 || st.o.Now.Before(w.IdleSince.Add(timeout.Duration)))
			return r.Ready && (used || st.o.Activity.Workers == nil)
		})
	}
	return ordered[:min(surplus, len(ordered))]
}

// refusedWorkers says why the workers that are lacking cannot be created; empty if they can. A message stays until they
// are there.
func refusedWorkers(st *state) string {
	switch before := ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{}).Problem; {
	case !masterReady(st):
	case st.o.Obstacle != "":
		return lackingNote + st.o.Obstacle
	case strings.HasPrefix(before, lackingNote) && len(lackingWorkers(st)) > 0:
		return before
	}
	return ""
}

// masterReady reports whether the attempt is that of a cluster whose master answers.
func masterReady(st *state) bool {
	return server.IsMaster(&st.o.App.Spec) && st.s.Grant != nil && st.s.Driver.UID != "" && driverReady(st)
}

// workersThere returns the workers that exist.
func workersThere(st *state) (there []*pods.Record) {
	for _, r := range st.currentPods() {
		if r.Role == pods.Executor && r.OwnerUID == st.s.Driver.UID {
			there = append(there, r)
		}
	}
	return there
}

// workersAgainAt returns when workers may be created again after some have failed; zero if none has.
func workersAgainAt(st *state) time.Time {
	var last time.Time
	now := executorStatus(st)
	for _, f := range now.Failures {
		last = latest(last, f.At.Time)
	}
	if last.IsZero() {
		return last
	}
	return last.Add(min(time.Duration(now.Failed)*workerPause, maxWorkerPause))
}

// workerNumber returns the number at the end of a worker's name, 0 if there is none.
func workerNumber(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil {
		return 0
	}
	return n
}

const (
	// masterInterval is the pause between two looks at a master that is not known to have all its workers. With them, it is
	// idleInterval.
	masterInterval = 10 * time.Second
	// surplusInterval is how old an answer may be by which workers are chosen to end.
	surplusInterval = time.Second
)

// lookAtMaster has the master of a cluster asked for its workers once enough of their pods are ready, and again from time
// to time. over reports whether next is the decision, which is a need.
func lookAtMaster(st *state) (next Decision, over bool) {
	if !masterReady(st) || workersReady(st) < baseOf(st.s.Grant).Count {
		return Decision{}, false
	}
	said, pause := st.o.Activity, masterInterval
	switch {
	case len(surplusWorkers(st)) > 0:
		pause = surplusInterval
	case said.Problem == "" && workersAlive(st) == workersReady(st):
		pause = idleInterval
	}
	askAt := said.Asked.Add(pause)
	if !said.Asked.Equal(st.o.Now) && !st.o.Now.Before(askAt) {
		return need(NeedActivity, st.start()), true
	}
	st.requeue(askAt)
	return Decision{}, false
}

// workersReady returns how many workers of the attempt have a ready pod.
func workersReady(st *state) int32 { return int32(len(readyWorkers(st))) }

func readyWorkers(st *state) (ready []*pods.Record) {
	for _, r := range st.currentPods() {
		if isAttemptExecutor(st, r) && r.CountsAsReady() {
			ready = append(ready, r)
		}
	}
	return ready
}

// workersAlive returns how many of these were ALIVE at the master when it was last asked. The master also lists those
// that are gone.
func workersAlive(st *state) (alive int32) {
	for _, r := range readyWorkers(st) {
		if _, is := st.o.Activity.Workers[r.Host]; is {
			alive++
		}
	}
	return alive
}

// clusterProblem returns why a cluster whose master is ready does not have its workers; empty if it has. unknown reports
// that the master does not say it.
func clusterProblem(st *state) (problem string, unknown bool) {
	if !masterReady(st) {
		return "", false
	}
	switch least := baseOf(st.s.Grant).Count; {
	case workersReady(st) >= least && st.o.Activity.Problem != "":
		return "it is not known which workers have reached the master, because " + st.o.Activity.Problem +
			": open the port of that to the operator, and set no spark.ui.filters", true
	case workersAlive(st) < least && least == 1:
		return "no worker is ALIVE at the master", false
	case workersAlive(st) < least:
		return fmt.Sprintf("fewer than %d workers are ALIVE at the master", least), false
	}
	return "", false
}
