// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"fmt"
	"io"

	"github.com/sparkgate/sparkgate/queueing"
)

// DefaultLimit is the default maximum size of a log: 256 MiB.
const DefaultLimit = 256 << 20

// Options configure a Recorder. The zero value records nothing.
type Options struct {
	// Out receives the log, one line per write; nil means no log.
	Out io.Writer
	// Version is the version of the program, for the header.
	Version string
	// Limit is the maximum size of the log in bytes. Default: DefaultLimit.
	Limit int64
	// Ended is called once with the reason if the log ends before the program does. It may be nil.
	Ended func(error)
}

// log is a log that is being written. A nil log records nothing.
type log struct {
	o       Options
	written int64
	ended   bool
	// last holds the last calls of each asker that the engine knows. If nil, calls that do nothing are recorded as
	// well.
	last map[queueing.Key]*lastCalls
}

// lastCalls holds the arguments of the last calls for an asker that have no effect when they are repeated. Empty means
// that a repetition may have one.
type lastCalls struct{ submit, standing, want string }

// endLineSize is the space reserved for the line that ends a log.
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

// addOf records a call about one asker, unless it does nothing.
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

// isNoOp reports whether a call does nothing because it repeats an earlier one or the engine does not know the asker.
// It also remembers the call.
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
		*last = lastCalls{} // the asker now asks for or holds something else
	}
	return false
}

// granted records that an asker has a new grant, so that repeating earlier setHolderState and setResizeRequest calls has
// an effect.
func (l *log) granted(k queueing.Key) {
	if last := l.last[k]; last != nil {
		last.standing, last.want = "", ""
	}
}

// add records a call.
func (l *log) add(call string, with, answer any) {
	next := line{Call: call}
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

// put writes a line. If that would exceed the limit, it ends the log instead.
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

// endArgs are the arguments of the line that ends a log.
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
	l.ended, l.last = true, nil
	if l.o.Ended != nil {
		l.o.Ended(why)
	}
}
