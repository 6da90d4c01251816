// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// happenings is the number of random calls in a world.
const happenings = 200

// again returns the log that a replay of a log writes.
func again(t *testing.T, log string) string {
	t.Helper()
	var out bytes.Buffer
	r := newReplayer()
	for text := range strings.Lines(log) {
		r.at++
		if err := r.apply([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if r.at == 1 {
			out.WriteString(text)
			continue
		}
		out.Write(r.produced.Bytes())
	}
	return out.String()
}

// The same calls give the same log, and its replay gives the same log again, byte for byte. Read-only calls in between
// change nothing.
func TestAnyStreamReplays(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		log := record(seed, happenings)
		if other := record(seed, happenings); other != log {
			t.Fatalf("the second recording differs (-first +second):\n%s", lineDiff(log, other))
		}
		if replayed := again(t, log); replayed != log {
			t.Fatalf("the replay differs (-recorded +replayed):\n%s", lineDiff(log, replayed))
		}
		w := newWorld(seed, Options{})
		w.live(happenings)
		want := Result{Version: "v0.1.0", Calls: strings.Count(log, "\n") - 1, Grants: w.grants}
		got, err := Replay(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("result (-want +got):\n%s", diff)
		}
	})
}

func lineDiff(a, b string) string { return cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")) }

// The random streams contain every kind of call.
func TestStreamsAreRich(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for seed := range uint64(60) {
		all.WriteString(record(seed+1, happenings))
	}
	for _, part := range []string{
		`"admits":"selector"`, `"state":"Evicting"`, `"by":`, `"answer":false`,
		`"flavor":"spot"`, `"call":"revert","with":{"key":{"namespace":"ns"`, `"holdsFor":60000000000`, `"releasedBy":`, `"terminating":true`, `"borrowThreshold":`,
		`"grown":1`, `"elastic":true`, `"why":`, `"givesBack":`,
	} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("no stream has %s", part)
		}
	}
	for call := range calls {
		if !strings.Contains(all.String(), fmt.Sprintf("%q:%q", "call", call)) {
			t.Errorf("no stream has the call %s", call)
		}
	}
}

// Decisions that depend on time are replayed from the log: without the lines with the time, a replay gives other
// results.
func TestTimeIsRecorded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := New(Options{Out: &out})
	timeout := time.Minute
	r.Configure([]config.Queue{{
		Name: "team", Admits: func(map[string]string) bool { return true }, SelectorText: "<none>", HeadTimeout: &timeout,
		Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 4000}}}},
	}}, nil)
	ask := func(name string, cpu int64) { // of equal age the order is that of the names
		a := storyAsk(name, 0)
		a.PodSets[0].Requests = queueing.Resources{"cpu": cpu}
		r.Submit(a)
	}
	ask("a-small", 2000)
	r.Advance(epoch)
	r.Cycle(0)
	ask("b-big", 4000)
	r.Cycle(0)
	r.Advance(epoch.Add(2 * timeout))
	ask("c-small", 2000)
	if granted := r.Cycle(0); len(granted) > 0 {
		t.Fatalf("the big one is passed: %v", granted)
	}
	log := out.String()
	if _, err := Replay(strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	var difference *Difference
	if _, err := Replay(strings.NewReader(withoutCalls(log, callAdvance))); !errors.As(err, &difference) || !strings.Contains(difference.Decided, "c-small") {
		t.Errorf("without the time: %v", err)
	}
}

func withoutCalls(log, call string) string {
	var out strings.Builder
	for text := range strings.Lines(log) {
		if !strings.HasPrefix(text, fmt.Sprintf("{%q:%q", "call", call)) {
			out.WriteString(text)
		}
	}
	return out.String()
}

