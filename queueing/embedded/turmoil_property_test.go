// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

const (
	// turmoils is the default number of seeds of TestTurmoil.
	turmoils = 60
	// turmoilSteps is the number of steps for each seed.
	turmoilSteps = 120
	// turmoilQueues is the largest number of queues.
	turmoilQueues = 8
	// turmoilEnd is the number of minutes within which all applications have to run once nothing new arrives.
	turmoilEnd = 500
)

// turmoil is an engine under changes of every kind, in random order.
type turmoil struct {
	*world
	now time.Time
	// asks are the latest asks of all applications, including those that hold a grant.
	asks map[queueing.Key]queueing.Ask
	// flavors are the flavors besides the default one.
	flavors []config.Flavor
	// tight puts all queues into one tree that limits cpu only, so that quota is scarce at several levels at once.
	tight bool
	// heard is the news that each application has seen last.
	heard map[queueing.Key]news
	// undone is set if a decision of the last cycle could not be recorded.
	undone bool
	// granted counts the grants, grown how often a grant grew, and checked the messages about queues that were
	// verified.
	granted, grown, checked int
}

func newTurmoil(seed uint64) *turmoil {
	u := &turmoil{world: newWorld(seed), now: epoch, asks: map[queueing.Key]queueing.Ask{}, heard: map[queueing.Key]news{}}
	u.tight = u.chance(0.7)
	u.changeFlavors(queueing.Key{})
	var queues []config.Queue
	for i := range turmoilQueues {
		queues = append(queues, u.turmoilQueue(i))
	}
	u.setQueues(queues)
	return u
}

// turmoilQueue returns a random queue that may preempt and reserve quota.
func (u *turmoil) turmoilQueue(i int) config.Queue {
	q := u.randomQueue(i)
	if u.tight {
		q = u.tightQueue(i)
		if u.chance(0.25) {
			q.Strategy = config.StrictFIFO
		}
		if limit := 1 + u.Int32N(4); u.chance(0.15) {
			q.MaxRunning = &limit
		}
		q.FlavorPreference = []config.FlavorPreference{config.FlavorsInOrder, config.LeastBorrowing, config.LeastPreemption}[u.IntN(3)]
	}
	q.Preemption = config.Preemption{
		Within:  []config.Policy{config.PreemptNever, config.PreemptLowerPriority, config.PreemptLowerOrNewerEqualPriority}[u.IntN(3)],
		Reclaim: []config.Policy{config.PreemptNever, config.PreemptLowerPriority, config.PreemptAny}[u.IntN(3)],
		Borrow:  []config.Policy{config.PreemptNever, config.PreemptLowerPriority}[u.IntN(2)],
	}
	if u.chance(0.3) {
		most := u.Int32N(3)
		q.Preemption.BorrowThreshold = &most
	}
	q.FairPreemption = []config.FairPreemption{"", config.PreemptLessThanInitialShare, config.PreemptLessThanOrEqualToFinalShare}[u.IntN(3)]
	if u.chance(0.7) {
		timeout := time.Duration(u.IntN(3)) * 3 * time.Minute
		q.HeadTimeout = &timeout
	}
	if u.chance(0.05) {
		q.Stop = config.StopHoldAndDrain
	}
	return q
}

// tightQueue returns a queue of the single tree below q0, with little cpu and often without borrowing.
func (u *turmoil) tightQueue(i int) config.Queue {
	q := config.Queue{
		Name: fmt.Sprintf("q%d", i), Admits: func(map[string]string) bool { return true }, Weight: u.Int32N(4), FairSharing: u.chance(0.1),
	}
	r := config.ResourceQuota{Resource: "cpu", Nominal: 4 + u.Int64N(8)}
	if i > 0 {
		q.Parent = fmt.Sprintf("q%d", u.IntN((i+1)/2)) // at most four levels
		r.Nominal = u.Int64N(8)
		if limit := u.Int64N(2); u.chance(0.5) {
			r.Borrowing = &limit
		}
		if u.chance(0.3) {
			return q
		}
	}
	q.Flavors = []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{r}}}
	if u.chance(0.3) {
		q.Flavors = append(q.Flavors, config.FlavorQuota{Name: "spot", Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: u.Int64N(6)}}})
	}
	return q
}

