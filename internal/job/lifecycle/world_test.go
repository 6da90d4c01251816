// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// world is everything around one application: the API server with its pods, the gate, the clock. Actors change it; a
// pass of the operator may crash between any two of its steps.
type world struct {
	t   *testing.T
	now time.Time
	// app is nil once it is gone.
	app *v1alpha1.SparkApplication
	// pods are the existing pods by name.
	pods map[string]*pods.Record
	// lagging are the pods that the operator's watch has shown so far; nil means that the watch is up to date.
	lagging map[string]*pods.Record
	// stray are the pods whose labels were changed, so that no watch of the operator shows them. seen are the pods that
	// the last decision saw.
	stray map[types.UID]bool
	seen  []*pods.Record
	// gate is the type of the gate.
	gate string
	// room is the answer of the gate to an ask without a grant.
	room queueing.State
	// drained reports whether the queue is drained: it grants nothing.
	drained bool
	// displacing reports whether others release their quota for an ask that waits.
	displacing bool
	// closed reports whether the queue does not admit the namespace.
	closed bool
	// bound is the time limit that lets the application pass others, if it has one.
	bound time.Duration
	// wanted is the reason why the gate wants its grant back; nil while the application may keep it. frank reports
	// whether the answer to an ask also contains it.
	wanted *queueing.Eviction
	frank  bool
	// granted is the start that the gate has granted; asked is the one that it was asked for.
	granted, asked *Start
	// inputs are what a plan is derived from, and grantedInputs those of the gate's grant.
	inputs, grantedInputs string
	// mistake and missing are the results of planning.
	mistake, missing string
	// rejection is the reason why the API server refuses the driver; empty while it accepts it.
	rejection   string
	unreachable map[string]bool
	// elastic is for how many executors above the base gang the queue has quota, and crowded why for no more.
	elastic int32
	crowded string
	// warning is the last warning event of the driver pod, and logCause the reason of its failure according to its log.
	warning, logCause string
	// busy is when the last job ended if the driver is asked, jobs whether one runs, and silent why it does not answer.
	busy   time.Time
	jobs   bool
	silent string
	// away are the workers that a master does not have although their pods are ready.
	away map[string]bool
	// clusterCores is how many cores programs may have in a cluster, and waits whether one has none.
	clusterCores int64
	waits        bool
	// clusterLost says what has become of the cluster of the program; empty if it is there.
	clusterLost string
	// used is how many cores are in use in workers.
	used map[string]int32
	// noWorker is why the API server refuses workers; empty while it accepts them.
	noWorker string
	// questions counts how often drivers were asked.
	questions int
	// endSeen is when the operator first saw the end of a driver, and how, by its uid; a crash forgets it.
	endSeen map[types.UID]seenEnd
	// memory is what the operator remembers of its writes and of executors.
	memory memory

	// objects are the attempts that have objects besides the driver pod. kept are those of them whose driver pod the
	// operator knows to have ended; after a crash, all that exist.
	objects, kept map[AttemptID]bool

	// created counts the driver pods that were ever created, by run/attempt.
	created map[string]int
	// places are the times at which each run began to wait, and preempted is the number of attempts that had to release
	// their quota.
	places    map[int64]metav1.Time
	preempted int
	// moves reports whether the application's place in line may change: it could not start for a while, or asks for
	// something else.
	moves bool
	// unasked reports whether Spark creates no executors before a job needs them.
	unasked bool
	// alone reports whether the driver runs the tasks itself, without executors.
	alone bool
	// podSets are what the application asks for.
	podSets []queueing.PodSet
	// noGrant reports whether the test has added a driver that should not exist.
	noGrant bool
	// forgets reports whether the application has had a restart policy under which failures are forgotten and attempts
	// follow that did not fail.
	forgets bool
	serial  int
	// budget is the number of steps that the operator takes before it crashes; a negative one means that it does not.
	budget int
	// template is the hash of the run template of generation hashed.
	template string
	hashed   int64
	log      []string
}

