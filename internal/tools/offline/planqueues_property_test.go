// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// TestPlanDecidesAsTheQueue: from the statuses, a plan comes to the same result as the queue that has decided so far.
// It predicts no change if the files change nothing; for changed queues it predicts which applications are admitted,
// stop, and lose executors.
func TestPlanDecidesAsTheQueue(t *testing.T) {
	t.Parallel()
	moved := 0
	seeds := randtest.Each(t, 150, func(seed uint64) {
		w := newPlanWorld(seed)
		w.play()
		if len(w.stopped)+len(w.reduced) > 0 {
			// The queue remembers which application preempted which, and does not repeat it. No status says that, so a
			// plan would preempt again.
			return
		}
		cluster, held := w.cluster(t), w.held()
		if plan := w.plan(t, cluster, ""); len(plan.Effects) > 0 {
			t.Fatalf("seed %d: nothing does %+v", seed, plan.Effects)
		}
		before := w.manifests(t)
		manifest := w.change(t)
		plan := w.plan(t, cluster, manifest)
		want := w.effects(held)
		moved += len(want)
		var got []string
		for _, e := range plan.Effects {
			if e.After == offline.Admitted || e.After == offline.Preempted {
				got = append(got, fmt.Sprintf("%s %s %t", e.Name, e.After, e.Reason == offline.ExecutorsReclaimed))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: the plan is %q, the queue decides %q, of\n%s\nchanged to\n%s", seed, got, want, before, manifest)
		}
	})
	if !t.Failed() && seeds >= 150 && moved < seeds {
		t.Errorf("%d effects in %d worlds: too little happens", moved, seeds)
	}
}

// planWorld is the queue of an operator, with its decisions.
type planWorld struct {
	*rand.Rand
	engine  *embedded.Engine
	queues  []v1alpha1.SparkQueue
	asks    map[queueing.Key]queueing.Ask
	classes map[queueing.Key]string
	// grants are the times of the grants, counted.
	grants map[queueing.Key]int
	count  int
	// stopped are the preempted applications, reduced those that have lost executors.
	stopped, reduced map[queueing.Key]bool
}

var (
	planClasses = map[string]int32{"low": 1, "mid": 5, "high": 9}
	planFlavors = []v1alpha1.SparkFlavor{{ObjectMeta: metav1.ObjectMeta{Name: "spot"}}}
)

func newPlanWorld(seed uint64) *planWorld {
	w := &planWorld{Rand: rand.New(rand.NewPCG(seed, seed)), engine: embedded.New(), asks: map[queueing.Key]queueing.Ask{}, classes: map[queueing.Key]string{},
		grants: map[queueing.Key]int{}, stopped: map[queueing.Key]bool{}, reduced: map[queueing.Key]bool{}}
	w.engine.Advance(planTime)
	for i := range 2 + w.IntN(5) {
		w.queues = append(w.queues, w.randomQueue(i))
	}
	w.configure()
	return w
}

func (w *planWorld) configure() {
	w.engine.Configure(convert.QueueConfigs(w.queues), convert.FlavorConfigs(planFlavors))
}

// one returns true once in so many times.
func (w *planWorld) one(in int) bool { return w.IntN(in) == 0 }

func (w *planWorld) randomQueue(i int) v1alpha1.SparkQueue {
	q := v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("q%d", i)}}
	if i > 0 && !w.one(5) {
		q.Spec.Parent = fmt.Sprintf("q%d", w.IntN(i))
	}
	for _, flavor := range []string{"default", "spot"}[:1+w.IntN(2)] {
		q.Spec.Flavors = append(q.Spec.Flavors, v1alpha1.FlavorQuota{Name: flavor, Quotas: []v1alpha1.ResourceQuota{w.randomQuota(q.Spec.Parent != "")}})
	}
	q.Spec.NamespaceSelector = &metav1.LabelSelector{}
	q.Spec.Preemption = &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptNever, ReclaimWithinTree: v1alpha1.PreemptNever}
	if w.one(4) {
		q.Spec.Strategy = "StrictFIFO"
	}
	if w.one(6) {
		most := int32(w.IntN(4))
		q.Spec.MaxRunning = &most
	}
	if w.one(8) {
		q.Spec.StopPolicy = []v1alpha1.StopPolicy{"Hold", "HoldAndDrain"}[w.IntN(2)]
	}
	if w.one(4) {
		q.Spec.FairSharing = &v1alpha1.FairSharing{}
	}
	return q
}

