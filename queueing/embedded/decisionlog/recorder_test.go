// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
)

// story returns the log of a short story: two applications ask and there is quota for one. The second one has a higher
// priority and preempts the first.
func story(o Options) string {
	var out bytes.Buffer
	if o.Out == nil {
		o.Out = &out
	}
	r := New(o)
	everybody := func(map[string]string) bool { return true }
	limit := int64(0)
	timeout := 90 * time.Second
	queues := []config.Queue{
		{Name: "root", Weight: 1, Flavors: []config.FlavorQuota{
			{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 2000, Lending: &limit}}},
		}},
		{Name: "team", Parent: "root", Weight: 2, Admits: everybody, SelectorText: "<none>", HeadTimeout: &timeout,
			Preemption: config.Preemption{Within: config.PreemptLowerPriority}},
	}
	r.Configure(queues, []config.Flavor{{Name: "spot", NodeLabels: map[string]string{"pool": "spot"}}})
	r.SetEpoch("root", 4)
	first, second := storyAsk("first", 0), storyAsk("second", 5)
	r.Submit(first)
	r.Advance(epoch.Add(time.Second))
	r.Cycle(32)
	r.Changed()
	r.Confirm(first.Key, 1, 1)
	r.Submit(first)
	r.Submit(second)
	r.Advance(epoch.Add(2 * time.Second))
	r.Cycle(32)
	r.Changed()
	r.SetHolderState(first.Key, 1, 1, queueing.HolderState{QueuedAt: first.QueuedAt, Terminating: true, ReleasedBy: epoch.Add(time.Minute)})
	r.Release(first.Key)
	r.Cycle(32)
	r.Revert(second.Key)
	r.Restore(first.Key, queueing.Grant{Run: 1, Attempt: 2, Gate: embedded.GateName, Queue: "team", Epoch: 3, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: "spot", Count: 1, Requests: queueing.Resources{"cpu": 2000}, NodeSelector: map[string]string{"pool": "spot"}},
	}})
	r.Configure(queues[1:], nil)
	r.Cycle(0)
	r.Changed()
	return out.String()
}

func storyAsk(name string, priority int32) queueing.Ask {
	return queueing.Ask{
		Key: queueing.Key{Namespace: "spark", Name: name, UID: "uid-" + name}, Run: 1, Attempt: 1, Queue: "team", Priority: priority,
		QueuedAt: epoch, NamespaceLabels: map[string]string{"team": "a", "env": "test"},
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 2000, "pods": 1}}},
	}
}

// TestStory shows the format. Run it with -update to update the golden file, and review the difference.
func TestStory(t *testing.T) {
	t.Parallel()
	const file = "testdata/story.jsonl"
	got := story(Options{Version: "v0.1.0"})
	if golden.Updating() {
		golden.Write(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := lineDiff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; run with -update if this is right, and raise the format if older logs are misread):\n%s", file, diff)
	}
	if _, err := Replay(bytes.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// questions are the methods of an engine that change nothing.
var questions = []string{"Dirty", "Eviction", "Explain", "Held", "Allocation", "Queues", "Verdict"}

// TestNothingIsForgotten: every method of an engine is recorded, or is a known question.
func TestNothingIsForgotten(t *testing.T) {
	t.Parallel()
	methods := reflect.TypeFor[*embedded.Engine]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		var out bytes.Buffer
		r := New(Options{Out: &out})
		r.Restore(queueing.Key{}, queueing.Grant{})
		before := out.Len()
		method := reflect.ValueOf(r).MethodByName(name)
		var args []reflect.Value
		for i := range method.Type().NumIn() {
			args = append(args, reflect.Zero(method.Type().In(i)))
		}
		method.Call(args)
		recorded, asks := out.Len() > before, slices.Contains(questions, name)
		if recorded == asks {
			t.Errorf("%s: recorded %t, a question %t: record it, or add it to the questions if it changes nothing", name, recorded, asks)
		}
	}
	for _, name := range questions {
		if _, exists := methods.MethodByName(name); !exists {
			t.Errorf("an engine has no method %s", name)
		}
	}
}

// fill sets every field to a value other than its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(epoch))
			return
		}
		if v.Type() == reflect.TypeFor[queueing.Objects]() {
			return // for gates that describe pods to another system
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	}
}

// filled returns a value with all fields set.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// there writes a value and returns what is read back.
func there[T any](t *testing.T, value T) T {
	t.Helper()
	text, err := encode(value)
	if err != nil {
		t.Fatal(err)
	}
	var read T
	if err := decode(text, &read); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return read
}

