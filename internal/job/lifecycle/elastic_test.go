// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// each is the request of every executor in these tests.
var each = queueing.Resources{"cpu": 200, "pods": 1}

// driverUID is the UID of the driver that has created them.
const driverUID = "driver-uid"

// crewOf parses executors, written as "1" (ready), "2?" (not ready), "3g" (behind the scheduling gate), "4G" (behind
// the gate and too large), "5x" (being deleted), "6@spot" (ready, in flavor spot), "7u" (the answer to the removal of
// its gate was lost), "8s" (behind the gate, created by another client), "9L" (ready, of more than twice the size),
// "1S" (ready, created by another client), "2n" (as large, without a gate, on a node that does not exist).
func crewOf(text string) (records []*pods.Record, releasing map[types.UID]string) {
	releasing = map[types.UID]string{}
	for _, word := range strings.Fields(text) {
		word, flavor, _ := strings.Cut(word, "@")
		number := strings.TrimRight(word, "?gGOxusSLn")
		r := &pods.Record{Trouble: &pods.Trouble{}, Name: "pi-exec-" + number, UID: types.UID(number), Role: pods.Executor, Origin: &pods.Origin{Run: 1, Attempt: 1, OwnerUID: driverUID}, Phase: corev1.PodRunning,
			Node: "node-1", Running: true, Ready: true, Flavor: flavor}
		switch strings.TrimPrefix(word, number) {
		case "?":
			r.Ready = false
		case "x":
			r.Deleting = true
		case "L":
			r.CPU = 450
		case "n":
			r.Phase, r.Running, r.Ready, r.CPU = corev1.PodPending, false, false, 450
		case "g", "G", "O", "u", "s":
			r.Phase, r.Running, r.Ready, r.SchedulingGate = corev1.PodPending, false, false, &pods.SchedulingGate{Requests: each}
		}
		if strings.HasSuffix(word, "G") {
			r.SchedulingGate = &pods.SchedulingGate{Requests: queueing.Resources{"cpu": 2000, "pods": 1}}
		}
		if strings.HasSuffix(word, "O") {
			r.SchedulingGate = &pods.SchedulingGate{Excess: "spec.tolerations has more than is remembered"}
		}
		if strings.HasSuffix(word, "s") || strings.HasSuffix(word, "S") {
			r.OwnerUID = "somebody"
		}
		if strings.HasSuffix(word, "u") {
			releasing[r.UID] = flavor
		}
		records = append(records, r)
	}
	return records, releasing
}

// grantFor returns a gated grant of a base gang of one executor, and of more by flavor: "default=2 spot=1".
func grantFor(more string) queueing.Grant {
	g := queueing.Grant{Run: 1, Attempt: 1, SchedulingGated: true, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: "default", Count: 1, Requests: each}, {Name: "executor", Flavor: "default", Count: 1, Requests: each},
	}}
	for _, word := range strings.Fields(more) {
		flavor, count, _ := strings.Cut(word, "=")
		n := int32(0)
		_, _ = fmt.Sscan(count, &n)
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{Name: "executor", Flavor: flavor, Count: n, Requests: each, Elastic: true})
	}
	return g
}

// moreOf returns the part of a grant above its base gang.
func moreOf(g *v1alpha1.Grant) string {
	var out []string
	for _, p := range g.PodSets {
		if p.Elastic {
			out = append(out, fmt.Sprintf("%s=%d", p.Flavor, p.Count))
		}
	}
	return strings.Join(out, " ")
}

// sharer returns the state of an attempt that runs with a grant.
func sharer(grant queueing.Grant, room *queueing.Allocation, records []*pods.Record, releasing map[types.UID]string) *state {
	o := Observation{Now: epoch.Add(time.Hour), App: &v1alpha1.SparkApplication{}, Pods: records, Ungating: releasing, Allocation: room}
	d := &state{o: o}
	d.s.Run, d.s.Attempt, d.s.Grant = 1, 1, convert.ToAPI(grant)
	d.s.Driver = &v1alpha1.DriverStatus{UID: driverUID}
	return d
}

// told returns the requests of a decision, as "let 3@default end 2".
func told(d *state) string {
	var out []string
	for _, a := range d.decision.After {
		switch a.Kind {
		case UngatePods:
			for _, r := range a.Ungates {
				out = append(out, "let "+strings.TrimPrefix(r.Pod.Name, "pi-exec-")+"@"+r.Flavor)
			}
		case DeletePod:
			out = append(out, "end "+strings.TrimPrefix(a.Pod.Name, "pi-exec-"))
		}
	}
	return strings.Join(out, " ")
}

