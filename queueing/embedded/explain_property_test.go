// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
)

// Whatever has happened before, an explanation is consistent with itself and with the verdict, names remedies that
// help, and changes nothing.
func TestExplanationsAgree(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			decided := w.chance(0.4)
			if decided {
				w.cycle(t)
			}
			before := w.engine.Queues().States()
			for key := range w.engine.registry.Askers {
				x, found := w.engine.Explain(key)
				if !found {
					t.Fatalf("%s is not explained", key.Name)
				}
				w.checkExplanation(t, key, x)
				if x.Pending != nil && decided {
					checkReason(t, key, x)
				}
			}
			if diff := cmp.Diff(before, w.engine.Queues().States()); diff != "" {
				t.Fatalf("explaining has changed something (-before +after):\n%s", diff)
			}
		}
	})
}

func (w *world) checkExplanation(t *testing.T, key queueing.Key, x explain.Explanation) {
	t.Helper()
	if v := w.engine.Verdict(key); v.State != x.State || v.Reason != x.Reason || v.Message != x.Message {
		t.Fatalf("%s is explained as %s, its verdict is %s", key.Name, shown(x), says(v))
	}
	if x.Pending == nil {
		return
	}
	if len(x.Pending.Remedies) == 0 {
		t.Fatalf("nothing would help %s: %s", key.Name, shown(x))
	}
	if got, want := len(x.Pending.Ahead), min(explain.AheadShown, max(0, x.Pending.Position-1)); got != want {
		t.Fatalf("%d are shown before %s, want %d: %s", got, key.Name, want, shown(x))
	}
	for _, n := range x.Pending.Needs {
		if want := max(0, n.Need-n.Available); n.Missing != want {
			t.Fatalf("%s misses %d of %s, want %d: %s", key.Name, n.Missing, n.Resource, want, shown(x))
		}
	}
}

// checkReason checks that after a decision an ask that waits for quota lacks some, and that one that can never be
// admitted needs more than the queue can ever have.
func checkReason(t *testing.T, key queueing.Key, x explain.Explanation) {
	t.Helper()
	needs := x.Pending.Needs
	switch x.Reason {
	case queueing.ReasonWaitingForQuota:
		behind := strings.Contains(strings.Join(x.Pending.Remedies, " "), "StrictFIFO")
		if x.Holding == nil && !behind && !slices.ContainsFunc(needs, func(n explain.Need) bool { return n.Missing > 0 }) {
			t.Fatalf("%s waits for quota and misses none: %s", key.Name, shown(x))
		}
	case queueing.ReasonExceedsQuota:
		if !slices.ContainsFunc(needs, func(n explain.Need) bool { return n.Need > n.Most }) {
			t.Fatalf("%s asks for too much, and nothing is too much: %s", key.Name, shown(x))
		}
	}
}

// TestAdviceHelps: an ask that exceeds what its queue could ever hold no longer does once the advice has been followed,
// in each of the ways that the advice allows.
func TestAdviceHelps(t *testing.T) {
	followed := 0
	seeds := forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
		}
		w.cycle(t)
		for key, asked := range w.ref.asks {
			x, _ := w.engine.Explain(key)
			if x.Pending == nil || x.Reason != queueing.ReasonExceedsQuota {
				continue
			}
			for _, way := range []string{"nominal", "borrowingLimit"} {
				followed++
				e := newEngine()
				e.SetQueues(follow(t, w.queues, x.Pending.Remedies, way))
				e.Submit(asked)
				e.Cycle(1)
				if v := e.Verdict(key); v.Reason == queueing.ReasonExceedsQuota || v.Reason == queueing.ReasonFlavorMismatch {
					t.Fatalf("%s: %s; after %q, with %s: %s", key.Name, x.Message, x.Pending.Remedies, way, says(v))
				}
			}
		}
	})
	if !t.Failed() && seeds >= worlds && followed < seeds {
		t.Errorf("%d pieces of advice in %d worlds: the worlds are too generous", followed, seeds)
	}
}

var (
	advice      = regexp.MustCompile(`^raise ([^()]+)(?: \(or ([^()]+)\))? of flavor (\S+), or request less$`)
	raiseAdvice = regexp.MustCompile(`(nominal or borrowingLimit|nominal|borrowingLimit) of queue (\S+) by (\S+) (\S+)`)
)

