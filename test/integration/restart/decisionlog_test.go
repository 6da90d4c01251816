// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestDecisionsReplay: what an operator has decided comes out again when its decision log is played, also while it still writes, and
// for the operator after it, which begins with what it finds.
func TestDecisionsReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	w := harness.NewWorld(t, "3Gi", nil)
	operator := startWithLog(t, path)
	first := w.Apply("first")
	driver := w.Run(first)
	second, third := w.Apply("second"), w.Apply("third")
	w.Reach(second, "Queued")
	w.Reach(third, "Queued")
	replays(t, path, 1, `"call":"submit","with":{"key":{"kind":"SparkApplication","namespace":"`+w.Namespace+`","name":"second"`)
	operator.Stop()

	operator = startWithLog(t, path)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(first, "Succeeded")
	w.SucceedAll(second, third)
	w.Unused()
	operator.Stop()
	replays(t, path, 2, `"call":"restore","with":{"key":{"kind":"SparkApplication","namespace":"`+w.Namespace+`","name":"first"`, `"call":"release"`)
	replays(t, path+".1", 1, `"state":"Waiting","reason":"WaitingForQuota"`)
}

func startWithLog(t *testing.T, path string) *harness.Operator {
	t.Helper()
	file, err := decisionlog.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	operator := harness.StartOperator(t, harness.OperatorOptions{DecisionLog: file})
	t.Cleanup(func() {
		operator.Stop()
		_ = file.Close()
	})
	return operator
}

// replays plays a log with so many grants at least, which has all the words.
func replays(t *testing.T, path string, grants int, words ...string) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result, err := decisionlog.Replay(strings.NewReader(string(log)))
	if err != nil || result.Grants < grants || result.End != "" {
		t.Errorf("%s: %+v, %v, want %d grants\n%s", path, result, err, grants, log)
	}
	for _, word := range words {
		if !strings.Contains(string(log), word) {
			t.Errorf("%s does not have %s:\n%s", path, word, log)
		}
	}
}