// TestNoFieldIsForgotten: all fields that the engine receives and returns are restored from the log.
func TestNoFieldIsForgotten(t *testing.T) {
	t.Parallel()
	check := func(want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	}
	ask := filled[queueing.Ask]()
	check(ask, there(t, ask))
	grant := filled[queueing.Grant]()
	check(grant, there(t, grant))
	s := filled[queueing.HolderState]()
	check(s, there(t, s))
	request := filled[queueing.ResizeRequest]()
	request.Ready = nil // no decision depends on it
	check(request, there(t, request))
	flavor := filled[config.Flavor]()
	check(flavor, there(t, flavor))
	queue := filled[config.Queue]()
	queue.Admits, queue.SelectorText = func(map[string]string) bool { return true }, "<none>"
	got, err := there(t, queueConfigs([]config.Queue{queue})[0]).restore()
	if err != nil || got.Admits == nil || !got.Admits(nil) {
		t.Errorf("nobody is admitted: %v", err)
	}
	queue.Admits, got.Admits = nil, nil
	check(queue, got)
}

// TestSelectors: the text of metav1.FormatLabelSelector is parsed as the same selector.
func TestSelectors(t *testing.T) {
	t.Parallel()
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	both := expression("team", metav1.LabelSelectorOpNotIn, "a")
	both.MatchLabels = map[string]string{"env": "test", "example.com/team": "b"}
	for _, s := range []metav1.LabelSelector{
		{}, {MatchLabels: map[string]string{"team": "a"}}, {MatchLabels: map[string]string{"team": ""}},
		expression("team", metav1.LabelSelectorOpIn, "b", "a"), expression("team", metav1.LabelSelectorOpIn, "", "a"),
		expression("team", metav1.LabelSelectorOpNotIn, ""), expression("team", metav1.LabelSelectorOpExists),
		expression("team", metav1.LabelSelectorOpDoesNotExist), both,
	} {
		want, err := metav1.LabelSelectorAsSelector(&s)
		if err != nil {
			t.Fatal(err)
		}
		text := metav1.FormatLabelSelector(&s)
		q := config.Queue{Name: "q", SelectorText: text, Admits: func(map[string]string) bool { return false }}
		restored, err := queueConfigs([]config.Queue{q})[0].restore()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, l := range []map[string]string{
			nil, {"team": ""}, {"team": "a"}, {"team": "b"}, {"team": "c"}, {"env": "test", "example.com/team": "b"},
			{"env": "test", "example.com/team": "b", "team": "a"},
		} {
			if got := restored.Admits(l); got != want.Matches(labels.Set(l)) {
				t.Errorf("%s admits %v: %t", text, l, got)
			}
		}
	}
}

// TestWhatDoesNothing: only calls without effect are left out.
func TestWhatDoesNothing(t *testing.T) {
	t.Parallel()
	a := storyAsk("first", 0)
	other := storyAsk("other", 0)
	rank := queueing.HolderState{Priority: 3}
	grant := queueing.Grant{Run: 1, Attempt: 1, Queue: "team"}
	submit := func(r *Recorder) { r.Submit(a) }
	stand := func(r *Recorder) { r.SetHolderState(a.Key, 1, 1, rank) }
	release := func(r *Recorder) { r.Release(a.Key) }
	cycle := func(r *Recorder) { r.Cycle(0) }
	for name, c := range map[string]struct {
		calls []func(*Recorder)
		want  string
	}{
		"the same ask":            {[]func(*Recorder){submit, submit, submit}, "submit"},
		"another zone":            {[]func(*Recorder){submit, func(r *Recorder) { b := a; b.QueuedAt = a.QueuedAt.In(zone); r.Submit(b) }}, "submit"},
		"another ask between":     {[]func(*Recorder){submit, func(r *Recorder) { b := a; b.Priority = 9; r.Submit(b) }, submit}, "submit submit submit"},
		"another application":     {[]func(*Recorder){submit, func(r *Recorder) { r.Submit(other) }, submit}, "submit submit"},
		"the same standing":       {[]func(*Recorder){submit, stand, submit, stand}, "submit setHolderState"},
		"not known":               {[]func(*Recorder){stand, release, func(r *Recorder) { r.Confirm(a.Key, 1, 1) }, func(r *Recorder) { r.Revert(a.Key) }}, ""},
		"known no more":           {[]func(*Recorder){submit, release, release, stand}, "submit release"},
		"released between":        {[]func(*Recorder){submit, release, submit}, "submit release submit"},
		"reverted between":        {[]func(*Recorder){submit, cycle, stand, func(r *Recorder) { r.Revert(a.Key) }, stand, submit}, "submit cycle setHolderState revert setHolderState submit"},
		"restored between":        {[]func(*Recorder){submit, stand, func(r *Recorder) { r.Restore(a.Key, grant) }, stand, submit}, "submit setHolderState restore setHolderState submit"},
		"granted between":         {[]func(*Recorder){submit, stand, cycle, submit, stand}, "submit setHolderState cycle setHolderState"},
		"confirmed between":       {[]func(*Recorder){submit, stand, func(r *Recorder) { r.Confirm(a.Key, 1, 1) }, submit, stand}, "submit setHolderState confirm"},
		"another granted between": {[]func(*Recorder){func(r *Recorder) { r.Restore(a.Key, grant) }, stand, func(r *Recorder) { r.Submit(other) }, cycle, stand}, "restore setHolderState submit cycle"},
		"nothing of one":          {[]func(*Recorder){cycle, cycle}, "cycle cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := New(Options{Out: &out})
			r.Configure([]config.Queue{{Name: "team", Unlimited: true, Admits: func(map[string]string) bool { return true }, SelectorText: "<none>"}}, nil)
			for _, call := range c.calls {
				call(r)
			}
			if got := callsOf(t, out.String())[1:]; strings.Join(got, " ") != c.want {
				t.Errorf("calls %v, want %s", got, c.want)
			}
			if _, err := Replay(&out); err != nil {
				t.Error(err)
			}
		})
	}
}