// turmoilStep is one kind of step. Steps that need an application get a random one.
type turmoilStep struct {
	weight int
	play   func(*turmoil, queueing.Key)
}

var turmoilTable = []turmoilStep{
	{8, func(u *turmoil, _ queueing.Key) { u.arrive() }},
	{2, (*turmoil).askAgain},
	{4, (*turmoil).leave},
	{1, (*turmoil).undo},
	{1, (*turmoil).replaceQueue},
	{1, (*turmoil).deleteQueue},
	{1, (*turmoil).moveQueue},
	{2, (*turmoil).dissolveQueue},
	{2, (*turmoil).repairQueues},
	{1, (*turmoil).changeFlavors},
	{3, (*turmoil).wait},
	{4, (*turmoil).resize},
	{1, (*turmoil).changeHolder},
	{1, (*turmoil).shrink},
	{1, (*turmoil).charge},
	{1, (*turmoil).restart},
}

// step plays one random step.
func (u *turmoil) step() {
	keys := u.known()
	if len(keys) == 0 {
		u.arrive()
		return
	}
	key, total := keys[u.IntN(len(keys))], 0
	for _, s := range turmoilTable {
		total += s.weight
	}
	at := u.IntN(total)
	for _, s := range turmoilTable {
		if at -= s.weight; at < 0 {
			s.play(u, key)
			return
		}
	}
}

// known lists all applications, in order.
func (u *turmoil) known() []queueing.Key {
	var out []queueing.Key
	for key := range u.asks {
		out = append(out, key)
	}
	slices.SortFunc(out, state.CompareKeys)
	return out
}

// arrive makes an application ask. It may be elastic, announce its end, or be part of another one.
func (u *turmoil) arrive() {
	a := u.randomAsk(u.newKey())
	a.Elastic = elasticIf(u.chance(0.5))
	if u.chance(0.3) {
		a.HoldsFor = time.Duration(1+u.IntN(20)) * time.Minute
	}
	if u.chance(0.1) {
		a.Part, a.Key.Kind = true, "Pod"
	}
	if u.chance(0.2) {
		a.PodSets[0].Requests = queueing.Resources{"cpu": 3 + u.Int64N(6)}
	}
	for i := range a.PodSets {
		if u.chance(0.4) {
			a.PodSets[i].Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
		}
		if u.chance(0.1) {
			a.PodSets[i].NodeSelector = map[string]string{"pool": []string{"gpu", "spot"}[u.IntN(2)]}
		}
	}
	u.ask(a)
}

// charge makes a pod count that no queue has admitted, whether it fits or not.
func (u *turmoil) charge(queueing.Key) {
	a := u.randomAsk(u.newKey())
	a.Key.Kind, a.Part = "Pod", u.chance(0.5)
	g := queueing.Grant{Run: a.Run, Attempt: a.Attempt, Gate: state.GateName, Queue: a.Queue, Part: a.Part, Priority: a.Priority,
		PodSets: []queueing.PodSetGrant{{Name: "driver", Flavor: []string{"", config.DefaultFlavor, "spot"}[u.IntN(3)], Count: 1, Requests: a.PodSets[0].Requests}}}
	u.say("%s is charged to %s: %v", a.Key.Name, g.Queue, g.PodSets)
	u.asks[a.Key] = a
	u.engine.Restore(a.Key, g)
	u.engine.Confirm(a.Key, g.Run, g.Attempt)
	u.engine.SetHolderState(a.Key, g.Run, g.Attempt, queueing.HolderState{Priority: a.Priority, QueuedAt: a.QueuedAt})
}

// leaves returns the queues without children.
func (u *turmoil) leaves() []string {
	var out []string
	for _, q := range u.queues {
		if !slices.ContainsFunc(u.queues, func(child config.Queue) bool { return child.Parent == q.Name }) {
			out = append(out, q.Name)
		}
	}
	return out
}

// ask submits an ask, mostly to a queue that takes applications.
func (u *turmoil) ask(a queueing.Ask) {
	if leaves := u.leaves(); len(leaves) > 0 && u.chance(0.8) {
		a.Queue = leaves[u.IntN(len(leaves))]
	}
	u.say("%s asks %s, priority %d, at %s, for %s: %v", a, a.Queue, a.Priority, a.QueuedAt.Format(time.TimeOnly), a.HoldsFor, a.PodSets)
	u.asks[a.Key] = a
	u.engine.Submit(a)
	u.heard[a.Key] = u.newsOf(a.Key) // it gets the verdict as an answer
}

