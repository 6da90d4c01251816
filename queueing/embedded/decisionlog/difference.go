// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Difference is the error that an answer differs from the recorded one.
type Difference struct {
	// Line is the line number in the log, from 1, and Call the call on that line.
	Line int
	Call string
	// Recorded and Decided are the two answers as JSON; for lists, the first elements that differ, or "nothing" past
	// the end.
	Recorded, Decided string
	// Version is the version of the program that wrote the log; empty if unknown.
	Version string
}

// Error describes the difference in three lines.
func (d *Difference) Error() string {
	return fmt.Sprintf("line %d: %s gives a different answer\n  recorded: %s\n  decided:  %s", d.Line, d.Call, d.Recorded, d.Decided)
}

func differenceOf(r *replayer, recorded, decided *line) *Difference {
	d := &Difference{
		Line: r.at, Call: recorded.Call, Recorded: answerText(recorded.Answer), Decided: answerText(decided.Answer), Version: r.result.Version,
	}
	var was, is []json.RawMessage
	if json.Unmarshal(recorded.Answer, &was) != nil || json.Unmarshal(decided.Answer, &is) != nil {
		return d
	}
	for i := range max(len(was), len(is)) {
		if a, b := elementAt(was, i), elementAt(is, i); !bytes.Equal(a, b) {
			d.Recorded, d.Decided = answerText(a), answerText(b)
			break
		}
	}
	return d
}

func elementAt(list []json.RawMessage, i int) json.RawMessage {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func answerText(answer json.RawMessage) string {
	if len(answer) == 0 {
		return "nothing"
	}
	return string(answer)
}
