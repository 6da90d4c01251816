// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// A program may say in its code how many executors it wants, and of which size, and code wins over the properties of
// the driver. If the grant is gated, executors that it does not cover wait behind their scheduling gates. Otherwise they
// are on nodes at once, and what they have beyond the grant is its surplus. The queue is asked for it as for growth. What
// it does not grant is ended, youngest first. Spark asks again, so an attempt ends after some refusals.

const (
	// surplusGrace is how long an executor beyond the grant may be on a node before it is ended, so that the queue can
	// answer.
	surplusGrace = 5 * time.Second
	// maxRefusals is how often executors beyond the grant are ended before the attempt is.
	maxRefusals = 5
	// forgiveAfter is how long after the last refusal they are forgotten.
	forgiveAfter = time.Minute
	// surplusNote begins messages about the surplus.
	surplusNote = "more than the spec says: "
	// refusedNote follows once the queue had no quota for it.
	refusedNote = "; executors beyond the grant are ended: "
	// executorsExceedGrantReason is the reason of the event about executors beyond the grant.
	executorsExceedGrantReason = string(v1alpha1.StopExceedsGrant)
)

// resizes reports whether the grant of the attempt may have to grow or shrink.
func resizes(st *state) bool {
	if st.s.Grant == nil || !catalog.Of(st.s.Grant.Gate).Resizes {
		return st.isElastic()
	}
	return st.isElastic() || st.s.Grant.Resizes > 0 || hasSurplusNote(st) || hasSurplus(st)
}

// hasSurplusNote reports whether the status says that there are, or were, executors beyond the grant.
func hasSurplusNote(st *state) bool {
	return st.s.Executors != nil && strings.HasPrefix(st.s.Executors.Problem, surplusNote)
}

// hasSurplus reports whether executors are on nodes beyond the grant.
func hasSurplus(st *state) bool {
	c := newExecutors(st)
	for flavor, weight := range c.admittedCount {
		if weight > executorsGranted(st.s.Grant, flavor) {
			return true
		}
	}
	return false
}

// executorsGranted returns how many executors a grant covers in a flavor.
func executorsGranted(g *v1alpha1.Grant, flavor string) (n int32) {
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == flavor {
			n += p.Count
		}
	}
	return n
}

// refuse ends the executors beyond a grant that is not gated, youngest first, once the queue had time to grant more, and
// counts that in the status. It reports whether it has counted.
func (dv *division) refuse(st *state) bool {
	var refused []*pods.Record
	for _, flavor := range slices.Sorted(maps.Keys(dv.admitted)) {
		youngest := slices.SortedFunc(slices.Values(dv.admitted[flavor]), func(a, b *pods.Record) int { return byAge(b, a) })
		for _, r := range dv.above(youngest, dv.granted(flavor, false)) {
			if wait := surplusGrace - sinceBound(st, r); wait > 0 {
				st.requeue(st.o.Now.Add(wait))
				continue
			}
			refused = append(refused, r)
		}
	}
	for _, r := range refused {
		st.after(Action{Kind: DeletePod, Pod: r})
	}
	if len(refused) == 0 && !hasSurplus(st) {
		forgive(st)
	}
	// Until the watch shows that they end, the next passes end the same ones.
	if len(refused) == 0 || st.s.Executors == nil || st.o.Now.Before(st.o.LastWrite.Add(time.Second)) {
		return false
	}
	st.s.Executors.Refusals++
	return true
}

// forgive forgets refusals after a minute without another one: Spark may have started one executor too many by mistake,
// because its view of the cluster was old.
func forgive(st *state) {
	if st.s.Executors == nil || st.s.Executors.Refusals == 0 || st.o.LastWrite.IsZero() {
		return
	}
	if due := st.o.LastWrite.Add(forgiveAfter); st.o.Now.Before(due) {
		st.requeue(due)
		return
	}
	st.s.Executors.Refusals = 0
}

