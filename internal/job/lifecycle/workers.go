// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/server"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

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
	staying := slices.DeleteFunc(workersThere(st), func(r *pods.Record) bool { return r.Deleting || !r.Active() })
	surplus := max(0, len(staying)-int(workersWanted(st)))
	ordered := evictionOrder(staying, st.o.Activity.Workers)
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
			": let the operator reach that interface, and set no spark.ui.filters", true
	case workersAlive(st) < least && least == 1:
		return "no worker is ALIVE at the master", false
	case workersAlive(st) < least:
		return fmt.Sprintf("fewer than %d workers are ALIVE at the master", least), false
	}
	return "", false
}