func (w *planWorld) randomQuota(below bool) v1alpha1.ResourceQuota {
	r := v1alpha1.ResourceQuota{Resource: "cpu", Nominal: *resource.NewQuantity(int64(2+w.IntN(8)), resource.DecimalSI)}
	if below && w.one(3) {
		r.BorrowingLimit = resource.NewQuantity(int64(w.IntN(6)), resource.DecimalSI)
	}
	if below && w.one(3) {
		r.LendingLimit = resource.NewQuantity(int64(w.IntN(6)), resource.DecimalSI)
	}
	return r
}

// play lets applications ask, and grow.
func (w *planWorld) play() {
	for range 10 + w.IntN(10) {
		w.submit()
		if !w.one(3) {
			w.settle()
		}
		w.want(func(held int32) int32 { return held + int32(w.IntN(3)) })
	}
	w.settle()
	// A plan does not know which executors are wanted.
	w.want(func(held int32) int32 { return held })
	w.settle()
}

func (w *planWorld) submit() {
	name := fmt.Sprintf("a%02d", len(w.asks))
	key := queueing.Key{Namespace: "etl", Name: name, UID: name}
	class := []string{"low", "mid", "high"}[min(2, w.IntN(1+len(w.asks)/4))]
	one := queueing.Resources{"cpu": 1000, "pods": 1}
	executors := queueing.PodSet{Name: "executor", Count: int32(1 + w.IntN(5)), Requests: one}
	if w.one(4) {
		executors.MinCount = 1
	}
	if w.one(5) {
		executors.Flavors = []string{"spot"}
	}
	w.classes[key], w.asks[key] = class, queueing.Ask{
		Key: key, Run: 1, Attempt: 1, Queue: fmt.Sprintf("q%d", w.IntN(len(w.queues))), NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": "etl"},
		Priority: planClasses[class], QueuedAt: planTime.Add(time.Duration(len(w.asks)-100) * time.Minute), Elastic: map[bool]string{true: v1alpha1.ExecutorPodSet}[w.one(2)],
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: one}, executors},
	}
	w.engine.Submit(w.asks[key])
}

// want sets how many executors above their base gangs the holders want.
func (w *planWorld) want(more func(held int32) int32) {
	for _, key := range w.held() {
		grant, _ := w.engine.Held(key)
		above := int32(0)
		for _, set := range grant.PodSets {
			if set.Elastic {
				above += set.Count
			}
		}
		w.engine.SetResizeRequest(key, grant.Run, grant.Attempt, queueing.ResizeRequest{PodSet: "executor", Count: more(above)})
	}
}