// seenEnd is a driver that the operator has seen after its end, and when it did first.
type seenEnd struct {
	At     time.Time
	Driver *pods.Record
}

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	return &world{t: t, now: epoch, pods: map[string]*pods.Record{}, created: map[string]int{}, endSeen: map[types.UID]seenEnd{}, stray: map[types.UID]bool{}, objects: map[AttemptID]bool{}, kept: map[AttemptID]bool{}, gate: "Embedded", room: queueing.Granted, budget: -1,
		places: map[int64]metav1.Time{},
		app: &v1alpha1.SparkApplication{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "app-1", Generation: 1, CreationTimestamp: metav1.NewTime(epoch)},
			Spec: v1alpha1.SparkApplicationSpec{Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "spark",
				MainApplicationFile: "local:///pi.py"},
			Status: v1alpha1.SparkApplicationStatus{ObservedGeneration: -1},
		}}
}

// step takes one step of the operator, and returns false if it has crashed before.
func (w *world) step() bool {
	if w.budget == 0 {
		return false
	}
	w.budget--
	return true
}

// pass runs one pass of the operator.
func (w *world) pass() Decision {
	if w.app == nil {
		w.gone()
		return Decision{}
	}
	d := w.decide("")
	obstacle := w.carryOut(d)
	if obstacle != "" && w.app != nil {
		d = w.decide(obstacle)
		w.carryOut(d)
	}
	w.check()
	w.checkLooks(d)
	w.checkEnds(d)
	return d
}

func (w *world) decide(obstacle string) Decision {
	o := Observation{Now: w.now, App: w.app, SameTemplate: w.hash() == w.app.Status.TemplateHash, Pods: w.visible(), ReferenceTimeout: 10 * time.Minute, Obstacle: obstacle}
	if obstacle == inputsChanged {
		o.Obstacle, o.InputsChanged = "", inputsChanged
	}
	if obstacle != "" && obstacle == w.rejection {
		o.Obstacle, o.Rejection = "", obstacle
	}
	w.seeEnd(&o)
	o.ClusterLost, o.ClusterCores = w.clusterLost, w.clusterCores
	o.Eviction = w.eviction()
	o.ExecutorFailures = w.failures(o.Pods)
	o.Leftovers = w.left(o.Pods)
	w.memory.recall(&o)
	for range 12 {
		d := Decide(o)
		switch d.Need {
		case NeedNothing:
			w.seen = o.Pods
			return d
		case NeedPlan:
			o.Plan = w.plan(d.Start)
		case NeedVerdict:
			o.Verdict = w.verdict(d.Start)
		case NeedDriverAbsent:
			w.findDriver(&o)
		case NeedAllocation:
			o.Allocation = w.allocation(d.Want)
		default:
			w.look(&o, d.Need)
		}
	}
	w.t.Fatalf("decide needs more and more\n%s", w.story())
	return Decision{}
}

// allocation grants executors above the base gang as far as there is quota.
func (w *world) allocation(want queueing.ResizeRequest) *queueing.Allocation {
	grant := convert.FromAPI(w.app.Status.Grant)
	above := queueing.PodSetGrant{Name: want.PodSet, Count: min(want.Count, w.elastic), Elastic: true}
	before := slices.IndexFunc(grant.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic })
	allocation := &queueing.Allocation{Grant: &grant}
	if above.Count < want.Count {
		allocation.Why = w.crowded
	}
	switch {
	case before < 0 && above.Count > 0:
		grant.PodSets, grant.Resizes = append(grant.PodSets, above), grant.Resizes+1
	case before >= 0 && above.Count > grant.PodSets[before].Count:
		grant.PodSets[before].Count, grant.Resizes = above.Count, grant.Resizes+1
	}
	return allocation
}