func (u *turmoil) askAgain(key queueing.Key) { u.ask(u.randomAsk(key)) }

func (u *turmoil) leave(key queueing.Key) {
	u.say("%s leaves", key.Name)
	u.engine.Release(key)
	delete(u.asks, key)
	delete(u.heard, key)
}

// undo reverts the last decision about an application, unless it was recorded.
func (u *turmoil) undo(key queueing.Key) {
	u.say("undo %s: %t", key.Name, u.engine.Revert(key))
}

// anyQueue returns the name of a random queue, its number, and its index among the existing ones.
func (u *turmoil) anyQueue() (name string, i, at int) {
	i = u.IntN(turmoilQueues)
	name = fmt.Sprintf("q%d", i)
	return name, i, slices.IndexFunc(u.queues, func(q config.Queue) bool { return q.Name == name })
}

// replaceQueue replaces the configuration of a queue, or creates it.
func (u *turmoil) replaceQueue(queueing.Key) {
	_, i, at := u.anyQueue()
	queues := slices.Clone(u.queues)
	if at < 0 {
		queues = append(queues, u.turmoilQueue(i))
	} else {
		queues[at] = u.turmoilQueue(i)
	}
	u.reconfigure(queues)
}

// deleteQueue deletes a queue, which its children still name as their parent. A queue that does not exist is created.
func (u *turmoil) deleteQueue(key queueing.Key) {
	_, _, at := u.anyQueue()
	if at < 0 {
		u.replaceQueue(key)
		return
	}
	u.reconfigure(slices.Delete(slices.Clone(u.queues), at, at+1))
}

// moveQueue gives a queue another parent. The parent may be missing, or, if its number is greater, below the queue.
func (u *turmoil) moveQueue(queueing.Key) {
	if _, i, at := u.anyQueue(); at >= 0 {
		queues, most := slices.Clone(u.queues), max(1, i)
		if u.chance(0.3) {
			most = turmoilQueues
		}
		queues[at].Parent = fmt.Sprintf("q%d", u.IntN(most))
		u.reconfigure(queues)
	}
}

// dissolveQueue deletes a queue and moves its children to its parent.
func (u *turmoil) dissolveQueue(queueing.Key) {
	name, _, at := u.anyQueue()
	if at < 0 || u.queues[at].Parent == "" {
		return
	}
	parent := u.queues[at].Parent
	queues := slices.Delete(slices.Clone(u.queues), at, at+1)
	for i := range queues {
		if queues[i].Parent == name {
			queues[i].Parent = parent
		}
	}
	u.reconfigure(queues)
}

// repairQueues creates all missing parents and breaks cycles.
func (u *turmoil) repairQueues(queueing.Key) {
	queues := slices.Clone(u.queues)
	for i := range turmoilQueues {
		name := fmt.Sprintf("q%d", i)
		at := slices.IndexFunc(queues, func(q config.Queue) bool { return q.Name == name })
		missed := slices.ContainsFunc(queues, func(q config.Queue) bool { return q.Parent == name })
		if at < 0 && missed || at >= 0 && u.isAbove(name, name) {
			queues = slices.DeleteFunc(queues, func(q config.Queue) bool { return q.Name == name })
			queues = append(queues, u.turmoilQueue(i))
		}
	}
	u.reconfigure(queues)
}

func (u *turmoil) reconfigure(queues []config.Queue) {
	u.queues = queues
	u.engine.SetQueues(queues)
	for _, q := range queues {
		u.say("queue %s", describe(q))
	}
}

func (u *turmoil) changeFlavors(queueing.Key) {
	u.flavors = nil
	for _, name := range existing[1:] {
		flavor := config.Flavor{Name: name}
		if u.chance(0.4) {
			flavor.NodeLabels = map[string]string{"pool": name}
		}
		if u.chance(0.3) {
			flavor.NodeTaints = []corev1.Taint{{Key: name, Effect: corev1.TaintEffectNoSchedule}}
		}
		if u.chance(0.3) {
			flavor.Tolerations = []corev1.Toleration{{Key: name, Operator: corev1.TolerationOpExists}}
		}
		if u.chance(0.9) {
			u.flavors = append(u.flavors, flavor)
		}
	}
	u.say("flavors %+v", u.flavors)
	u.engine.SetFlavors(u.flavors)
}

