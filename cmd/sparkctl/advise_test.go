// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// recordedLog is the event log of a real run.
const recordedLog = "../../internal/tools/advise/eventlog/testdata/skewed"

// TestAdviseFromAnEventLog checks the advice for a recorded run, without a cluster.
func TestAdviseFromAnEventLog(t *testing.T) {
	t.Parallel()
	code, out, problem := call("", "advise", "--event-log", recordedLog+"/eventlog_v2_app-20261123212223-0000")
	want := `Measured by Spark app-20261123212223-0000: event log eventlog_v2_app-20261123212223-0000

FIELD                        NOW    ADVISED   CONFIDENCE   REASON
spec.driver.memoryOverhead   384m   1152m     high         at most 903 MiB was in use beside the heap; 25 % more than that
spec.executor.memory         640m   512m      high         at most 167 MiB of heap was in use; 512m is the least that is advised

Also:
- stage 0 (collect at /jobs/skewed.py:7) is skewed: of 8 tasks, the slowest took 45.7s and the median 4.1s; its data is unequally divided, which more executors do not change

Not known:
- the CPU time of Python workers, which Spark does not measure; so cores are left alone
`
	if diff := cmp.Diff(want, out); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s (-want +got):\n%s", code, problem, diff)
	}
	if code, out, _ := call("", "advise", "--event-log", recordedLog+"/eventlog_v2_app-20261123212223-0000", "-o", "json"); code != 0 || !strings.Contains(out, `"advised": "512m"`) {
		t.Errorf("as JSON: exit code %d, %s", code, out)
	}
}

// TestAdviseRefuses: an error names what cannot be read, and a remedy.
func TestAdviseRefuses(t *testing.T) {
	t.Parallel()
	hostile := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(hostile, []byte("\x1b]0;title\x07\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"neither name nor log":    {[]string{"advise"}, cli.ExitUsage, "name one application"},
		"two names":               {[]string{"advise", "a", "b"}, cli.ExitUsage, "name one application"},
		"a patch of what":         {[]string{"advise", "--event-log", recordedLog, "-o", "patch"}, cli.ExitUsage, "name the application that the patch is for"},
		"a log that is not there": {[]string{"advise", "--event-log", "/nowhere/log"}, cli.ExitFailed, "/nowhere/log not found on this machine; mount or download"},
		"not a log":               {[]string{"advise", "--event-log", hostile}, cli.ExitFailed, "line 1 is not an event of Spark"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call("", tc.args...)
			if code != tc.code || !strings.Contains(problem, tc.want) || strings.Contains(problem, "\x1b") || out != "" {
				t.Errorf("exit code %d, want %d: %s%q", code, tc.code, out, problem)
			}
		})
	}
}