// left returns the attempts without a driver pod that may have other objects, as far as the operator knows.
func (w *world) left(visible []*pods.Record) []AttemptID {
	has := map[AttemptID]bool{}
	for _, p := range visible {
		if id := (AttemptID{p.Run, p.Attempt}); p.Role == pods.Driver && p.OwnerUID == w.app.UID && (p.Active() || !p.Deleting) {
			has[id], w.kept[id] = true, w.kept[id] || !p.Active()
		}
	}
	var left []AttemptID
	for id, seen := range w.kept {
		if seen && !has[id] {
			left = append(left, id)
		}
	}
	slices.SortFunc(left, func(a, b AttemptID) int { return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Attempt, b.Attempt)) })
	return left
}

// restarted resets what the operator knows, as a crash does.
func (w *world) restarted() { w.kept = maps.Clone(w.objects) }

// findDriver answers whether the driver is absent. If it exists, the operator waits for its watch, unless the watch
// cannot show it.
func (w *world) findDriver(o *Observation) {
	pod := w.pods[w.app.Status.Driver.PodName]
	o.DriverAbsent = pod == nil || pod.OwnerUID != w.app.UID || !w.current(pod)
	if o.DriverAbsent {
		return
	}
	w.lagging = nil
	o.Pods = w.visible()
	w.seeEnd(o)
	if w.stray[pod.UID] {
		o.Pods, o.StrayDriver, o.UnreachableNodes = append(o.Pods, pod), true, nil
	}
}

// tellActivity answers what jobs the driver runs, and remembers the answer as the operator does.
func (w *world) tellActivity(o *Observation) {
	w.questions++
	o.Activity = Activity{Asked: w.now, Busy: w.busy, Problem: w.silent}
	if w.jobs {
		o.Activity.Busy = w.now
	}
	if w.silent == "" {
		o.Activity.Workers, o.Activity.Waits = w.workers(), w.waits
		o.Activity.NoteIdle(w.memory.activity)
	}
	w.memory.activity = o.Activity
}

// workers returns the workers that have reached their master.
func (w *world) workers() map[string]Worker {
	alive := map[string]Worker{}
	for _, p := range w.pods {
		if p.Host != "" && p.Running && !p.Deleting && !w.away[p.Name] {
			alive[p.Host] = Worker{Cores: w.used[p.Name]}
		}
	}
	return alive
}

// look answers a need with what a pass reads of pods and nodes.
func (w *world) look(o *Observation, need Need) {
	switch need {
	case NeedLogCause:
		o.LogCause = &w.logCause
	case NeedDriverEvent:
		o.DriverEvent = &w.warning
	case NeedActivity:
		w.tellActivity(o)
	case NeedNodes:
		o.UnreachableNodes = map[string]bool{}
		for name := range w.unreachable {
			o.UnreachableNodes[name] = true
		}
	}
}

// failures returns the failed executors of the current attempt.
func (w *world) failures(visible []*pods.Record) []pods.Failure {
	var failures []pods.Failure
	for _, p := range visible {
		if f, failed := pods.FailureOf(p); failed && w.current(p) {
			failures = append(failures, f)
		}
	}
	slices.SortFunc(failures, pods.Failure.Compare)
	return failures
}

// seeEnd puts into an observation how the driver of the current attempt has ended, and since when, as far as the operator has seen.
func (w *world) seeEnd(o *Observation) {
	for _, p := range o.Pods {
		if p.Role != pods.Driver || p.Ended == nil || !w.current(p) {
			continue
		}
		if _, seen := w.endSeen[p.UID]; !seen {
			w.endSeen[p.UID] = seenEnd{w.now, p}
		}
		o.DriverEndedSince = w.endSeen[p.UID].At
	}
	for _, seen := range w.endSeen {
		if d := w.app.Status.Driver; d != nil && w.app.Status.Grant != nil && w.current(seen.Driver) && seen.Driver.Name == d.PodName {
			o.DriverEndedSince, o.EndedDriver = seen.At, seen.Driver
		}
	}
}

// hash returns the hash of the run template, computed once for each generation.
func (w *world) hash() string {
	if w.hashed != w.app.Generation {
		hash, err := templatehash.Of(&w.app.Spec)
		if err != nil {
			w.t.Fatal(err)
		}
		w.hashed, w.template = w.app.Generation, hash
	}
	return w.template
}