// A log with one changed answer is rejected at that line, with both answers.
func TestAChangedAnswerIsCaught(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		lines := strings.SplitAfter(record(seed, happenings), "\n")
		r := rand.New(rand.NewPCG(seed, 1))
		var candidates []int
		for i, text := range lines {
			if strings.Contains(text, `,"answer":[{"key"`) || strings.Contains(text, `"answer":true`) || strings.Contains(text, `"answer":false`) {
				candidates = append(candidates, i)
			}
		}
		if len(candidates) == 0 {
			return // nothing has asked
		}
		at := candidates[r.IntN(len(candidates))]
		lines[at] = changeAnswer(t, r, lines[at])
		_, err := Replay(strings.NewReader(strings.Join(lines, "")))
		var difference *Difference
		if !errors.As(err, &difference) {
			t.Fatalf("line %d was changed to %sand this is what came of it: %v", at+1, lines[at], err)
		}
		if difference.Line != at+1 || difference.Recorded == difference.Decided || difference.Version != "v0.1.0" {
			t.Errorf("line %d was changed to %sand this is the difference: %+v", at+1, lines[at], difference)
		}
	})
}

// changeAnswer inverts a boolean answer, or changes a grant of a cycle: its count, its place in the order, or whether
// it exists.
func changeAnswer(t *testing.T, r *rand.Rand, text string) string {
	t.Helper()
	var l line
	if err := decode([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	var grants []embedded.Decision
	if err := json.Unmarshal(l.Answer, &grants); err != nil {
		l.Answer = json.RawMessage(map[string]string{"true": "false", "false": "true"}[string(l.Answer)])
		out, _ := encode(l)
		return string(out)
	}
	switch {
	case len(grants) > 1 && r.IntN(2) == 0:
		slices.Reverse(grants)
	case r.IntN(2) == 0:
		grants[0].Grant.PodSets[0].Count++
	default:
		grants = append(grants, grants[0])
	}
	var err error
	if l.Answer, err = encodePart(grants); err != nil {
		t.Fatal(err)
	}
	out, _ := encode(l)
	return string(out)
}

// A log that was cut off at any place is replayed up to there.
func TestACutLog(t *testing.T) {
	t.Parallel()
	log := record(3, 20)
	first := strings.IndexByte(log, '\n') + 1
	for at := first; at <= len(log); at += 1 + at%97 {
		got, err := Replay(strings.NewReader(log[:at]))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", at, err)
		}
		want := strings.Count(log[:at], "\n") - 1
		if cut := log[at-1] != '\n'; got.Calls != want || got.Cut != cut {
			t.Fatalf("cut at byte %d: %+v, want %d calls, cut %t", at, got, want, cut)
		}
	}
}

const head = `{"decisionLog":1,"version":"v0.1.0"}` + "\n"

// A line that cannot be replayed is reported, with a remedy.
func TestRefused(t *testing.T) {
	t.Parallel()
	const version = "use a sparkctl of the version that wrote"
	for name, c := range map[string]struct {
		log  string
		want []string
	}{
		"nothing":             {"", []string{"empty"}},
		"something else":      {"kind: SparkQueue\n", []string{"line 1", "begins with"}},
		"no version":          {"{}\n", []string{"line 1", "begins with"}},
		"another version":     {`{"decisionLog":2,"version":"v9"}` + "\n", []string{"line 1", "format 2", "format 1", version, "(v9)"}},
		"unknown key above":   {`{"decisionLog":1,"more":1}` + "\n", []string{"line 1"}},
		"no JSON":             {head + "grant it\n", []string{"line 2", "damaged", version, "(v0.1.0)"}},
		"two values":          {head + `{"call":"changed"} {}` + "\n", []string{"line 2", "more than one"}},
		"unknown call":        {head + `{"call":"guess"}` + "\n", []string{"line 2", `unknown call "guess"`, version}},
		"unknown key":         {head + `{"call":"changed","how":1}` + "\n", []string{"line 2", `"how"`, version}},
		"unknown argument":    {head + `{"call":"cycle","with":{"max":1,"min":1}}` + "\n", []string{"line 2", `"min"`, version}},
		"no arguments":        {head + `{"call":"cycle"}` + "\n", []string{"line 2", version}},
		"wrong type":          {head + `{"call":"cycle","with":{"max":"all"}}` + "\n", []string{"line 2", "max", version}},
		"wrong duration":      {head + `{"call":"submit","with":{"key":{"namespace":"a","name":"b","uid":"c"},"run":1,"attempt":1,"queue":"q","holdsFor":"long"}}` + "\n", []string{"line 2", "holdsFor"}},
		"follows the end":     {head + `{"call":"end","with":{"why":"full"}}` + "\n" + `{"call":"changed","answer":[]}` + "\n", []string{"line 3", "follows the end"}},
		"unknown admission":   {head + `{"call":"configure","with":{"queues":[{"name":"a","weight":1,"admits":"some"}]}}` + "\n", []string{"line 2", "queue a", `"some"`}},
		"unreadable selector": {head + `{"call":"configure","with":{"queues":[{"name":"a","weight":1,"admits":"selector","selector":"a b"}]}}` + "\n", []string{"line 2", "queue a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Replay(strings.NewReader(c.log))
			if err == nil {
				t.Fatal("it was played")
			}
			if errors.As(err, new(*Difference)) {
				t.Errorf("it is taken for a difference: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in: %v", want, err)
				}
			}
		})
	}
}