func (u *turmoil) wait(queueing.Key) { u.now = u.now.Add(time.Duration(u.IntN(8)) * time.Minute) }

func (u *turmoil) resize(key queueing.Key) {
	if g, holds := u.engine.Held(key); holds {
		want := queueing.ResizeRequest{PodSet: "executor", Count: u.Int32N(6)}
		u.say("%s wants %d more", key.Name, want.Count)
		u.engine.SetResizeRequest(key, g.Run, g.Attempt, want)
		u.heard[key] = u.newsOf(key)
	}
}

// changeHolder gives a holder another priority or end, or makes it terminate.
func (u *turmoil) changeHolder(key queueing.Key) {
	if g, holds := u.engine.Held(key); holds {
		s := queueing.HolderState{Priority: u.Int32N(3), QueuedAt: epoch, Terminating: u.chance(0.2), Stuck: u.chance(0.1)}
		if u.chance(0.3) {
			s.ReleasedBy = u.now.Add(time.Duration(u.IntN(30)) * time.Minute)
		}
		u.say("%s is %+v", key.Name, s)
		u.engine.SetHolderState(key, g.Run, g.Attempt, s)
	}
}

// shrink makes a holder return some of the pods above its base gang.
func (u *turmoil) shrink(key queueing.Key) {
	g, holds := u.engine.Held(key)
	if !holds {
		return
	}
	g.PodSets = slices.Clone(g.PodSets)
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Elastic && p.Count > 0 {
			p.Count -= u.Int32N(p.Count + 1)
		}
	}
	u.say("%s keeps %v", key.Name, g.PodSets)
	u.engine.Settle(key, g)
}

// restart replaces the engine with one that knows only the objects and the ledgers, so that decisions that were not
// recorded are lost. The states of some holders are not known at first.
func (u *turmoil) restart(queueing.Key) {
	u.say("restart")
	next := New()
	next.SetFlavors(u.flavors)
	next.SetQueues(u.queues)
	next.Advance(u.now)
	for _, key := range u.known() {
		g, holds := u.engine.Held(key)
		h := u.engine.registry.Askers[key]
		switch lost := u.chance(0.5); {
		case !holds, h.Held.Origin != nil && lost:
			continue
		case h.Held.Growth.Before != nil && lost:
			g = *h.Held.Growth.Before
		}
		next.Restore(key, g)
		if u.chance(0.9) {
			next.SetHolderState(key, g.Run, g.Attempt, queueing.HolderState{Priority: g.Priority, QueuedAt: epoch})
		}
	}
	for _, key := range u.known() {
		if _, holds := next.Held(key); !holds {
			next.Submit(u.asks[key])
		}
	}
	u.engine, u.heard = next, map[queueing.Key]news{}
}

// decide makes up to most decisions; 0 means without a limit. A part of them may not be recorded yet.
func (u *turmoil) decide(most int, recorded float64) ([]state.Decision, error) {
	u.engine.Advance(u.now)
	u.say("cycle at %s, at most %d", u.now.Format(time.TimeOnly), most)
	decisions := u.engine.Cycle(most)
	for _, d := range decisions {
		u.say("  %s in %s of %s, grown by %d: %v", d.Key.Name, d.Grant.Queue, d.Root, d.Grown, d.Grant.PodSets)
		if err := u.checkDecision(&d); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Key.Name, err)
		}
		if d.Grown > 0 {
			u.grown++
		} else {
			u.granted++
		}
	}
	if err := errors.Join(u.checkHeard(), u.checkCounts()); err != nil {
		return nil, err
	}
	return decisions, u.record(decisions, recorded)
}

// record marks some of the decisions as recorded. If the ledger of a tree is not written, none of the tree's decisions
// are.
func (u *turmoil) record(decisions []state.Decision, recorded float64) error {
	failed := map[string]bool{}
	for _, d := range decisions {
		if _, known := failed[d.Root]; !known {
			failed[d.Root] = recorded < 1 && u.chance(0.1)
		}
		switch {
		case failed[d.Root]:
			u.undone = true
			if u.say("  %s was not recorded", d.Key.Name); !u.engine.Revert(d.Key) {
				return fmt.Errorf("the decision about %s cannot be reverted", d.Key.Name)
			}
		case u.chance(recorded):
			u.engine.Settle(d.Key, d.Grant)
			u.engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
		}
	}
	return nil
}