func (w *world) visible() []*pods.Record {
	source := w.pods
	if w.lagging != nil {
		source = w.lagging
	}
	names := make([]string, 0, len(source))
	for name := range source {
		names = append(names, name)
	}
	sort.Strings(names)
	out := make([]*pods.Record, 0, len(names))
	for _, name := range names {
		if !w.stray[source[name].UID] {
			out = append(out, source[name])
		}
	}
	return out
}

func (w *world) plan(start Start) *Plan {
	plan := &Plan{Hash: w.hash(), Inputs: w.inputs, Queue: "team-a", Gate: "Embedded"}
	if w.mistake != "" {
		plan.Findings = []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: w.mistake}}
		return plan
	}
	if w.missing != "" {
		plan.Missing = []string{w.missing}
		return plan
	}
	if plan.DriverPod = w.app.Spec.Driver.PodName; plan.DriverPod == "" {
		plan.DriverPod = fmt.Sprintf("pi-%d-%d-driver", start.Run, start.Attempt)
	}
	plan.ApplicationID = fmt.Sprintf("spark-%d-%d", start.Run, start.Attempt)
	plan.Executors, plan.PodSets = 2, w.podSets
	if w.unasked || w.alone {
		plan.Executors = 0
	}
	return plan
}

// eviction returns the reason why the gate wants the grant in the status back; nil if it does not, or does not hold
// that grant.
func (w *world) eviction() *queueing.Eviction {
	if held := w.app.Status.Grant; held == nil || w.granted == nil || w.granted.Run != held.Run || w.granted.Attempt != held.Attempt {
		return nil
	}
	return w.wanted
}

// wants makes the gate want its grant back.
func (w *world) wants(reason, message string) {
	w.logf("gate: wants run %d attempt %d back: %s", w.granted.Run, w.granted.Attempt, message)
	w.wanted = &queueing.Eviction{Reason: reason, Message: message}
}

// verdict returns the answer of the gate: a grant stays granted, and a grant for another start has to be released
// first.
func (w *world) verdict(start Start) *queueing.Verdict {
	w.asked = &start
	if w.granted != nil && (w.granted.Run != start.Run || w.granted.Attempt != start.Attempt || w.wanted != nil && w.frank) {
		return &queueing.Verdict{State: queueing.Evicting}
	}
	if w.granted == nil && w.room == queueing.Granted && w.keptOut() == nil {
		w.granted, w.grantedInputs = &start, w.inputs
	}
	switch {
	case w.granted != nil:
		grant := &queueing.Grant{Run: start.Run, Attempt: start.Attempt, Gate: w.gate, Queue: "team-a", HoldsFor: w.bound, Inputs: w.grantedInputs,
			PodSets: []queueing.PodSetGrant{{Name: "driver", Count: 1}, {Name: "executor", Count: 2}}}
		if w.alone {
			grant.PodSets = grant.PodSets[:1]
		}
		return &queueing.Verdict{State: queueing.Granted, Reason: map[string]string{"None": "DelegatedToScheduler", "YuniKorn": "DelegatedToScheduler"}[w.gate], Grant: grant}
	case w.room == queueing.Refused:
		return &queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: "needs memory 9Gi, queue team-a holds 3Gi"}
	case w.room == queueing.Undecided:
		return &queueing.Verdict{}
	case w.keptOut() != nil:
		return w.keptOut()
	case w.displacing:
		return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Preempting: true,
			Message: "waits until etl/low has released its quota"}
	}
	return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Message: "needs memory 2688Mi of 3Gi in queue team-a"}
}

// keptOut returns the answer of a queue that does not admit this namespace; nil if it does.
func (w *world) keptOut() *queueing.Verdict {
	switch {
	case w.drained:
		return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonQueueHeld, Message: "queue team-a is held"}
	case w.closed:
		return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonNamespaceNotAllowed, Message: "queue team-a admits namespaces with team=a"}
	}
	return nil
}