func TestAllocate(t *testing.T) {
	t.Parallel()
	back := func(flavor string, count int32) []queueing.Reclaim {
		return []queueing.Reclaim{{Flavor: flavor, Count: count}}
	}
	tests := map[string]struct {
		pods string
		// holds is what the gate has granted above the base gang, and giveBack the part of it that the gate wants back.
		holds    string
		giveBack []queueing.Reclaim
		// want is the number of executors that the attempt wants above its base gang, does the requested actions, and
		// has the resulting grant.
		want int32
		does string
		has  string
	}{
		"nobody yet":                           {},
		"the base gang":                        {pods: "1g", does: "let 1@default"},
		"no room for the second":               {pods: "2g 1g", want: 1, does: "let 1@default"},
		"the tenth is younger than the second": {pods: "10g 2g", want: 1, does: "let 2@default"},
		"it is there":                          {pods: "1 2g", want: 1},
		"room for two more":                    {pods: "1 2g 3g 4g", holds: "default=2", want: 3, does: "let 2@default let 3@default", has: "default=2"},
		"elsewhere":                            {pods: "1 2g 3g", holds: "default=1 spot=1", want: 2, does: "let 2@default let 3@spot", has: "default=1 spot=1"},
		"the base gang first":                  {pods: "7g 8g 3@spot", holds: "spot=1", want: 2, does: "let 7@default", has: "spot=1"},
		"made by somebody else":                {pods: "1s 2g", does: "let 2@default"},
		"made by somebody else, and runs":      {pods: "1S 2S 3g", does: "let 3@default"},
		"too large":                            {pods: "1G 2g", does: "let 2@default"},
		"more than is remembered":              {pods: "1O 2g", does: "let 2@default"},
		"one has gone":                         {pods: "1 3", holds: "default=2", want: 1, has: "default=1"},
		"all have gone":                        {pods: "", holds: "default=2 spot=3"},
		"one is on its way out":                {pods: "1 2x 3g", holds: "default=1", want: 1, has: "default=1"},
		"asked back, nobody is there":          {pods: "1 2g", holds: "default=1", giveBack: back("default", 1), want: 1},
		"asked back, the newest goes":          {pods: "1 2 3", holds: "default=2", giveBack: back("default", 1), want: 2, does: "end 3", has: "default=2"},
		"asked back, who is not ready goes":    {pods: "1 2? 3", holds: "default=2", giveBack: back("default", 1), want: 2, does: "end 2", has: "default=2"},
		"asked back, one goes already":         {pods: "1 2x 3", holds: "default=2", giveBack: back("default", 1), want: 1, has: "default=2"},
		"asked back elsewhere":                 {pods: "1 2 3@spot 4@spot", holds: "default=1 spot=2", giveBack: back("spot", 2), want: 3, does: "end 4 end 3", has: "default=1 spot=2"},
		"gates that others have lifted":        {pods: "1 2 3", want: 2, has: "default=2"},
		"a larger one let in by others":        {pods: "1 2L", want: 3, has: "default=3"},
		"created without a gate, on no node":   {pods: "1 2n 3n"},
		"the same, as if it were let in":       {pods: "1 2n@default", want: 1, has: "default=1"},
		"a larger one is asked back":           {pods: "1 2 3L", holds: "default=4", giveBack: back("default", 1), want: 4, does: "end 3", has: "default=4"},
		"in a flavor that nobody granted":      {pods: "1 2@gpu", want: 1, has: "default=1"},
		"labels that were changed since":       {pods: "1 2@none 3@none 4g", holds: "default=2", want: 3, has: "default=2"},
		"lifted without an answer":             {pods: "1 2u@spot 3g", holds: "spot=1", want: 2, does: "let 2@spot", has: "spot=1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := grantFor(tc.holds)
			records, releasing := crewOf(tc.pods)
			d := sharer(held, &queueing.Allocation{Grant: &held, Reclaims: tc.giveBack}, records, releasing)
			if got := resizeRequest(d).Count; got != tc.want {
				t.Errorf("wants %d more, want %d", got, tc.want)
			}
			applyResize(d)
			if got := told(d); got != tc.does {
				t.Errorf("does %q, want %q", got, tc.does)
			}
			if got := moreOf(d.s.Grant); got != tc.has {
				t.Errorf("has %q, want %q", got, tc.has)
			}
			if diff := cmp.Diff(convert.ToAPI(grantFor("")).PodSets, d.s.Grant.PodSets[:2]); diff != "" {
				t.Errorf("base gang (-want +got):\n%s", diff)
			}
		})
	}
}

