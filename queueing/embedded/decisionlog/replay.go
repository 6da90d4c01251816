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
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Result is what was replayed.
type Result struct {
	// Version is the version of the program that wrote the log; empty if unknown.
	Version string
	// Calls is the number of replayed calls, and Grants the number of grants that they made.
	Calls, Grants int
	// Cut is true if the log ends in the middle of a line, which is ignored.
	Cut bool
	// End is the reason why the log ended before the program that wrote it; empty if it did not.
	End string
}

// Replay replays a log with a new engine, until the log ends or an answer differs from the recorded one, in which case
// the error is a *Difference. Any other error means that the log cannot be read.
func Replay(in io.Reader) (Result, error) {
	r := newReplayer()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 2*DefaultLimit)
	lines.Split(wholeLines)
	for lines.Scan() {
		r.at++
		text, whole := bytes.CutSuffix(lines.Bytes(), []byte("\n"))
		if !whole && r.at > 1 {
			r.result.Cut = true
			break
		}
		if err := r.apply(text); err != nil {
			return r.result, err
		}
	}
	if err := lines.Err(); err != nil {
		return r.result, fmt.Errorf("read line %d: %w", r.at+1, err)
	}
	if r.at == 0 {
		return r.result, errors.New("the log is empty")
	}
	return r.result, nil
}

// wholeLines is a bufio.SplitFunc that keeps the newlines, so that a line that was cut off can be recognized.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// replayer replays the lines of a log.
type replayer struct {
	result Result
	// at is the number of the current line.
	at     int
	engine *Recorder
	// produced is the line that the engine's Recorder writes for the call.
	produced bytes.Buffer
	// problem is why the call cannot be replayed.
	problem error
}

func newReplayer() *replayer {
	r := &replayer{}
	r.engine = New(Options{Out: &r.produced, Limit: 1 << 62})
	r.engine.log.last = nil // record every call, because each one in the log is replayed and compared
	return r
}

// apply replays one line.
func (r *replayer) apply(text []byte) error {
	if r.at == 1 {
		return r.begin(text)
	}
	if r.result.End != "" {
		return fmt.Errorf("line %d: it follows the end of the log; replay only the lines before it", r.at)
	}
	var l line
	if err := decode(text, &l); err != nil {
		return r.unreadable(err)
	}
	if l.Call == callEnd {
		return r.end(l)
	}
	call := calls[l.Call]
	if call == nil {
		return r.unreadable(fmt.Errorf("unknown call %q", l.Call))
	}
	r.produced.Reset()
	if err := call(r, l.With); err != nil {
		return r.unreadable(err)
	}
	if r.problem != nil {
		return r.unreadable(r.problem)
	}
	return r.compare(&l)
}

func (r *replayer) begin(text []byte) error {
	var h header
	if err := decode(text, &h); err != nil || h.DecisionLog == 0 {
		return errors.New(`line 1: a decision log begins with {"decisionLog":…}: is this one?`)
	}
	if h.DecisionLog != format {
		return fmt.Errorf("line 1: the log has format %d and this program reads format %d: use a sparkctl of the version that wrote it%s",
			h.DecisionLog, format, versionText(h.Version))
	}
	r.result.Version = h.Version
	return nil
}

func (r *replayer) end(l line) error {
	var end endArgs
	if err := decode(l.With, &end); err != nil {
		return r.unreadable(err)
	}
	r.result.End = end.Why
	if end.Why == "" {
		r.result.End = "no reason recorded"
	}
	return nil
}

// unreadable returns the error for an invalid line.
func (r *replayer) unreadable(err error) error {
	return fmt.Errorf("line %d: %w: the line is damaged or was written by a newer version: use a sparkctl of the version that wrote the log%s",
		r.at, err, versionText(r.result.Version))
}

func versionText(version string) string {
	if version == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", version)
}

func (r *replayer) queues(all []queueConfig) []config.Queue {
	var out []config.Queue
	for _, q := range all {
		queue, err := q.restore()
		if err != nil {
			r.problem = fmt.Errorf("queue %s: %w", q.Name, err)
		}
		out = append(out, queue)
	}
	return out
}

// compare compares the engine's answer with the recorded one.
func (r *replayer) compare(recorded *line) error {
	var decided line
	if err := decode(r.produced.Bytes(), &decided); err != nil {
		return r.unreadable(err) // the answer could not be written
	}
	r.result.Calls++
	if !bytes.Equal(recorded.Answer, decided.Answer) {
		return differenceOf(r, recorded, &decided)
	}
	if recorded.Call == callCycle {
		var grants []json.RawMessage
		if err := decode(recorded.Answer, &grants); err != nil {
			return r.unreadable(err)
		}
		r.result.Grants += len(grants)
	}
	return nil
}

// calls maps the name of a call to the function that replays it with its encoded arguments.
var calls = map[string]func(r *replayer, with json.RawMessage) error{
	callConfigure: with(func(r *replayer, a configureArgs) {
		r.engine.Configure(r.queues(a.Queues), a.Flavors)
	}),
	callSetEpoch:   with(func(r *replayer, a setEpochArgs) { r.engine.SetEpoch(a.Root, a.Epoch) }),
	callSubmit:     with(func(r *replayer, a queueing.Ask) { r.engine.Submit(a) }),
	callRestore:    with(func(r *replayer, a restoreArgs) { r.engine.Restore(a.Key, a.Grant) }),
	callRelease:    with(func(r *replayer, a keyArgs) { r.engine.Release(a.Key) }),
	callConfirm:    with(func(r *replayer, a attemptArgs) { r.engine.Confirm(a.Key, a.Run, a.Attempt) }),
	callReserveFor: with(func(r *replayer, a keyArgs) { r.engine.ReserveFor(a.Key) }),
	callRevert:     with(func(r *replayer, a keyArgs) { r.engine.Revert(a.Key) }),
	callSetHolderState: with(func(r *replayer, a holderStateArgs) {
		r.engine.SetHolderState(a.Key, a.Run, a.Attempt, a.State)
	}),
	callSetResizeRequest: with(func(r *replayer, a resizeRequestArgs) {
		r.engine.SetResizeRequest(a.Key, a.Run, a.Attempt, a.Request)
	}),
	callSettle:  with(func(r *replayer, a restoreArgs) { r.engine.Settle(a.Key, a.Grant) }),
	callAdvance: with(func(r *replayer, a advanceArgs) { r.engine.Advance(a.Now) }),
	callCycle:   with(func(r *replayer, a cycleArgs) { r.engine.Cycle(a.Max) }),
	callChanged: func(r *replayer, _ json.RawMessage) error {
		r.engine.Changed()
		return nil
	},
}

// with decodes the arguments of a call.
func with[T any](play func(*replayer, T)) func(*replayer, json.RawMessage) error {
	return func(r *replayer, text json.RawMessage) error {
		var args T
		if err := decode(text, &args); err != nil {
			return err
		}
		play(r, args)
		return nil
	}
}