// sinceBound returns for how long a pod has been on its node. If the clocks disagree, that is as long as it may be.
func sinceBound(st *state, r *pods.Record) time.Duration {
	if since := st.o.Now.Sub(time.Unix(int64(r.BoundAt), 0)); since >= 0 {
		return since
	}
	return surplusGrace
}

// checkSurplus stops the attempt if the queue has refused executors beyond the grant too often.
func checkSurplus(st *state) stopFinding {
	if e := st.s.Executors; e == nil || e.Refusals < maxRefusals {
		return stopFinding{}
	}
	return stopFinding{v1alpha1.StopExceedsGrant, surplusMessage(st)}
}

// surplusMessage says what the program asks for beyond the grant and what to change, and why the queue does not grant it;
// empty if it asks for nothing else.
func surplusMessage(st *state) string {
	e := ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{})
	if e.Refusals > 0 && strings.Contains(e.Problem, refusedNote) {
		return e.Problem // Spark asks again and again, which is no news
	}
	asks := surplusAsked(st)
	switch {
	case asks == "":
		return ""
	case e.Refusals == 0:
		return surplusNote + asks
	case st.o.Allocation == nil || st.o.Allocation.Why == "":
		return surplusNote + asks + refusedNote + "the queue has no quota for them"
	}
	return surplusNote + asks + refusedNote + st.o.Allocation.Why
}

// surplusAsked says what the program asks for beyond the base gang, and what to change; empty if it asks for no more.
func surplusAsked(st *state) string {
	if st.s.Grant == nil || st.isElastic() || !catalog.Of(st.s.Grant.Gate).Resizes {
		return ""
	}
	c, number := newExecutors(st), int32(0)
	for _, flavor := range slices.Sorted(maps.Keys(c.admitted)) {
		for _, r := range c.admitted[flavor] {
			number++
			if more := moreThan(r, c.allowed); more != "" && len(c.allowed) > 0 {
				return fmt.Sprintf("executor pod %s requests %s: set the size of executors in spec.executor, not in the program, "+
					"and see what admission webhooks add to the pods", r.Name, more)
			}
		}
	}
	switch {
	case number <= c.base.Count:
		return ""
	case st.driverOnly():
		return "the program creates executors, although spark.kubernetes.driver.master in spec.sparkConf asks for none: remove that property"
	}
	return fmt.Sprintf("the program asks for %d executors: spec.executor.instances is %d; write %d there, or remove spark.executor.instances from the program",
		number, c.base.Count, number)
}

// quotaNote returns a note that the program asks for more than was granted, or that it leaves quota unused; empty if it
// does neither.
func quotaNote(st *state) string {
	if hasSurplusNote(st) || hasUnusedNote(st) || st.s.Executors != nil && strings.HasPrefix(st.s.Executors.Problem, hangNote) {
		return "; " + st.s.Executors.Problem
	}
	return ""
}

// announceSurplus adds one event when the status begins to say that there are executors beyond the grant.
func announceSurplus(st *state, counted *v1alpha1.ExecutorStatus) {
	if strings.HasPrefix(counted.Problem, surplusNote) && !hasSurplusNote(st) {
		st.event(true, executorsExceedGrantReason, counted.Problem)
	}
}

// A program may also ask for fewer executors than were granted, or for none. The base gang keeps its quota until the
// attempt ends, so users are told.

const (
	// localDelay is how long a driver may run without any executor before its log is read: a program that has set its
	// master to local never asks for one, and the API server may refuse those that Spark asks for.
	localDelay = 45 * time.Second
	// localSoon is how long a driver that has succeeded must have run for its log to be read. Spark needs that long to
	// start.
	localSoon = 10 * time.Second
	// unusedNote is part of messages about quota that the program does not use.
	unusedNote = " is held in vain: "
	// hangNote begins the message about a driver without executors.
	hangNote = "all executors are gone since "
	// quotaUnusedReason is the reason of the event about it.
	quotaUnusedReason = "QuotaUnused"
)