func (u *turmoil) isQueue(name string) bool {
	return slices.ContainsFunc(u.queues, func(q config.Queue) bool { return q.Name == name })
}

// isAbove reports whether a queue is an ancestor of another one. Both exist.
func (u *turmoil) isAbove(above, name string) bool {
	for range u.queues { // parents may make a cycle
		at := slices.IndexFunc(u.queues, func(q config.Queue) bool { return q.Name == name })
		if at < 0 {
			return false
		}
		if name = u.queues[at].Parent; name == above {
			return u.isQueue(above)
		}
	}
	return false
}

// checkVerdicts checks the verdicts after a cycle without a limit.
func (u *turmoil) checkVerdicts() error {
	for _, key := range u.known() {
		v := u.engine.Verdict(key)
		if v.State == queueing.Undecided {
			return fmt.Errorf("%s is undecided after a complete cycle", key.Name)
		}
		pending := v.State == queueing.Waiting || v.State == queueing.Refused
		if pending && v.Message == "" {
			return fmt.Errorf("%s: %s for no reason", key.Name, says(v))
		}
		if problem := u.checkMessage(v.Message); problem != "" {
			return fmt.Errorf("%s: %s: %s", key.Name, says(v), problem)
		}
		if problem := u.checkMessage(u.whyNoMore(key)); problem != "" {
			return fmt.Errorf("%s does not grow, %s: %s", key.Name, u.whyNoMore(key), problem)
		}
	}
	return nil
}

// whyNoMore returns why a holder does not grow. A holder that is about to end, or whose growth is not recorded yet,
// keeps its last reason.
func (u *turmoil) whyNoMore(key queueing.Key) string {
	h := u.engine.registry.Askers[key].Held
	if h == nil || h.MustEnd() || h.Growth.Before != nil {
		return ""
	}
	return h.Growth.Message
}

var (
	saysAbove   = regexp.MustCompile(`queue (\S+), above (\S+),`)
	saysMissing = regexp.MustCompile(`(?:queue|has the parent) (\S+?),?(?: which)? does not exist`)
	saysLimit   = regexp.MustCompile(`queue (\S+) (?:may use at most|is held|has reached)`)
)

// checkMessage returns a false statement about queues in a message, or a missing word, or "".
func (u *turmoil) checkMessage(message string) string {
	if strings.Contains(message, "  ") {
		return "a word is missing"
	}
	for _, m := range saysAbove.FindAllStringSubmatch(message, -1) {
		if u.checked++; !u.isAbove(m[1], m[2]) {
			return fmt.Sprintf("%s is not above %s", m[1], m[2])
		}
	}
	for _, m := range saysMissing.FindAllStringSubmatch(message, -1) {
		if u.checked++; u.isQueue(m[1]) {
			return m[1] + " does exist"
		}
	}
	for _, m := range saysLimit.FindAllStringSubmatch(message, -1) {
		if u.checked++; !u.isQueue(m[1]) {
			return m[1] + " does not exist"
		}
	}
	return ""
}

// checkExplanations checks everything that can be explained.
func (u *turmoil) checkExplanations() error {
	for _, key := range u.known() {
		x, known := u.engine.Explain(key)
		if !known || x.Pending == nil {
			continue
		}
		for _, remedy := range x.Pending.Remedies {
			if remedy == "" || strings.Contains(remedy, "  ") {
				return fmt.Errorf("%s has the remedy %q, where a word is missing", key.Name, remedy)
			}
		}
	}
	for _, name := range u.engine.Queues().Names() {
		if x, known := u.engine.Queues().Explain(name); !known || x.Pending < 0 || x.Admitted < 0 {
			return fmt.Errorf("queue %s: %+v", name, x)
		}
	}
	return nil
}

