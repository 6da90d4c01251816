// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Event is an event of Kubernetes in one line.
type Event struct {
	Age                           time.Duration
	Type, Reason, Object, Message string
}

// WriteEvents writes events as a table. In a terminal of that width the last column is cut; 0 is no terminal.
func WriteEvents(out io.Writer, events []Event, width int) error {
	rows := [][]string{{"AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"}}
	for i := range events {
		e := &events[i]
		rows = append(rows, []string{duration.HumanDuration(e.Age), e.Type, e.Reason, e.Object, oneLine(e.Message)})
	}
	return writeTable(out, rows, width)
}