func (w *world) carryOut(d Decision) (obstacle string) {
	for _, a := range d.Before {
		if !w.step() {
			return ""
		}
		w.do(a)
	}
	if d.Finalizer && len(w.app.Finalizers) == 0 {
		if !w.step() {
			return ""
		}
		w.app.Finalizers = []string{v1alpha1.Finalizer}
	}
	if !w.write(d) {
		return ""
	}
	for _, a := range d.After {
		if !w.step() {
			return ""
		}
		if o := w.do(a); o != "" {
			return o
		}
		if w.app == nil {
			return ""
		}
	}
	return ""
}

// write publishes the status, and returns false if the operator has crashed before.
func (w *world) write(d Decision) bool {
	before := stageText(w.app)
	if equality.Semantic.DeepEqual(w.app.Status, d.Status) {
		return true
	}
	if !w.step() {
		return false
	}
	if d.Status.Stopping == v1alpha1.StopPreempted && w.app.Status.Stopping == "" {
		if w.eviction() == nil {
			w.t.Fatalf("an attempt is preempted although no other one needs its quota\n%s", w.story())
		}
		w.preempted++
	}
	if strings.Contains(before, string(status.Suspended)) || strings.Contains(before, string(status.Idle)) || d.Status.Times.Blocked != nil || w.app.Status.Times.Blocked != nil || w.app.Status.TemplateHash != d.Status.TemplateHash {
		w.moves = true
	}
	w.app.Status = *d.Status.DeepCopy()
	w.memory.written, w.memory.writes = w.now, w.memory.writes+1
	if after := stageText(w.app); after != before {
		w.logf("operator: %s", after)
	}
	for _, a := range d.Events {
		kind := "event"
		if a.Warning {
			kind = "warning"
		}
		w.logf("%s: %s: %s", kind, a.Reason, a.Message)
	}
	return true
}

func (w *world) do(a Action) string {
	switch a.Kind {
	case ReportGrant, DeleteService:
	case CreateDriver:
		return w.createDriver()
	case CreateWorkers:
		return w.createWorkers(a.Workers)
	case DeletePod:
		w.deletePod(a.Pod, a.Force)
	case EndContainers:
		w.endContainers(a.Pod.Name)
	case DeleteObjects:
		w.deleteObjects(AttemptID{a.Run, a.Attempt})
	case ReleaseGrant:
		w.release()
	case RemoveFinalizer:
		w.app.Finalizers = nil
		if !w.app.DeletionTimestamp.IsZero() {
			w.logf("api server: application is gone")
			w.app = nil
		}
	case DeleteApplication:
		w.logf("operator: deletes the application")
		w.deleted()
	}
	return ""
}

// deleteObjects deletes the objects of an attempt, its driver pod among them.
func (w *world) deleteObjects(of AttemptID) {
	delete(w.objects, of)
	delete(w.kept, of)
	for _, p := range w.seen {
		if p.Role == pods.Driver && p.Run == of.Run && p.Attempt == of.Attempt && p.OwnerUID == w.app.UID {
			w.deletePod(p, false)
		}
	}
}

func (w *world) release() {
	if w.granted != nil {
		w.logf("gate: takes run %d attempt %d back", w.granted.Run, w.granted.Attempt)
	}
	w.granted, w.asked, w.wanted = nil, nil, nil
}

// gone does what the operator does for an application that is gone, perhaps without its finalizer.
func (w *world) gone() {
	active := false
	for _, p := range w.visible() {
		if p.Active() {
			active = true
			w.deletePod(p, false)
		}
	}
	if !active {
		w.release()
	}
}

// inputsChanged is the message of an operator that finds that a driver has other inputs than were granted.
const inputsChanged = "a ConfigMap has changed before the driver was created"

