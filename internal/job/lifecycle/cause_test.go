// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TestWithCause: what the log says explains the exit of a program, and nothing that Kubernetes knows better.
func TestWithCause(t *testing.T) {
	t.Parallel()
	failed := func(message string) pods.Outcome {
		return pods.Outcome{Cause: v1alpha1.CauseApplication, Reason: pods.ReasonError, ExitCode: ptr.To[int32](1), Message: message}
	}
	killed := failed("driver was killed with exit code 137: it used more memory than its limit; raise driver.memoryOverhead")
	killed.Reason = "OOMKilled"
	const cause = `ValueError: no such column "x"`
	for name, tc := range map[string]struct {
		outcome     pods.Outcome
		cause, want string
	}{
		"an exception":        {failed("driver ended with exit code 1 (Error)"), cause, "driver ended with exit code 1: " + cause},
		"the log is silent":   {failed("driver ended with exit code 1 (Error)"), "", "driver ended with exit code 1 (Error)"},
		"a code that says it": {failed("driver ended with exit code 127 (Error): the command was not found"), cause, "driver ended with exit code 127 (Error): the command was not found; the log says: " + cause},
		"a remedy":            {failed("driver ended with exit code 1 (Error)"), "java.lang.OutOfMemoryError: Java heap space", "driver ended with exit code 1: java.lang.OutOfMemoryError: Java heap space; raise driver.memory"},
		"the same remedy":     {failed("driver ended with exit code 52 (Error); raise driver.memory"), "java.lang.OutOfMemoryError: Java heap space", "driver ended with exit code 52 (Error); raise driver.memory; the log says: java.lang.OutOfMemoryError: Java heap space"},
		"the last line":       {failed("driver ended with exit code 1 (Error)"), "its last line: no orders", "driver ended with exit code 1; its last line: no orders"},
		"out of memory":       {killed, cause, killed.Message},
		"the node is gone":    {pods.Outcome{Cause: v1alpha1.CauseInfrastructure, Reason: pods.ReasonError, Message: "its node is gone"}, cause, "its node is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := withCause(tc.outcome, tc.cause); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