// callsOf returns the names of the calls in a log.
func callsOf(t *testing.T, log string) []string {
	t.Helper()
	var out []string
	for i, text := range strings.SplitAfter(log, "\n") {
		if i == 0 || text == "" {
			continue
		}
		var l line
		if err := decode([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l.Call)
	}
	return out
}

// TestLimit: a log stays below its limit, whatever that is, ends with a line that says so, and can be replayed. The
// engine continues.
func TestLimit(t *testing.T) {
	t.Parallel()
	whole := len(story(Options{}))
	for limit := 300; limit < whole; limit += 150 {
		var out bytes.Buffer
		var ended []error
		story(Options{Out: &out, Limit: int64(limit), Ended: func(err error) { ended = append(ended, err) }})
		if out.Len() > limit || len(ended) != 1 {
			t.Fatalf("limit %d: %d bytes, ended with %v", limit, out.Len(), ended)
		}
		got, err := Replay(&out)
		if err != nil || got.End != ended[0].Error() || !strings.Contains(got.End, "limit") || got.Cut {
			t.Fatalf("limit %d: %+v, %v", limit, got, err)
		}
	}
}

// broken is a writer that fails in the middle of a write after some writes.
type broken struct {
	bytes.Buffer
	left int
}

func (b *broken) Write(text []byte) (int, error) {
	if b.left--; b.left >= 0 {
		return b.Buffer.Write(text)
	}
	n, _ := b.Buffer.Write(text[:len(text)/2])
	return n, errors.New("no space is left")
}

// TestAWriterThatFails: the engine continues, the failure is reported once, and the written part can be replayed.
func TestAWriterThatFails(t *testing.T) {
	t.Parallel()
	for writes := 1; writes < 12; writes++ {
		out := &broken{left: writes}
		var ended []error
		story(Options{Out: out, Ended: func(err error) { ended = append(ended, err) }})
		if len(ended) != 1 || ended[0].Error() != "no space is left" {
			t.Fatalf("ended with %v", ended)
		}
		got, err := Replay(&out.Buffer)
		if err != nil || got.Calls != writes-1 || !got.Cut {
			t.Fatalf("after %d writes: %+v, %v", writes, got, err)
		}
	}
	story(Options{Out: &broken{}}) // without a listener
}

// TestALogChangesNothing: an engine decides the same with and without a log, and after the log has ended.
func TestALogChangesNothing(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		var want []explain.QueueState
		for i, o := range []Options{{}, {Out: &bytes.Buffer{}}, {Out: &bytes.Buffer{}, Limit: 5000}, {Out: &broken{left: 40}}} {
			w := newWorld(seed, o)
			w.live(happenings)
			got := w.engine.Queues().States()
			if i == 0 {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("recorder %d (-without +with a log):\n%s", i, diff)
			}
		}
	})
}

// TestNoLogCostsNothing: an engine without a log allocates nothing more than one that is not wrapped.
func TestNoLogCostsNothing(t *testing.T) {
	r, e := New(Options{}), embedded.New()
	a := storyAsk("first", 0)
	with := testing.AllocsPerRun(100, func() { r.Submit(a); r.Advance(epoch); r.Cycle(1); r.Changed(); r.Release(a.Key) })
	without := testing.AllocsPerRun(100, func() { e.Submit(a); e.Advance(epoch); e.Cycle(1); e.Changed(); e.Release(a.Key) })
	if with > without {
		t.Errorf("%v allocations, %v without a recorder", with, without)
	}
}

// TestThePageIsTrue: the lines in the documentation are lines of the story, and the page explains every call.
func TestThePageIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/decision-log.md")
	if err != nil {
		t.Fatal(err)
	}
	log, shown := story(Options{Version: "v0.1.0"}), 0
	for text := range strings.Lines(string(page)) {
		if strings.HasPrefix(text, "{") {
			shown++
			if !strings.Contains(log, text) {
				t.Errorf("the story does not have the line %s", text)
			}
		}
	}
	if shown < 4 {
		t.Errorf("the page shows %d lines", shown)
	}
	for call := range calls {
		if !strings.Contains(string(page), "`"+call+"`") {
			t.Errorf("the page does not explain %s", call)
		}
	}
}
