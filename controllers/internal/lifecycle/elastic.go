// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Executors of a gated grant are made by Spark and wait behind a scheduling gate. The grant has room for a number of them in each flavor:
// the base gang, and sets above it that come and go. A pass counts the pods on either side of the gate, tells the queue how many are
// wanted, writes down what the grant is from now on, and only then lifts gates and gives back:
//
//	gated pods ──► want ──► the queue's answer ──► status.grant ──► settle ──► lift gates, oldest first
//	pods gone, or asked back ──────────────────► status.grant, less ──► settle: the queue may give it to others

// reclaiming is the reason of the event that tells that executors above the base gang end because others take their room.
const reclaiming = "ExecutorsReclaimed"

// shrinkInterval bounds how often a grant is written that only becomes smaller: executors go one by one.
const shrinkInterval = time.Second

// mayGrow says that the grant of the attempt may grow and shrink.
func (d *decider) mayGrow() bool { return d.s.Grant != nil && d.s.Grant.Gated }

// crew are the executors of the attempt.
type crew struct {
	// base is the pod set of the base gang.
	base *v1alpha1.PodSetGrant
	// allowed is what the grant has for each.
	allowed queueing.Resources
	// inside count the shares of the pods that have passed the gate and are not gone, by flavor; stay are those that are not being deleted.
	inside map[string]int32
	stay   map[string][]*pods.Record
	// gated are those that wait and fit the grant, oldest first; tooLarge those that do not fit.
	gated, tooLarge []*pods.Record
	// unanswered are those whose gates were lifted by a write without an answer: they count as let in, in these flavors.
	unanswered []unanswered
}

type unanswered struct {
	pod    *pods.Record
	flavor string
}

// crew sorts the executors of the attempt.
func (d *decider) crew() crew {
	c := crew{base: &v1alpha1.PodSetGrant{}, inside: map[string]int32{}, stay: map[string][]*pods.Record{}}
	for i := range d.s.Grant.PodSets {
		if p := &d.s.Grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && !p.Elastic {
			c.base = p
		}
	}
	c.allowed = amounts.ClampAll(c.base.Requests)
	for _, r := range d.currentPods() {
		if !d.counts(r) {
			continue
		}
		flavor, released := d.o.Releasing[r.UID]
		switch {
		case r.Gate != nil && released:
			c.unanswered = append(c.unanswered, unanswered{r, flavor})
			c.enter(r, flavor)
		case r.Gate == nil:
			c.enter(r, cmp.Or(flavor, r.Flavor, c.base.Flavor))
		case r.Deleting:
		case tooLarge(r, c.allowed) != "":
			c.tooLarge = append(c.tooLarge, r)
		default:
			c.gated = append(c.gated, r)
		}
	}
	slices.SortFunc(c.gated, byAge)
	slices.SortFunc(c.tooLarge, byAge)
	slices.SortFunc(c.unanswered, func(a, b unanswered) int { return byAge(a.pod, b.pod) })
	return c
}

// counts says that a pod is an executor that the driver of the attempt has made, on either side of the gate: labels alone can be those of
// another application, or written by anybody.
func (d *decider) counts(r *pods.Record) bool {
	if r.Role != pods.Executor || !r.Active() {
		return false
	}
	return d.s.Driver != nil && d.s.Driver.UID != "" && r.OwnerUID == types.UID(d.s.Driver.UID)
}

// share is how many executors of the grant a pod that has passed the gate is worth: more than one if it is larger, as one that somebody
// has let in by hand, or resized.
func (c *crew) share(r *pods.Record) int32 {
	share := int64(1)
	for name, asks := range map[corev1.ResourceName]int64{corev1.ResourceCPU: r.CPU, corev1.ResourceMemory: r.Memory} {
		if most := c.allowed[string(name)]; most > 0 {
			share = max(share, (asks+most-1)/most)
		}
	}
	return int32(min(share, math.MaxInt16))
}

// shares are those of several pods.
func (c *crew) shares(of []*pods.Record) int32 {
	var n int32
	for _, r := range of {
		n += c.share(r)
	}
	return n
}

func (c *crew) enter(r *pods.Record, flavor string) {
	c.inside[flavor] += c.share(r)
	if !r.Deleting {
		c.stay[flavor] = append(c.stay[flavor], r)
	}
}