func (w *world) createDriver() string {
	s := &w.app.Status
	if s.Grant.Inputs != w.inputs {
		return inputsChanged
	}
	if w.rejection != "" {
		return w.rejection
	}
	name := s.Driver.PodName
	if existing := w.pods[name]; existing != nil {
		if existing.OwnerUID != w.app.UID {
			return "pod " + name + " belongs to another owner"
		}
		if !w.current(existing) {
			return "pod " + name + " of an earlier attempt still exists"
		}
		return ""
	}
	w.serial++
	w.objects[AttemptID{s.Run, s.Attempt}] = true
	w.created[fmt.Sprintf("%d/%d", s.Run, s.Attempt)]++
	w.pods[name] = &pods.Record{
		Origin: &pods.Origin{Namespace: "default", OwnerUID: w.app.UID, Application: "pi", AppUID: string(w.app.UID), Run: s.Run, Attempt: s.Attempt},
		Name:   name, Trouble: &pods.Trouble{}, UID: types.UID(fmt.Sprintf("pod-%d", w.serial)), Role: pods.Driver, Phase: corev1.PodPending, Node: "node-1",
		CreatedAt: uint32(w.now.Unix()),
	}
	w.logf("operator: creates %s", name)
	return ""
}

// createWorkers creates workers that start and are ready at once. Those that exist stay. It returns why the API server
// refuses one.
func (w *world) createWorkers(numbers []int) string {
	for _, n := range numbers {
		name := fmt.Sprintf("pi-%d-%d-worker-%d", w.app.Status.Run, w.app.Status.Attempt, n)
		if w.pods[name] != nil {
			continue
		}
		if w.noWorker != "" {
			return w.noWorker
		}
		w.serial++
		w.executor(name, true)
		w.pods[name].UID, w.pods[name].OwnerUID = types.UID(fmt.Sprintf("pod-%d", w.serial)), w.app.Status.Driver.UID
		w.pods[name].Host = name
		w.logf("operator: creates %s", name)
	}
	return ""
}

func (w *world) deletePod(r *pods.Record, force bool) {
	existing := w.pods[r.Name]
	if existing == nil || existing.UID != r.UID {
		return
	}
	if force || !existing.Active() || existing.Phase == corev1.PodPending {
		w.logf("api server: %s is gone", r.Name)
		delete(w.pods, r.Name)
		return
	}
	switch {
	case !existing.Deleting:
		w.logf("operator: asks %s to end", r.Name)
		w.change(r.Name, func(p *pods.Record) { p.Deleting, p.EndsAt = true, uint32(w.now.Unix()) })
	case existing.EndsLate(pods.DefaultMaxTermination):
		w.logf("operator: asks %s to end sooner", r.Name)
		w.change(r.Name, func(p *pods.Record) { p.EndsAt, p.EndGrace = p.EndsAt-p.EndGrace+600, 600 })
	}
}

// change replaces a pod's record by a changed copy, as the watch would.
func (w *world) change(name string, change func(*pods.Record)) {
	copied := *w.pods[name]
	trouble := *copied.Trouble
	copied.Trouble = &trouble
	change(&copied)
	w.pods[name] = &copied
}

// check checks the promises after every pass.
func (w *world) check() {
	w.t.Helper()
	drivers := 0
	for _, p := range w.pods {
		if p.Role == pods.Driver && p.Active() && !w.noGrant {
			drivers++
			if w.app != nil && w.app.Status.Grant == nil {
				w.t.Fatalf("driver %s exists without a grant\n%s", p.Name, w.story())
			}
			if w.granted == nil || w.granted.Run != p.Run || w.granted.Attempt != p.Attempt {
				w.t.Fatalf("the gate has taken the room of %s back while it is active\n%s", p.Name, w.story())
			}
		}
	}
	if drivers > 1 {
		w.t.Fatalf("%d live drivers at once\n%s", drivers, w.story())
	}
	if w.app != nil {
		w.checkConditions()
		w.checkAttempts()
		w.checkEnd()
	}
}

// checkEnd checks what a new leader relies on, which does not read applications that have ended.
func (w *world) checkEnd() {
	w.t.Helper()
	s := &w.app.Status
	if s.Times.Finished != nil && s.Grant != nil {
		w.t.Fatalf("it has ended at %v and holds a grant\n%s", s.Times.Finished, w.story())
	}
}

