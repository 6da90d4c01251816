// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// The tests write queues and asks as text, one a line.
//
//	root memory=20Gi
//	team-a in=root memory=3Gi borrow:memory=0 lend:cpu=1 max=3 strict hold only=team:a head=5m reclaim=Any
//
//	pi-1 queue=team-a prio=5 at=3 cpu=200m memory=896Mi executors=2 min=1 holds=1h gated
//
// A quota of another flavor is cpu/spot=4. A queue admits all namespaces unless it has only=label:value, or has the
// word for no namespace (see queueOf); names: it names namespaces. An ask has a driver and executors (2 unless it says
// otherwise) that request the same; it is queued at second 0 of the tests' day; guarded: it needs limits.

// word is key=value, or a key alone.
type word struct{ key, value string }

func wordsOf(line string) []word {
	var out []word
	for _, w := range strings.Fields(line) {
		key, value, _ := strings.Cut(w, "=")
		out = append(out, word{key, value})
	}
	return out
}

func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func queuesOf(t testing.TB, text string) []config.Queue {
	t.Helper()
	var out []config.Queue
	for _, line := range linesOf(text) {
		out = append(out, queueOf(t, line))
	}
	return out
}

func queueOf(t testing.TB, line string) config.Queue {
	t.Helper()
	words := wordsOf(line)
	q := config.Queue{Name: words[0].key, Admits: func(map[string]string) bool { return true }, SelectorText: "any labels", Weight: 1}
	for _, w := range words[1:] {
		switch w.key {
		case "in":
			q.Parent = w.value
		case "max":
			limit := int32(integer(t, w.value))
			q.MaxRunning = &limit
		case "strict":
			q.Strategy = config.StrictFIFO
		case "hold":
			q.Stop = config.StopHold
		case "drain":
			q.Stop = config.StopHoldAndDrain
		case "within", "fair", "weight", "reclaim", "prefer":
			setPreemption(t, &q, w)
		case "head":
			timeout := duration(t, w.value)
			q.HeadTimeout = &timeout
		case "nobody":
			q.Admits, q.SelectorText = nil, ""
		case "only":
			label, value, _ := strings.Cut(w.value, ":")
			q.Admits, q.SelectorText = func(l map[string]string) bool { return l[label] == value }, label+"="+value
		case "names":
			q.NamesNamespaces = true
		case "deleted":
			q.Deleted = true
		default:
			setQuota(t, &q, w)
		}
	}
	q.Unlimited = q.Parent == "" && len(q.Flavors) == 0
	return q
}

// setPreemption parses the preemption rules and fair sharing of a queue.
func setPreemption(t testing.TB, q *config.Queue, w word) {
	t.Helper()
	switch w.key {
	case "within":
		q.Preemption.Within = config.Policy(w.value)
	case "fair":
		q.FairSharing, q.FairPreemption = true, config.FairPreemption(w.value)
	case "prefer":
		q.FlavorPreference = config.FlavorPreference(w.value)
	case "weight":
		q.Weight = int32(integer(t, w.value))
	case "reclaim":
		q.Preemption.Reclaim = config.Policy(w.value)
	}
}

// setQuota parses cpu=4, cpu/spot=4, borrow:cpu=1 and lend:cpu=1.
func setQuota(t testing.TB, q *config.Queue, w word) {
	t.Helper()
	kind, rest, found := strings.Cut(w.key, ":")
	if !found {
		kind, rest = "", w.key
	}
	name, flavor := rest, config.DefaultFlavor
	if at := strings.LastIndex(rest, "/"); at >= 0 && !strings.Contains(rest, ".") {
		name, flavor = rest[:at], rest[at+1:]
	}
	r := quotaOf(q, flavor, name)
	v := amount(t, name, w.value)
	switch kind {
	case "borrow":
		r.Borrowing = &v
	case "lend":
		r.Lending = &v
	default:
		r.Nominal = v
	}
}