// byAge orders executors by the number that ends their names: Spark counts them.
func byAge(a, b *pods.Record) int {
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// tooLarge names what a gated pod asks for beyond what the grant has for one; empty if it fits. The program may ask for larger executors
// than the spec says, by resource profiles.
func tooLarge(r *pods.Record, allowed queueing.Resources) string {
	for _, name := range slices.Sorted(maps.Keys(r.Gate.Requests)) {
		if asks := r.Gate.Requests[name]; asks > allowed[name] {
			most, wanted := amounts.Quantity(name, allowed[name]), amounts.Quantity(name, asks)
			return fmt.Sprintf("%s %s, and each executor has %s in the grant", name, wanted.String(), most.String())
		}
	}
	return ""
}

// want is what the attempt wants above its base gang: room for all pods that are there and fit.
func (d *decider) want() queueing.Want {
	c := d.crew()
	w := queueing.Want{PodSet: v1alpha1.ExecutorPodSet, Count: int32(len(c.gated)) - c.base.Count, Ready: map[string]int32{}}
	for flavor, stay := range c.stay {
		w.Count += c.shares(stay)
		for _, r := range stay {
			if r.Ready {
				w.Ready[flavor]++
			}
		}
	}
	w.Count = max(0, w.Count)
	if len(c.gated) > 0 {
		w.Tolerations, w.NodeSelector = c.gated[0].Gate.Tolerations, c.gated[0].Gate.NodeSelector
	}
	return w
}

// shareOut decides which grant is to stand in the status, which gates it lifts, and which executors end because others take their room.
// It says whether the grant has changed.
func (d *decider) shareOut() bool {
	if !d.mayGrow() || d.o.Room == nil || d.o.Room.Grant == nil {
		return false
	}
	c := d.crew()
	s := sharing{crew: c, grant: *d.o.Room.Grant, room: d.o.Room}
	s.grant.PodSets = slices.Clone(s.grant.PodSets)
	s.takeOver()
	s.lift()
	s.giveBack()
	next := convert.ToAPI(s.grant)
	changed := !sameGrant(next, d.s.Grant)
	if due := d.o.LastWrite.Add(shrinkInterval); changed && onlySmaller(next, d.s.Grant) && len(d.o.Room.GiveBack) == 0 && d.o.Now.Before(due) {
		d.requeue(due)
		changed = false
	}
	if changed {
		d.s.Grant = next
	}
	d.after(Action{Kind: SettleGrant})
	if len(s.releases) > 0 {
		d.after(Action{Kind: ReleasePods, Releases: s.releases})
	}
	d.endAbove(s.ending)
	return changed
}

// endAbove asks executors to end whose room others take.
func (d *decider) endAbove(ending []*pods.Record) {
	for _, r := range ending {
		d.after(Action{Kind: DeletePod, Pod: r})
	}
	if len(ending) == 0 {
		return
	}
	d.announce(false, reclaiming, fmt.Sprintf("%d executors above the base gang release their quota: %s",
		len(ending), d.o.Room.GiveBack[0].Why.Message))
}

func sameGrant(a, b *v1alpha1.Grant) bool {
	return a.Resizes == b.Resizes && slices.EqualFunc(a.PodSets, b.PodSets, sameSet)
}

func sameSet(a, b v1alpha1.PodSetGrant) bool {
	return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
}

// onlySmaller says that no set of a grant has become larger.
func onlySmaller(next, before *v1alpha1.Grant) bool {
	if next.Resizes != before.Resizes {
		return false
	}
	for _, p := range next.PodSets {
		same := func(q v1alpha1.PodSetGrant) bool {
			return q.Name == p.Name && q.Flavor == p.Flavor && q.Elastic == p.Elastic && q.Count >= p.Count
		}
		if !slices.ContainsFunc(before.PodSets, same) {
			return false
		}
	}
	return true
}

// sharing divides the room of a grant among the executors that are there.
type sharing struct {
	crew
	room *queueing.Room
	// grant is what is to stand in the status.
	grant    queueing.Grant
	releases []Release
	ending   []*pods.Record
}

// has counts the pods of a flavor that the grant has room for; with only above, those above the base gang.
func (s *sharing) has(flavor string, onlyAbove bool) int32 {
	var n int32
	for i := range s.grant.PodSets {
		if p := &s.grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == flavor && (p.Elastic || !onlyAbove) {
			n += p.Count
		}
	}
	return n
}

// above is the set of a flavor above the base gang, which is made if there is none.
func (s *sharing) above(flavor string) *queueing.PodSetGrant {
	for i := range s.grant.PodSets {
		if p := &s.grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			return p
		}
	}
	s.grant.PodSets = append(s.grant.PodSets, queueing.PodSetGrant{
		Name: v1alpha1.ExecutorPodSet, Flavor: flavor, Requests: amounts.ClampAll(s.base.Requests), Elastic: true,
	})
	return &s.grant.PodSets[len(s.grant.PodSets)-1]
}