// TestShrinksInSteps: executors that end one by one do not cost a write each; one whose quota others want does.
func TestShrinksInSteps(t *testing.T) {
	t.Parallel()
	held := grantFor("default=3")
	records, _ := crewOf("1 2 3")
	d := sharer(held, &queueing.Allocation{Grant: &held}, records, nil)
	d.o.LastWrite = d.o.Now.Add(-shrinkInterval / 2)
	if applyResize(d) || moreOf(d.s.Grant) != "default=3" || d.decision.RequeueAt != d.o.LastWrite.Add(shrinkInterval) {
		t.Errorf("changed to %q at once, looks again at %s", moreOf(d.s.Grant), d.decision.RequeueAt)
	}
	d = sharer(held, &queueing.Allocation{Grant: &held, Reclaims: []queueing.Reclaim{{Flavor: "default", Count: 1}}}, records, nil)
	d.o.LastWrite = d.o.Now.Add(-shrinkInterval / 2)
	if !applyResize(d) || moreOf(d.s.Grant) != "default=2" {
		t.Errorf("has %q, want default=2 at once", moreOf(d.s.Grant))
	}
}

// growth has an attempt, its gate and its executors, with which everything happens in any order.
type growth struct {
	*rand.Rand
	// status is the grant in the status, held the one that the gate charges, and back the part of it that the gate
	// wants back.
	status, held queueing.Grant
	back         map[string]int32
	pods         map[int]*pods.Record
	unanswered   map[types.UID]string
	made         int
	log          []string
}

// TestGrowthInAnyOrder plays Spark, gate, kubelet, and operators that die between any two steps. In no flavor have more
// executors passed their scheduling gates than the status grants, the gate never charges less than the status, and in
// the end all that was granted is used or released.
func TestGrowthInAnyOrder(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 300, func(seed uint64) {
		g := &growth{Rand: rand.New(rand.NewPCG(seed, seed)), status: grantFor(""), held: grantFor(""), back: map[string]int32{},
			pods: map[int]*pods.Record{}, unanswered: map[types.UID]string{}}
		for range 120 {
			g.happens()
			if problem := g.wrong(); problem != "" {
				t.Fatalf("%s; what happened:\n%s", problem, strings.Join(g.log, "\n"))
			}
		}
		g.comesToRest()
		if inside := len(g.inside()); above(g.held) > int32(inside) || above(g.held) != above(g.status) {
			t.Fatalf("%d executors are in, the gate charges %d above the base gang and the status has %d; what happened:\n%s", inside,
				above(g.held), above(g.status), strings.Join(g.log, "\n"))
		}
	})
}

func above(g queueing.Grant) (n int32) {
	for _, p := range g.PodSets {
		if p.Elastic {
			n += p.Count
		}
	}
	return n
}

func countIn(g queueing.Grant, flavor string) (n int32) {
	for _, p := range g.PodSets {
		if p.Name == "executor" && p.Flavor == flavor {
			n += p.Count
		}
	}
	return n
}

// inside returns the existing executors that have passed their scheduling gates.
func (g *growth) inside() map[int]*pods.Record {
	out := maps.Clone(g.pods)
	maps.DeleteFunc(out, func(_ int, r *pods.Record) bool { return r.SchedulingGate != nil })
	return out
}

func (g *growth) say(format string, args ...any) { g.log = append(g.log, fmt.Sprintf(format, args...)) }

func (g *growth) happens() {
	switch n := g.IntN(12); {
	case n < 3:
		g.made++
		records, _ := crewOf(fmt.Sprintf("%dg", g.made))
		g.pods[g.made] = records[0]
		g.say("executor %d is made", g.made)
	case n < 4:
		g.grow()
	case n < 5:
		flavor := []string{"default", "spot"}[g.IntN(2)]
		most := countIn(g.held, flavor) - countIn(grantFor(""), flavor)
		g.back[flavor] = g.Int32N(most + 1)
		g.say("%d of %s are asked back", g.back[flavor], flavor)
	case n < 7:
		for _, number := range slices.Sorted(maps.Keys(g.pods)) {
			if r := g.pods[number]; r.Deleting || g.IntN(6) == 0 {
				g.say("executor %d is gone", number)
				delete(g.pods, number)
			}
		}
	default:
		g.pass(g.IntN(5))
	}
}