// run plays all steps, with a cycle after most of them.
func (u *turmoil) run() error {
	for range turmoilSteps {
		if u.step(); u.chance(0.4) {
			continue
		}
		most := 0
		if u.chance(0.3) {
			most = 1 + u.IntN(3)
		}
		u.undone = false
		if _, err := u.decide(most, 0.8); err != nil {
			return err
		}
		if most > 0 || u.undone {
			continue
		}
		if err := u.checkVerdicts(); err != nil {
			return err
		}
		if u.chance(0.7) {
			continue // explanations take long
		}
		if err := u.checkExplanations(); err != nil {
			return err
		}
	}
	return errors.Join(u.comeToRest(), u.checkNothingFits(), u.checkNothingIsLeft())
}

// comeToRest stops arrivals and ends running applications after a while, until nothing runs and nothing more starts.
// Each cycle decides without a limit.
func (u *turmoil) comeToRest() error {
	for range turmoilEnd {
		u.now = u.now.Add(time.Minute)
		first, err := u.decide(0, 1)
		if err != nil {
			return err
		}
		second, err := u.decide(0, 1)
		if err != nil {
			return err
		}
		for _, d := range second {
			if d.Grown == 0 {
				return fmt.Errorf("%s starts in a second cycle although nothing has happened", d.Key.Name)
			}
		}
		if u.endSome() == 0 && len(first) == 0 {
			return nil
		}
	}
	return fmt.Errorf("something still runs after %d minutes", turmoilEnd)
}

// endSome ends about half of the running applications, and returns how many were running.
func (u *turmoil) endSome() int {
	ran := 0
	for _, key := range u.known() {
		if _, holds := u.engine.Held(key); holds {
			ran++
			if u.chance(0.5) {
				u.leave(key)
			}
		}
	}
	return ran
}

// checkNothingFits checks, when nothing runs, that an ask still waits only if its queue cannot admit it with the
// current configuration.
func (u *turmoil) checkNothingFits() error {
	for _, key := range u.known() {
		a := u.engine.registry.Askers[key]
		if a == nil || a.Class == nil || a.Class.IsInadmissible() || a.Class.Queue.StoppedBy != nil || a.Class.AtMaxRunning() != nil {
			continue
		}
		return fmt.Errorf("%s waits although nothing runs: %s", key.Name, says(u.engine.Verdict(key)))
	}
	return nil
}

// checkNothingIsLeft releases everything and checks that nothing stays charged, counted or claimed.
func (u *turmoil) checkNothingIsLeft() error {
	for _, key := range u.known() {
		u.engine.Release(key)
	}
	u.engine.Cycle(0)
	for _, s := range u.engine.Queues().States() {
		for _, use := range s.Usage {
			if use.Used != 0 {
				return fmt.Errorf("%d %s of flavor %s are charged to queue %s in the end", use.Used, use.Resource, use.Flavor, s.Name)
			}
		}
		if s.Pending != 0 || s.Admitted != 0 || s.ElasticPods != 0 || s.WantedPods != 0 {
			return fmt.Errorf("%d pending, %d admitted, %d elastic and %d wanted pods are counted in queue %s in the end",
				s.Pending, s.Admitted, s.ElasticPods, s.WantedPods, s.Name)
		}
	}
	if left := len(u.engine.claims.All); left > 0 {
		return fmt.Errorf("%d claims are left in the end", left)
	}
	return nil
}

// TestTurmoil changes queues, flavors, asks, holders, growth and the engine itself at random, each while the others
// change as well. Nothing panics, there is no decision for a tree whose root is gone, messages about queues are true, a
// cycle without a limit leaves nothing for a second one, nothing that fits waits for ever, and once everything is
// released nothing is charged, counted or claimed.
func TestTurmoil(t *testing.T) {
	t.Parallel()
	granted, grown, checked := 0, 0, 0
	played := randtest.Each(t, turmoils, func(seed uint64) {
		u := newTurmoil(seed)
		if err := u.run(); err != nil {
			t.Fatalf("%v; what happened:\n%s", err, strings.Join(u.log, "\n"))
		}
		granted, grown, checked = granted+u.granted, grown+u.grown, checked+u.checked
	})
	if played >= turmoils && (granted < 8*played || grown < played/2 || checked < 50*played) {
		t.Errorf("%d grants, grown %d times, %d sentences about queues in %d worlds: too few to show anything", granted, grown, checked, played)
	}
}