// takeOver charges pods that have passed the gate without room in the grant: somebody else has lifted it.
func (s *sharing) takeOver() {
	for _, flavor := range slices.Sorted(maps.Keys(s.inside)) {
		if more := s.inside[flavor] - s.has(flavor, false); more > 0 {
			s.above(flavor).Count += more
		}
	}
}

// lift lets gated pods into what room there is, oldest first: that of the base gang, then the sets above it. What is asked back is no room.
func (s *sharing) lift() {
	waiting := s.gated
	for i := range s.grant.PodSets {
		p := &s.grant.PodSets[i]
		if p.Name != v1alpha1.ExecutorPodSet {
			continue
		}
		for _, u := range s.unanswered { // the same write again
			if u.flavor == p.Flavor && !s.lets(u.pod) {
				s.let(u.pod, p)
			}
		}
		free := s.has(p.Flavor, false) - s.room.GiveBackOf(p.Flavor) - s.inside[p.Flavor]
		if !p.Elastic {
			free = min(free, p.Count)
		}
		for range min(max(0, free), int32(len(waiting))) {
			s.let(waiting[0], p)
			s.inside[p.Flavor]++
			waiting = waiting[1:]
		}
	}
}

// lets says that the gate of a pod is lifted.
func (s *sharing) lets(pod *pods.Record) bool {
	return slices.ContainsFunc(s.releases, func(r Release) bool { return r.Pod == pod })
}

// let has the gate of a pod lifted.
func (s *sharing) let(r *pods.Record, p *queueing.PodSetGrant) {
	s.releases = append(s.releases, Release{
		Pod: r, Flavor: p.Flavor, NodeSelector: p.NodeSelector, Tolerations: p.Tolerations, Labels: p.Labels,
	})
}

// giveBack drops what nobody uses above the base gang, and ends executors where more is asked back than that: those that are not ready
// first, then the newest.
func (s *sharing) giveBack() {
	for i := range s.grant.PodSets {
		p := &s.grant.PodSets[i]
		if !p.Elastic {
			continue
		}
		base := s.has(p.Flavor, false) - s.has(p.Flavor, true)
		most := base + p.Count - s.room.GiveBackOf(p.Flavor)
		p.Count = min(p.Count, max(0, s.inside[p.Flavor]-base))
		if tooMany := s.shares(s.stay[p.Flavor]) - max(0, most); s.room.GiveBackOf(p.Flavor) > 0 && tooMany > 0 {
			s.ending = append(s.ending, s.firstToEnd(s.stay[p.Flavor], tooMany)...)
		}
	}
	s.grant.PodSets = slices.DeleteFunc(s.grant.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Count == 0 })
}

// firstToEnd are the executors that end first, with so many shares or a few more.
func (s *sharing) firstToEnd(stay []*pods.Record, shares int32) []*pods.Record {
	ordered := slices.Clone(stay)
	slices.SortFunc(ordered, func(a, b *pods.Record) int {
		if a.Ready != b.Ready {
			if b.Ready {
				return -1
			}
			return 1
		}
		return byAge(b, a)
	})
	for i, r := range ordered {
		if shares -= s.share(r); shares <= 0 {
			return ordered[:i+1]
		}
	}
	return ordered
}

// executorProblem is what keeps executors from starting: most of those that could, else those behind the gate.
func (d *decider) executorProblem(mine []*pods.Record) string {
	if p := pods.WhyPending(mine); p.Message != "" {
		return p.Message
	}
	return d.whyGated()
}

// whyGated is why executors wait behind the gate; empty if none does, or if that is not known.
func (d *decider) whyGated() string {
	if !d.mayGrow() {
		return ""
	}
	c := d.crew()
	if len(c.tooLarge) > 0 {
		r := c.tooLarge[0]
		return fmt.Sprintf("executor %s stays behind its scheduling gate: it asks for %s; set the size of executors in the spec, not in the program",
			r.Name, tooLarge(r, amounts.ClampAll(c.base.Requests)))
	}
	if len(c.gated) == 0 || d.o.Room == nil || d.o.Room.Why == "" {
		return ""
	}
	return "executors above the base gang wait for quota: " + d.o.Room.Why
}
