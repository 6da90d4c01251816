// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"fmt"
	"io"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// DefaultLimit is how large a log may grow: 256 MiB.
const DefaultLimit = 256 << 20

// Options of a Recorder. The zero value writes nothing.
type Options struct {
	// Out gets the log, a line with each write; nil means no log.
	Out io.Writer
	// Version of the program, for the header.
	Version string
	// Limit of the log in bytes. Default: DefaultLimit.
	Limit int64
	// Ended is called once, if the log ends before the program: with why. It may be nil.
	Ended func(error)
}

// log is a log that is being written. A nil log is none.
type log struct {
	o       Options
	written int64
	ended   bool
	// last are the last calls of each application that the engine knows; nil if calls that do nothing are also written.
	last map[queueing.Key]*lastCalls
	// answers are the answers of selectors since the last line.
	answers []selectorAnswer
}

// lastCalls are the arguments of the last calls of an application that do nothing when they are repeated; empty if they
// might.
type lastCalls struct{ submit, standing, want string }

// endLineSize is reserved for the line that ends a log.
const endLineSize = 200

func begin(o Options) *log {
	if o.Out == nil {
		return nil
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	l := &log{o: o, last: map[queueing.Key]*lastCalls{}}
	l.put(header{DecisionLog: format, Version: o.Version})
	return l
}

func (l *log) isOpen() bool { return l != nil && !l.ended }

// addOf writes a call about one application, unless it does nothing.
func (l *log) addOf(k queueing.Key, call string, with, answer any) {
	text, err := encodePart(with)
	if err != nil {
		l.fail(err)
		return
	}
	if l.last != nil && l.isNoOp(k, call, string(text)) {
		return
	}
	l.add(call, text, answer)
}

// isNoOp reports whether a call does nothing: it repeats another one, or the engine does not know the application. It
// remembers the call.
func (l *log) isNoOp(k queueing.Key, call, with string) bool {
	last := l.last[k]
	if last == nil {
		if call != callSubmit && call != callRestore {
			return true
		}
		last = &lastCalls{}
		l.last[k] = last
	}
	switch call {
	case callSubmit:
		again := last.submit == with
		last.submit = with
		return again
	case callSetHolderState:
		again := last.standing == with
		last.standing = with
		return again
	case callSetResizeRequest:
		again := last.want == with
		last.want = with
		return again
	case callRelease:
		delete(l.last, k)
	case callRestore, callRevert:
		*last = lastCalls{} // what the application asks or holds is another
	}
	return false
}

// granted notes that an application has a new grant, to which earlier standings and wants do not apply.
func (l *log) granted(k queueing.Key) {
	if last := l.last[k]; last != nil {
		last.standing, last.want = "", ""
	}
}

// add writes a call.
func (l *log) add(call string, with, answer any) {
	next := line{Call: call, SelectorAnswers: l.answers}
	l.answers = nil
	var err error
	if next.With, err = encodePart(with); err == nil {
		next.Answer, err = encodePart(answer)
	}
	if err != nil {
		l.fail(err)
		return
	}
	l.put(next)
}

// put writes a line, or the last one if it would go beyond the limit.
func (l *log) put(v any) {
	text, err := encode(v)
	if err != nil {
		l.fail(err)
		return
	}
	if l.written+int64(len(text))+endLineSize <= l.o.Limit {
		l.write(text)
		return
	}
	why := fmt.Errorf("the log has reached its limit of %d bytes", l.o.Limit)
	end := endArgs{Why: why.Error()}
	with, _ := encodePart(end) // cannot fail
	text, _ = encode(line{Call: callEnd, With: with})
	l.write(text)
	l.fail(why)
}

// endArgs is why a log ends.
type endArgs struct {
	Why string `json:"why"`
}

func (l *log) write(text []byte) {
	n, err := l.o.Out.Write(text)
	l.written += int64(n)
	if err != nil {
		l.fail(err)
	}
}

// fail ends the log.
func (l *log) fail(why error) {
	if l.ended {
		return
	}
	l.ended, l.last, l.answers = true, nil, nil
	if l.o.Ended != nil {
		l.o.Ended(why)
	}
}

// recordAnswers returns the queues with selectors that record their answers where their text cannot be parsed.
func (l *log) recordAnswers(queues []embedded.QueueConfig) []embedded.QueueConfig {
	queues = slices.Clone(queues)
	for i := range queues {
		if q := &queues[i]; admission(q) == byAnswers {
			q.Admits = l.answerRecorder(q.Name, q.Admits)
		}
	}
	return queues
}

// answerRecorder records the answer of a selector the first time it is asked about labels.
func (l *log) answerRecorder(queue string, admits func(map[string]string) bool) func(map[string]string) bool {
	noted := map[string]bool{}
	return func(labels map[string]string) bool {
		allowed := admits(labels)
		if text := labelText(labels); l.isOpen() && !noted[text] {
			noted[text] = true
			l.answers = append(l.answers, selectorAnswer{Queue: queue, Labels: labels, Allowed: allowed})
		}
		return allowed
	}
}