// follow returns the queues with limits raised as advised. Where the advice leaves a choice, way is the limit to raise.
func follow(t *testing.T, queues []config.Queue, remedies []string, way string) []config.Queue {
	t.Helper()
	queues = slices.Clone(queues)
	for _, sentence := range remedies {
		parts := advice.FindStringSubmatch(sentence)
		if parts == nil {
			t.Fatalf("not advice: %q", sentence)
		}
		raises := parts[1]
		if way == "borrowingLimit" && parts[2] != "" {
			raises = parts[2]
		}
		for _, raise := range raiseAdvice.FindAllStringSubmatch(raises, -1) {
			by, err := amounts.Of(raise[3], resource.MustParse(raise[4]))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(queues, func(q config.Queue) bool { return q.Name == raise[2] })
			queues[at].Flavors = raised(queues[at].Flavors, cell{parts[3], raise[3]}, by, way == "borrowingLimit" && strings.HasSuffix(raise[1], way))
		}
	}
	return queues
}

// raised returns the quotas of a queue with one limit raised.
func raised(flavors []config.FlavorQuota, at cell, by int64, borrowing bool) []config.FlavorQuota {
	flavors = slices.Clone(flavors)
	i := slices.IndexFunc(flavors, func(f config.FlavorQuota) bool { return f.Name == at.flavor })
	if i < 0 {
		return append(flavors, config.FlavorQuota{Name: at.flavor, Quotas: []config.ResourceQuota{{Resource: at.resource, Nominal: by}}})
	}
	quotas := slices.Clone(flavors[i].Quotas)
	j := slices.IndexFunc(quotas, func(r config.ResourceQuota) bool { return r.Resource == at.resource })
	switch {
	case j < 0:
		quotas = append(quotas, config.ResourceQuota{Resource: at.resource, Nominal: by})
	case borrowing && quotas[j].Borrowing != nil:
		limit := *quotas[j].Borrowing + by
		quotas[j].Borrowing = &limit
	default:
		quotas[j].Nominal += by
	}
	flavors[i].Quotas = quotas
	return flavors
}

// TestMissingQuotaHelps: an ask that waits for quota is admitted once each limit that blocks it, its nominal quota or
// its borrowing limit, has been raised by the amount reported as missing.
func TestMissingQuotaHelps(t *testing.T) {
	followed := 0
	seeds := forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if w.chance(0.3) {
				w.cycle(t)
			}
		}
		w.cycle(t)
		for key, asked := range w.ref.asks {
			x, _ := w.engine.Explain(key)
			if x.Holding != nil || x.Reason != queueing.ReasonWaitingForQuota || w.holdsInDeletedQueues() {
				continue
			}
			for _, borrowing := range []bool{false, true} {
				followed++
				e := newEngine()
				e.SetQueues(withoutShortfalls(w.queues, x.Pending.Needs, borrowing))
				for holder, grant := range w.ref.grants {
					e.Restore(holder, grant)
				}
				e.Submit(asked)
				e.Cycle(0)
				if v := e.Verdict(key); v.State != queueing.Granted && v.Reason != queueing.ReasonMaxRunning {
					t.Fatalf("%s: %s; with %+v raised: %s", key.Name, x.Message, x.Pending.Needs, says(v))
				}
			}
		}
	})
	if !t.Failed() && seeds >= worlds && 10*followed < seeds {
		t.Errorf("%d pieces of advice in %d worlds: the worlds are too generous", followed, seeds)
	}
}

// holdsInDeletedQueues reports whether a grant exists that another engine would charge elsewhere.
func (w *world) holdsInDeletedQueues() bool {
	for _, grant := range w.ref.grants {
		if !slices.ContainsFunc(w.queues, func(q config.Queue) bool { return q.Name == grant.Queue && !q.Deleted }) {
			return true
		}
	}
	return false
}

// withoutShortfalls returns the queues with each limit raised that blocks a need: the borrowing limit if there is one
// and it is to be raised, and otherwise the nominal quota.
func withoutShortfalls(queues []config.Queue, needs []explain.Need, borrowing bool) []config.Queue {
	queues = slices.Clone(queues)
	for _, n := range needs {
		for _, b := range n.BlockedBy {
			at := slices.IndexFunc(queues, func(q config.Queue) bool { return q.Name == b.Queue })
			queues[at].Flavors = raised(queues[at].Flavors, cell{n.Flavor, n.Resource}, b.Missing, borrowing && queues[at].Parent != "")
		}
	}
	return queues
}
