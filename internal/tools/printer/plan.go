// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"fmt"
	"io"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// WritePlan writes a plan as text for a terminal. The last column is cut to the width of the terminal; 0 if the output
// is not a terminal.
func WritePlan(out io.Writer, plan offline.Plan, width int) error {
	var text strings.Builder
	for _, line := range []struct {
		what  string
		names []string
	}{{"Queues:  ", plan.Queues}, {"Flavors: ", plan.Flavors}, {"Deleted queues:  ", plan.DeletedQueues}, {"Deleted flavors: ", plan.DeletedFlavors}} {
		if len(line.names) > 0 {
			fmt.Fprintf(&text, "%s%s\n", line.what, strings.Join(line.names, ", "))
		}
	}
	if len(plan.Effects) == 0 {
		text.WriteString("No application would start, stop, or change its place in line.\n")
		_, err := io.WriteString(out, text.String())
		return err
	}
	if text.Len() > 0 {
		text.WriteString("\n")
	}
	rows := [][]string{{"NAME", "CHANGE", "QUEUE", "NOW", "THEN", "MESSAGE"}}
	counts := map[offline.EndState]int{}
	for _, e := range plan.Effects {
		name := e.Namespace + "/" + e.Name
		switch e.Kind {
		case v1alpha1.ScheduledSparkApplicationKind:
			name += " (schedule)"
		case "Pod":
			name += " (pod)"
		}
		message := oneLine(e.Message)
		if e.Reason != "" {
			message = e.Reason + ": " + message
		}
		rows = append(rows, []string{name, string(e.Change), e.Queue, string(e.Before), string(e.After), message})
		counts[e.After]++
	}
	if err := writeTable(&text, rows, width); err != nil {
		return err
	}
	var each []string
	for _, outcome := range offline.EndStates {
		if n := counts[outcome]; n > 0 {
			each = append(each, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	fmt.Fprintf(&text, "\n%s\n", strings.Join(each, ", "))
	_, err := io.WriteString(out, text.String())
	return err
}