// localUnknown reports whether the log has to be read to find out whether the program runs in local mode: no executor
// was ever started, and the driver has run for some time.
func localUnknown(st *state, after time.Duration) bool {
	due := localDue(st, after)
	return st.o.LogCause == nil && !due.IsZero() && !st.o.Now.Before(due) && !hasUnusedNote(st)
}

// localDue returns when the driver has run for some time without an executor; zero if it has had one, or needs none.
func localDue(st *state, after time.Duration) time.Time {
	started := st.s.Times.DriverStarted
	if started == nil || st.s.Executors == nil || st.s.Executors.Wanted == 0 || !noExecutorExists(st) {
		return time.Time{}
	}
	return started.Add(after)
}

// hangDelay is how long a driver may have lost all executors before it is said to hang.
const hangDelay = 5 * time.Minute

// hangsAt returns when the driver has had no executors for so long that its program has probably ended; zero if it has
// some, had none, or gives them back when it is idle.
func hangsAt(st *state) time.Time {
	since, d := st.o.ExecutorsGoneSince, st.o.App.Spec.DynamicAllocation
	if since.IsZero() || d != nil && d.Enabled {
		return time.Time{}
	}
	return since.Add(hangDelay)
}

// hangMessage says that the driver runs without any of the executors that it had, as after spark.stop(), and what to do;
// empty if that is not so.
func hangMessage(st *state) string {
	at := hangsAt(st)
	if at.IsZero() || st.o.Now.Before(at) {
		return ""
	}
	remedy := `set spark.submit.callSystemExitOnMainExit to "true" in spec.sparkConf`
	if strings.HasPrefix(st.o.App.Spec.SparkVersion, "3.") {
		remedy = "end the program with exit, as Spark 4 does with spark.submit.callSystemExitOnMainExit"
	}
	return fmt.Sprintf("%s%s: if the program has ended, a non-daemon thread keeps its driver alive; stop it, or %s",
		hangNote, st.o.ExecutorsGoneSince.UTC().Format(time.RFC3339), remedy)
}

func hasUnusedNote(st *state) bool {
	return st.s.Executors != nil && strings.Contains(st.s.Executors.Problem, unusedNote)
}

// isLocal reports whether the log says that the program runs in local mode.
func isLocal(st *state) bool { return ptr.Deref(st.o.LogCause, "") == cause.LocalMode }

// unusedMessage says which quota the program leaves unused, and what to change; empty if it uses all.
func unusedMessage(st *state) string {
	e := st.s.Executors
	switch {
	case e == nil || !st.queues() || st.isElastic():
		return ""
	case noExecutorExists(st) && isLocal(st):
		return quotaFor(e.Wanted) + unusedNote + cause.LocalMode
	case noExecutorExists(st) && hasUnusedNote(st):
		return e.Problem
	case st.s.Times.ExecutorsReady == nil:
		return ""
	}
	peak := max(e.Peak, st.o.ReadyPeak.Count)
	if peak >= executorsRequired(st, e) {
		return ""
	}
	return fmt.Sprintf("%s%sspec.executor.instances is %d, and the program has asked for %d; write %d there, or remove spark.executor.instances "+
		"from the program", quotaFor(e.Wanted-peak), unusedNote, e.Wanted, peak, peak)
}

func quotaFor(executors int32) string {
	if executors == 1 {
		return "quota for 1 executor"
	}
	return fmt.Sprintf("quota for %d executors", executors)
}

// announceUnused adds one event when the status begins to say that quota is unused.
func announceUnused(st *state, counted *v1alpha1.ExecutorStatus) {
	if counted != nil && strings.Contains(counted.Problem, unusedNote) && !hasUnusedNote(st) {
		st.event(true, quotaUnusedReason, counted.Problem)
	}
}
