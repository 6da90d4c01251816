// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// decisions is a log with one grant, written by this version of the program.
var decisions = `{"decisionLog":1,"version":"` + decisionlog.ProgramVersion() + `"}
{"call":"configure","with":{"queues":[{"name":"default","weight":1,"unlimited":true,"admits":"selector","selector":"<none>"}]}}
{"call":"submit","with":{"key":{"namespace":"spark","name":"etl","uid":"1"},"run":1,"attempt":1,"queue":"default"},"answer":true}
{"call":"cycle","with":{"max":32},"answer":[{"key":{"namespace":"spark","name":"etl","uid":"1"},"root":"default","grant":{"run":1,"attempt":1,"gate":"Embedded","queue":"default"}}]}
{"call":"changed","answer":[{"keys":[{"namespace":"spark","name":"etl","uid":"1"}],"state":"Granted"}]}
`

// TestReplay checks the output and the exit codes.
func TestReplay(t *testing.T) {
	t.Parallel()
	const refused = `sparkctl replay: standard input: line 4: cycle gives a different answer
  recorded: {"key":{"namespace":"spark","name":"etl","uid":"1"},"root":"default","grant":{"run":1,"attempt":2,"gate":"Embedded","queue":"default"}}
  decided:  {"key":{"namespace":"spark","name":"etl","uid":"1"},"root":"default","grant":{"run":1,"attempt":1,"gate":"Embedded","queue":"default"}}
`
	own := cmp.Or(decisionlog.ProgramVersion(), "(unknown)")
	changed := strings.Replace(decisions, `"grant":{"run":1,"attempt":1`, `"grant":{"run":1,"attempt":2`, 1)
	tests := map[string]struct {
		log      string
		code     int
		out, err string
	}{
		"as recorded": {log: decisions, out: "4 calls, 1 grants, all as recorded\n"},
		"cut off":     {log: decisions[:len(decisions)-20], out: "3 calls, 1 grants, all as recorded\nthe last line is cut off and was left out\n"},
		"ended": {log: decisions + `{"call":"end","with":{"why":"the log is full"}}` + "\n",
			out: "4 calls, 1 grants, all as recorded\nthe log ends before the operator did: the log is full\n"},
		"changed": {log: changed, code: cli.ExitFailed, err: refused},
		"another version": {log: strings.Replace(changed, `"version":"`, `"version":"v0.0.1`, 1), code: cli.ExitFailed,
			err: refused + "the log was written by version v0.0.1" + decisionlog.ProgramVersion() + " and this is " + own +
				": play it with the sparkctl of that version first\n"},
		"no log": {log: "hello\n", code: cli.ExitFailed, err: "sparkctl replay: standard input: line 1: a decision log begins with {\"decisionLog\":…}: is this one?\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, err := call(tc.log, "replay", "-f", "-")
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if diff := gocmp.Diff(tc.out, out) + gocmp.Diff(tc.err, err); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReplayOfAFile also checks wrong arguments.
func TestReplayOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "decisions.jsonl")
	if err := os.WriteFile(file, []byte(decisions), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a file":         {[]string{"-f", file}, 0, "4 calls, 1 grants"},
		"a missing file": {[]string{"-f", file + ".1"}, cli.ExitFailed, "no such file"},
		"no file":        {nil, cli.ExitUsage, "name the decision log with -f FILE"},
		"too much":       {[]string{"-f", file, "again"}, cli.ExitUsage, `unexpected argument "again"`},
		"help":           {[]string{"-h"}, 0, "--decision-log FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, err := call("", append([]string{"replay"}, tc.args...)...)
			if code != tc.code || !strings.Contains(out+err, tc.want) {
				t.Errorf("exit code %d, want %d; %q is missing in %s%s", code, tc.code, tc.want, out, err)
			}
		})
	}
}