// held returns the holders of quota, in order.
func (w *planWorld) held() (keys []queueing.Key) {
	for key := range w.asks {
		if _, holds := w.engine.Held(key); holds {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b queueing.Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}

// settle decides until nothing changes; applications that have to stop do so at once.
func (w *planWorld) settle() {
	for moved := true; moved; {
		decisions := w.engine.Cycle(0)
		for i := range decisions {
			d := &decisions[i]
			w.engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
			w.engine.Settle(d.Key, d.Grant)
			if d.Grown == 0 {
				w.count++
				w.grants[d.Key] = w.count
			}
		}
		moved = len(decisions) > 0
		for _, key := range w.engine.Changed() {
			moved = w.stop(key) || moved
		}
	}
}

// stop stops what an application has to release, and reports whether there is anything.
func (w *planWorld) stop(key queueing.Key) bool {
	held, holds := w.engine.Held(key)
	if !holds {
		return false
	}
	if w.engine.Eviction(key, held.Run, held.Attempt) != nil {
		w.stopped[key] = true
		w.engine.Release(key)
		ask := w.asks[key]
		ask.Attempt++
		w.asks[key] = ask
		w.engine.Submit(ask)
		return true
	}
	reclaims := w.engine.Allocation(key, held.Run, held.Attempt).Reclaims
	if len(reclaims) == 0 {
		return false
	}
	w.reduced[key] = true
	held.PodSets = slices.Clone(held.PodSets)
	for _, r := range reclaims {
		at := slices.IndexFunc(held.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Flavor == r.Flavor })
		held.PodSets[at].Count -= r.Count
	}
	w.engine.SetResizeRequest(key, held.Run, held.Attempt, queueing.ResizeRequest{PodSet: "executor"})
	return w.engine.Settle(key, held)
}

// cluster returns the objects of the API server.
func (w *planWorld) cluster(t *testing.T) offline.Live {
	t.Helper()
	cluster := offline.Live{Queues: slices.Clone(w.queues), Flavors: planFlavors, Now: planTime, Priorities: planClasses}
	for key, ask := range w.asks {
		app := parsed[v1alpha1.SparkApplication](t, jobManifest(key.Name, ask.Queue, ", priorityClassName: "+w.classes[key]))
		hash, err := templatehash.Of(&app.Spec)
		if err != nil {
			t.Fatal(err)
		}
		queued, stage := metav1.NewTime(ask.QueuedAt), v1alpha1.QueuedReason
		app.UID = types.UID(key.UID)
		app.Status = v1alpha1.SparkApplicationStatus{TemplateHash: hash, Run: 1, Attempt: ask.Attempt, Queue: ask.Queue, Ask: convert.AskToAPI("Embedded", ask.PodSets)}
		app.Status.Times.Queued = &queued
		if held, holds := w.engine.Held(key); holds {
			admitted := metav1.NewTime(planTime.Add(time.Duration(w.grants[key]-1000) * time.Second))
			app.Status.Grant, app.Status.Times.Admitted, stage = convert.ToAPI(held), &admitted, v1alpha1.RunningReason
		}
		app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: stage}}
		cluster.Applications = append(cluster.Applications, app)
	}
	return cluster
}

func (w *planWorld) plan(t *testing.T, cluster offline.Live, manifest string) offline.Plan {
	t.Helper()
	plan, err := offline.NewPlan(cluster, []offline.File{{Name: "queue.yaml", Text: []byte(manifest)}}, offline.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// change replaces one queue, and lets all of them preempt from now on. It returns the manifests.
func (w *planWorld) change(t *testing.T) string {
	t.Helper()
	i := w.IntN(len(w.queues))
	w.queues = slices.Clone(w.queues)
	w.queues[i] = w.randomQueue(i)
	for i := range w.queues {
		w.queues[i].Spec.Preemption = &v1alpha1.QueuePreemption{
			WithinQueue:       []v1alpha1.PreemptionPolicy{"Never", "LowerPriority", "LowerOrNewerEqualPriority"}[w.IntN(3)],
			ReclaimWithinTree: []v1alpha1.PreemptionPolicy{"Any", "LowerPriority", "Never"}[w.IntN(3)],
		}
	}
	w.configure()
	w.settle()
	return w.manifests(t)
}

func manifestOf(t *testing.T, q *v1alpha1.SparkQueue) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkQueueKind, "metadata": map[string]any{"name": q.Name}, "spec": q.Spec})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *planWorld) manifests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for i := range w.queues {
		all.WriteString(manifestOf(t, &w.queues[i]) + "---\n")
	}
	return all.String()
}

// effects returns what has become of the applications that held quota before: name, outcome, and whether they lost
// executors.
func (w *planWorld) effects(before []queueing.Key) (effects []string) {
	for key := range w.asks {
		_, holds := w.engine.Held(key)
		held := slices.Contains(before, key)
		switch {
		// It does not matter whether it is admitted again.
		case held && w.stopped[key]:
			effects = append(effects, fmt.Sprintf("%s %s false", key.Name, offline.Preempted))
		case holds && (!held || w.reduced[key]):
			effects = append(effects, fmt.Sprintf("%s %s %t", key.Name, offline.Admitted, held))
		}
	}
	slices.Sort(effects)
	return effects
}
