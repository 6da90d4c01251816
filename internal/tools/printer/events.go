// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Event is a Kubernetes event as one row of a table.
type Event struct {
	Age                           time.Duration
	Type, Reason, Object, Message string
}

// WriteEvents writes events as a table. The last column is cut to the width of the terminal; 0 if the output is not a
// terminal.
func WriteEvents(out io.Writer, events []Event, width int) error {
	rows := [][]string{{"AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"}}
	for i := range events {
		e := &events[i]
		rows = append(rows, []string{duration.HumanDuration(e.Age), e.Type, e.Reason, e.Object, oneLine(e.Message)})
	}
	return writeTable(out, rows, width)
}