// quotaOf finds or creates the quota of a resource.
func quotaOf(q *config.Queue, flavor, name string) *config.ResourceQuota {
	at := -1
	for i := range q.Flavors {
		if q.Flavors[i].Name == flavor {
			at = i
		}
	}
	if at < 0 {
		at = len(q.Flavors)
		q.Flavors = append(q.Flavors, config.FlavorQuota{Name: flavor})
	}
	f := &q.Flavors[at]
	for i := range f.Quotas {
		if f.Quotas[i].Resource == name {
			return &f.Quotas[i]
		}
	}
	f.Quotas = append(f.Quotas, config.ResourceQuota{Resource: name})
	return &f.Quotas[len(f.Quotas)-1]
}

func integer(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func duration(t testing.TB, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func amount(t testing.TB, name, text string) int64 {
	t.Helper()
	q, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	n, err := amounts.Of(name, q)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// epoch is second 0 of the tests' day.
var epoch = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

func askFrom(t testing.TB, line string) queueing.Ask {
	t.Helper()
	words := wordsOf(line)
	name := words[0].key
	ask := queueing.Ask{Key: keyOf(name), Run: 1, Attempt: 1, QueuedAt: epoch, NamespaceLabels: map[string]string{}}
	requests := queueing.Resources{"pods": 1}
	executors := queueing.PodSet{Name: "executor", Count: 2, Requests: requests}
	for _, w := range words[1:] {
		switch w.key {
		case "queue":
			ask.Queue = w.value
		case "prio":
			ask.Priority = int32(integer(t, w.value))
		case "at":
			ask.QueuedAt = epoch.Add(time.Duration(integer(t, w.value)) * time.Second)
		case "uid":
			ask.Key.UID = w.value
		case "gated":
			ask.Elastic = "executor"
		case "guarded":
			ask.NeedsLimits = true
		case "holds":
			ask.HoldsFor = duration(t, w.value)
		case "run":
			ask.Run = integer(t, w.value)
		case "attempt":
			ask.Attempt = integer(t, w.value)
		case "label":
			key, value, _ := strings.Cut(w.value, ":")
			ask.NamespaceLabels[key] = value
		case "executors":
			executors.Count = int32(integer(t, w.value))
		case "min":
			executors.MinCount = int32(integer(t, w.value))
		case "flavor":
			executors.Flavors = append(executors.Flavors, w.value)
		default:
			requests[w.key] = amount(t, w.key, w.value)
		}
	}
	ask.PodSets = []queueing.PodSet{{Name: "driver", Count: 1, Requests: requests}, executors}
	return ask
}

// keyOf returns the key of an application of the tests. Its UID is its name.
func keyOf(name string) queueing.Key {
	return queueing.Key{Namespace: "default", Name: name, UID: name}
}

// engineWith returns an engine with the queues and with all asks pending.
func engineWith(t testing.TB, queues, asks string) *Engine {
	t.Helper()
	e := New()
	e.SetQueues(queuesOf(t, queues))
	submit(t, e, asks)
	return e
}

func submit(t testing.TB, e *Engine, asks string) {
	t.Helper()
	for _, line := range linesOf(asks) {
		e.Submit(askFrom(t, line))
	}
}

// names returns the names of granted applications, in the order of the decisions.
func names(decisions []state.Decision) string {
	out := make([]string, 0, len(decisions))
	for _, d := range decisions {
		out = append(out, d.Key.Name)
	}
	return strings.Join(out, " ")
}

// keyNames returns the names of keys, in their order.
func keyNames(keys []queueing.Key) string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		out = append(out, k.Name)
	}
	return strings.Join(out, " ")
}

// says returns a verdict as one line.
func says(v queueing.Verdict) string {
	out := v.State.String()
	if v.Reason != "" {
		out += "/" + v.Reason
	}
	if v.Message != "" {
		out += ": " + v.Message
	}
	return out
}

// elasticIf returns the name of the elastic pod set of an ask, empty unless its grant may grow.
func elasticIf(mayGrow bool) string {
	if mayGrow {
		return "executor"
	}
	return ""
}

// SetQueues replaces the queues alone.
func (e *Engine) SetQueues(queues []config.Queue) { e.setQueues(queues) }

// SetFlavors replaces the flavors alone.
func (e *Engine) SetFlavors(flavors []config.Flavor) { e.Configure(e.hierarchy.Configs, flavors) }

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
