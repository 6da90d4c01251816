// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Difference is an answer that differs from the recorded one.
type Difference struct {
	// Line of the log, from 1, and the call that is there.
	Line int
	Call string
	// Recorded and Decided are the answers, as JSON; of lists the first elements that differ, "nothing" past the end.
	Recorded, Decided string
	// Version of the program that wrote the log; empty if it did not know.
	Version string
}

// Error says it in a few lines.
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
