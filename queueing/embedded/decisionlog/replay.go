// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Result is what was played.
type Result struct {
	// Version of the program that wrote the log; empty if it did not know.
	Version string
	// Calls that were played, and grants that they made.
	Calls, Grants int
	// Cut: the log ends in the middle of a line, which was left out.
	Cut bool
	// End is why the log ends before the program that wrote it; empty if it does not.
	End string
}

// Replay plays a log against a new engine until its end, or until an answer is another than the recorded one: then the error is a
// *Difference. Other errors are logs that cannot be read.
func Replay(in io.Reader) (Result, error) {
	p := newPlayer()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 2*DefaultLimit)
	lines.Split(wholeLines)
	for lines.Scan() {
		p.at++
		text, whole := bytes.CutSuffix(lines.Bytes(), []byte("\n"))
		if !whole && p.at > 1 {
			p.result.Cut = true
			break
		}
		if err := p.take(text); err != nil {
			return p.result, err
		}
	}
	if err := lines.Err(); err != nil {
		return p.result, fmt.Errorf("read line %d: %w", p.at+1, err)
	}
	if p.at == 0 {
		return p.result, errors.New("the log is empty")
	}
	return p.result, nil
}

// wholeLines splits text into lines with their ends, so that one can be told from one that was cut.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// player plays the lines of a log.
type player struct {
	result Result
	// at is the number of the line.
	at     int
	engine *Recorder
	// decided is the line that the engine has made of the call.
	decided bytes.Buffer
	// answers of selectors by queue and labels.
	answers map[string]map[string]bool
	// problem is why the call cannot be played as it was.
	problem error
}

func newPlayer() *player {
	p := &player{answers: map[string]map[string]bool{}}
	p.engine = New(Options{Out: &p.decided, Limit: 1 << 62})
	p.engine.log.last = nil // a call that is in the log is played and compared
	return p
}

// take plays one line.
func (p *player) take(text []byte) error {
	if p.at == 1 {
		return p.begin(text)
	}
	if p.result.End != "" {
		return fmt.Errorf("line %d: it stands behind the end of the log; play the lines before it", p.at)
	}
	var l line
	if err := decode(text, &l); err != nil {
		return p.unreadable(err)
	}
	if l.Call == callEnd {
		return p.end(l)
	}
	call := calls[l.Call]
	if call == nil {
		return p.unreadable(fmt.Errorf("the call %q is not known", l.Call))
	}
	p.hear(l.Said)
	p.decided.Reset()
	if err := call(p, l.With); err != nil {
		return p.unreadable(err)
	}
	if p.problem != nil {
		return p.unreadable(p.problem)
	}
	return p.compare(&l)
}

func (p *player) begin(text []byte) error {
	var h header
	if err := decode(text, &h); err != nil || h.DecisionLog == 0 {
		return errors.New(`line 1: a decision log begins with {"decisionLog":…}: is this one?`)
	}
	if h.DecisionLog != format {
		return fmt.Errorf("line 1: the log has format %d and this program reads format %d: use a sparkctl of the version that wrote it%s",
			h.DecisionLog, format, versionText(h.Version))
	}
	p.result.Version = h.Version
	return nil
}

func (p *player) end(l line) error {
	var end endArgs
	if err := decode(l.With, &end); err != nil {
		return p.unreadable(err)
	}
	p.result.End = end.Why
	if end.Why == "" {
		p.result.End = "it does not say why"
	}
	return nil
}

// unreadable is the error for a line that a log of this version does not have.
func (p *player) unreadable(err error) error {
	return fmt.Errorf("line %d: %w: the line is damaged, or a newer version wrote it: use a sparkctl of the version that wrote the log%s",
		p.at, err, versionText(p.result.Version))
}

func versionText(version string) string {
	if version == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", version)
}