// grow has the gate grant more.
func (g *growth) grow() {
	if g.held.Resizes != g.status.Resizes {
		// The last grant is not in the status yet.
		return
	}
	flavor := []string{"default", "spot"}[g.IntN(2)]
	g.held.PodSets = slices.Clone(g.held.PodSets)
	at := slices.IndexFunc(g.held.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Flavor == flavor })
	if at < 0 {
		at = len(g.held.PodSets)
		g.held.PodSets = append(g.held.PodSets, queueing.PodSetGrant{Name: "executor", Flavor: flavor, Requests: each, Elastic: true})
	}
	g.held.PodSets[at].Count += 1 + g.Int32N(3)
	g.held.Resizes++
	g.say("the gate gives %d of %s", g.held.PodSets[at].Count, flavor)
}

// pass is a pass of the operator that dies after so many steps; 4 means that it does not die.
func (g *growth) pass(steps int) {
	room := &queueing.Allocation{Grant: &g.held}
	for _, flavor := range slices.Sorted(maps.Keys(g.back)) {
		if g.back[flavor] > 0 {
			room.Reclaims = append(room.Reclaims, queueing.Reclaim{Flavor: flavor, Count: g.back[flavor]})
		}
	}
	var records []*pods.Record
	for _, number := range slices.Sorted(maps.Keys(g.pods)) {
		records = append(records, g.pods[number])
	}
	d := sharer(g.status, room, records, g.unanswered)
	applyResize(d)
	g.say("pass, %d steps: %s, has %s", steps, told(d), moreOf(d.s.Grant))
	if steps == 0 {
		return
	}
	g.status = convert.FromAPI(d.s.Grant)
	for _, a := range d.decision.After {
		if steps--; steps == 0 {
			return
		}
		g.do(a)
	}
}

func (g *growth) do(a Action) {
	switch a.Kind {
	case ReportGrant:
		if g.status.Resizes == g.held.Resizes {
			for flavor, n := range g.back {
				g.back[flavor] = max(0, n-max(0, countIn(g.held, flavor)-countIn(g.status, flavor)))
			}
			g.held = g.status
		}
	case UngatePods:
		for _, r := range a.Ungates {
			g.ungate(r)
		}
	case DeletePod:
		for number, r := range g.pods {
			if r == a.Pod {
				gone := *r
				gone.Deleting = true
				g.pods[number] = &gone
			}
		}
	}
}

// ungate removes the scheduling gate of a pod; sometimes the answer is lost, or the request is.
func (g *growth) ungate(r Ungate) {
	for number, pod := range g.pods {
		if pod != r.Pod {
			continue
		}
		if g.IntN(5) == 0 {
			g.unanswered[pod.UID] = r.Flavor
			g.say("executor %d: no answer", number)
			return
		}
		in := *pod
		in.SchedulingGate, in.Flavor, in.Phase, in.Running, in.Ready = nil, r.Flavor, corev1.PodRunning, true, g.IntN(3) > 0
		g.pods[number] = &in
		delete(g.unanswered, pod.UID)
	}
}

func (g *growth) wrong() string {
	inside := map[string]int32{}
	for _, r := range g.inside() {
		inside[r.Flavor]++
	}
	for flavor, n := range inside {
		if n > countIn(g.status, flavor) {
			return fmt.Sprintf("%d executors are in on %s, and the status has %d", n, flavor, countIn(g.status, flavor))
		}
	}
	for _, flavor := range []string{"default", "spot"} {
		if countIn(g.held, flavor) < countIn(g.status, flavor) {
			return fmt.Sprintf("the gate charges %d of %s, and the status has %d", countIn(g.held, flavor), flavor, countIn(g.status, flavor))
		}
	}
	if g.status.PodSets[1].Count != 1 {
		return "the base gang has changed"
	}
	return ""
}

// comesToRest runs whole passes until nothing happens; executors that are wanted back end.
func (g *growth) comesToRest() {
	for range 20 {
		g.pass(100)
		maps.DeleteFunc(g.pods, func(_ int, r *pods.Record) bool { return r.Deleting })
	}
}