// checkAttempts checks that every attempt of a run has a reason, and that the run keeps its place in the queue over all
// of them.
func (w *world) checkAttempts() {
	w.t.Helper()
	s := &w.app.Status
	if s.Run == 0 {
		return
	}
	place, known := w.places[s.Run]
	if known && !place.Equal(s.Times.Queued) && lastOf(s).Outcome == v1alpha1.OutcomeStopped && !w.moves {
		w.t.Fatalf("run %d waited from %v and now from %v\n%s", s.Run, place, s.Times.Queued, w.story())
	}
	w.moves = w.moves && s.Times.Blocked != nil
	w.places[s.Run] = *s.Times.Queued
	earlier := int64(s.Failures + s.Preemptions + s.Resumes + s.Requeues)
	if last := lastOf(s); last.Outcome == v1alpha1.OutcomeFailed && last.Run == s.Run && last.Attempt == s.Attempt && s.Grant == nil {
		// The last attempt is not followed by another one.
		earlier--
	}
	w.forgets = w.forgets || w.app.Spec.RestartPolicy != nil
	if s.Attempt < 1+earlier || s.Attempt > 1+earlier && !w.forgets {
		w.t.Fatalf("attempt %d after %d failures, %d preemptions, %d resumes, %d requeues\n%s", s.Attempt, s.Failures, s.Preemptions, s.Resumes, s.Requeues, w.story())
	}
	w.checkPreempted()
}

// checkPreempted checks the promises to a run whose attempt had to release its quota.
func (w *world) checkPreempted() {
	w.t.Helper()
	s := &w.app.Status
	stage, _ := status.StageOf(s.Conditions)
	last := lastOf(s)
	current := last.Run == s.Run && last.Reason == "Preempted"
	follows := current && last.Attempt == s.Attempt-1
	switch {
	case s.Stopping == v1alpha1.StopPreempted && (stage != status.Finalizing || s.Grant == nil):
		w.t.Fatalf("room is given back in the stage %s, with the grant %v\n%s", stage, s.Grant, w.story())
	case stage == status.Preempted && (s.Grant != nil || !follows):
		w.t.Fatalf("waits as Preempted after %+v, with the grant %v\n%s", last, s.Grant, w.story())
	case stage == status.Queued && follows:
		w.t.Fatalf("waits as Queued after it was preempted\n%s", w.story())
	case stage.Ended() && current:
		w.t.Fatalf("the run ends because it was preempted\n%s", w.story())
	}
}

// lastOf returns the last attempt that has ended.
func lastOf(s *v1alpha1.SparkApplicationStatus) v1alpha1.AttemptStatus {
	if n := len(s.Attempts); n > 0 {
		return s.Attempts[n-1]
	}
	return v1alpha1.AttemptStatus{}
}

func (w *world) checkConditions() {
	w.t.Helper()
	c := w.app.Status.Conditions
	ready, stalled := apimeta.FindStatusCondition(c, "Ready"), apimeta.FindStatusCondition(c, "Stalled")
	reconciling := apimeta.FindStatusCondition(c, "Reconciling")
	switch {
	case ready == nil && len(c) > 0:
		w.t.Fatalf("conditions without Ready\n%s", w.story())
	case stalled != nil && (reconciling != nil || ready.Status != "False" || ready.Reason != stalled.Reason):
		w.t.Fatalf("Stalled contradicts the others: %+v\n%s", c, w.story())
	case ready != nil && ready.Status == "Unknown" && reconciling == nil:
		w.t.Fatalf("Ready is Unknown and nothing goes on: %+v\n%s", c, w.story())
	}
}

func (w *world) logf(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%6s  ", w.now.Sub(epoch))+fmt.Sprintf(format, args...))
}

func (w *world) story() string { return strings.Join(w.log, "\n") }

func stageText(app *v1alpha1.SparkApplication) string {
	ready := apimeta.FindStatusCondition(app.Status.Conditions, "Ready")
	if ready == nil {
		return "nothing published"
	}
	return fmt.Sprintf("run %d attempt %d %s=%s: %s", app.Status.Run, app.Status.Attempt, ready.Reason, ready.Status, ready.Message)
}