// hear notes what selectors have said.
func (p *player) hear(all []said) {
	for _, s := range all {
		if p.answers[s.Queue] == nil {
			p.answers[s.Queue] = map[string]bool{}
		}
		p.answers[s.Queue][labelText(s.Labels)] = s.Allowed
	}
}

// answersOf is whom a queue admits, as far as the log says.
func (p *player) answersOf(queue string) func(map[string]string) bool {
	return func(labels map[string]string) bool {
		allowed, known := p.answers[queue][labelText(labels)]
		if !known {
			p.problem = fmt.Errorf("it is not said whether queue %s admits namespaces with the labels %s", queue, labelText(labels))
		}
		return allowed
	}
}

func (p *player) queues(all []queueConfig) []embedded.QueueConfig {
	return each(all, func(q queueConfig) embedded.QueueConfig {
		config, err := q.restore(p.answersOf(q.Name))
		if err != nil {
			p.problem = fmt.Errorf("queue %s: %w", q.Name, err)
		}
		return config
	})
}

// compare holds the answer of the engine to the recorded one.
func (p *player) compare(recorded *line) error {
	var decided line
	if err := decode(p.decided.Bytes(), &decided); err != nil {
		return p.unreadable(err) // it could not be written
	}
	p.result.Calls++
	if !bytes.Equal(recorded.Answer, decided.Answer) {
		return differenceOf(p, recorded, &decided)
	}
	if recorded.Call == callCycle {
		var grants []json.RawMessage
		if err := decode(recorded.Answer, &grants); err != nil {
			return p.unreadable(err)
		}
		p.result.Grants += len(grants)
	}
	return nil
}

// calls play a call with its arguments.
var calls = map[string]func(p *player, with json.RawMessage) error{
	callConfigure: with(func(p *player, a configureArgs) {
		p.engine.Configure(p.queues(a.Queues), each(a.Flavors, flavorConfig.restore))
	}),
	callSetQueues:  with(func(p *player, a setQueuesArgs) { p.engine.SetQueues(p.queues(a.Queues)) }),
	callSetFlavors: with(func(p *player, a setFlavorsArgs) { p.engine.SetFlavors(each(a.Flavors, flavorConfig.restore)) }),
	callSetEpoch:   with(func(p *player, a setEpochArgs) { p.engine.SetEpoch(a.Root, a.Epoch) }),
	callSubmit:     with(func(p *player, a ask) { p.engine.Submit(a.restore()) }),
	callRestore:    with(func(p *player, a restoreArgs) { p.engine.Restore(a.Key.restore(), a.Grant.restore()) }),
	callRelease:    with(func(p *player, a keyArgs) { p.engine.Release(a.Key.restore()) }),
	callConfirm:    with(func(p *player, a confirmArgs) { p.engine.Confirm(a.Key.restore(), a.Run, a.Attempt) }),
	callRevert:     with(func(p *player, a keyArgs) { p.engine.Revert(a.Key.restore()) }),
	callSetStanding: with(func(p *player, a standingArgs) {
		p.engine.SetStanding(a.Key.restore(), a.Run, a.Attempt, queueing.Standing(a.Standing))
	}),
	callSetWant: with(func(p *player, a wantArgs) {
		p.engine.SetWant(a.Key.restore(), a.Run, a.Attempt, queueing.Want(a.Want))
	}),
	callSettle:  with(func(p *player, a restoreArgs) { p.engine.Settle(a.Key.restore(), a.Grant.restore()) }),
	callAdvance: with(func(p *player, a advanceArgs) { p.engine.Advance(a.Now) }),
	callCycle:   with(func(p *player, a cycleArgs) { p.engine.Cycle(a.Max) }),
	callChanged: func(p *player, _ json.RawMessage) error {
		p.engine.Changed()
		return nil
	},
}

// with reads the arguments of a call.
func with[T any](play func(*player, T)) func(*player, json.RawMessage) error {
	return func(p *player, text json.RawMessage) error {
		var args T
		if err := decode(text, &args); err != nil {
			return err
		}
		play(p, args)
		return nil
	}
}
