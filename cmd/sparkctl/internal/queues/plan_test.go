// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestPlanFailsOn: losing executors counts as preemption, like being stopped.
func TestPlanFailsOn(t *testing.T) {
	t.Parallel()
	stops := offline.Effect{Before: offline.Admitted, After: offline.Preempted, Reason: "Preempted"}
	shrinks := offline.Effect{Before: offline.Admitted, After: offline.Admitted, Reason: offline.ExecutorsReclaimed}
	starts := offline.Effect{Before: offline.Absent, After: offline.Admitted, Change: offline.Created}
	for name, tt := range map[string]struct {
		failOn  string
		effects []offline.Effect
		want    string
	}{
		"nothing is preempted": {"preemption", []offline.Effect{starts}, ""},
		"one stops":            {"preemption", []offline.Effect{starts, stops}, "1 of what --fail-on names: preemption"},
		"one loses executors":  {"preemption", []offline.Effect{starts, shrinks}, "1 of what --fail-on names: preemption"},
		"both":                 {"refused,preemption", []offline.Effect{stops, shrinks}, "2 of what --fail-on names: preemption"},
		"another check":        {"refused", []offline.Effect{stops, shrinks}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := planFlags{failOn: strings.Split(tt.failOn, ",")}
			err := f.verdict(offline.Plan{Effects: tt.effects})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestPlanForPrograms: lists that are empty are empty lists, not null.
func TestPlanForPrograms(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := planFlags{output: "json"}
	if err := f.print(offline.Plan{}, cli.Streams{Out: &out}); err != nil || strings.Contains(out.String(), "null") {
		t.Errorf("a plan in which nothing happens: %v, %s", err, out.String())
	}
}