// A difference shows the first elements that differ, not the whole lists.
func TestDifferenceIsShort(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ recorded, decided, wantRecorded, wantDecided string }{
		"in the middle": {`[1,2,3]`, `[1,4,3]`, `2`, `4`},
		"one too few":   {`[1,2]`, `[1]`, `2`, `nothing`},
		"one too many":  {`[]`, `[{"a":1}]`, `nothing`, `{"a":1}`},
		"no list":       {`true`, `false`, `true`, `false`},
		"no answer":     {``, `false`, `nothing`, `false`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &replayer{at: 7}
			d := differenceOf(r, &line{Call: "cycle", Answer: json.RawMessage(c.recorded)}, &line{Answer: json.RawMessage(c.decided)})
			want := "line 7: cycle gives a different answer\n  recorded: " + c.wantRecorded + "\n  decided:  " + c.wantDecided
			if diff := cmp.Diff(want, d.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var number = regexp.MustCompile(`:-?[0-9]+`)

// Numbers that no operator writes do no harm.
func TestOddNumbers(t *testing.T) {
	forSeeds(t, func(_ *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		odd := []string{":0", ":-1", ":2147483647", ":-2147483648", ":9223372036854775807", ":-9223372036854775808"}
		log := record(seed, happenings)
		for range 5 {
			r := newReplayer()
			for text := range strings.Lines(log) {
				r.at++
				if r.at > 1 {
					text = number.ReplaceAllStringFunc(text, func(n string) string {
						if random.IntN(30) == 0 {
							return odd[random.IntN(len(odd))]
						}
						return n
					})
				}
				_ = r.apply([]byte(text)) // it is refused, or gives a different answer, or the same
			}
		}
	})
}

// FuzzReplay: no text makes a replay panic, and a text that can be replayed gives the same result each time.
func FuzzReplay(f *testing.F) {
	f.Add("")
	f.Add(head)
	f.Add(story(Options{}))
	for seed := range uint64(8) {
		f.Add(record(seed+1, 20))
	}
	f.Add(head + `{"call":"restore","with":{"key":{"namespace":"a","name":"b","uid":"c"},"grant":{"run":1,"attempt":1,"podSets":[{"name":"driver","count":-1,"requests":{"cpu":-9223372036854775808}}]}}}` + "\n")
	f.Fuzz(func(t *testing.T, log string) {
		first, err := Replay(strings.NewReader(log))
		second, again := Replay(strings.NewReader(log))
		if first != second || (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Errorf("first %+v, %v, then %+v, %v", first, err, second, again)
		}
	})
}
