// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestDiffSubmit checks the exit codes and the output. The comparison itself is tested in package offline.
func TestDiffSubmit(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const refused = `{"sparkVersion": "4.1.4", "name": "x", "args": ["--conf", "spark.kubernetes.container.image=spark", "--driver-cores", "CORES", "local:///a.py"],
		"requests": [], "exit": 1, "errorLines": ["Driver cores must be a positive number"]}`
	equal := write("equal.json", strings.Replace(refused, "CORES", "0", 1))
	different := write("different.json", strings.Replace(refused, "CORES", "1", 1))
	listed := write("listed.json", strings.Replace(strings.Replace(refused, "CORES", "1", 1), "Driver cores", "UnknownHostException: Driver cores", 1))
	broken := write("broken.json", "{")
	for name, test := range map[string]struct {
		args     []string
		in       string
		code     int
		out, err string
	}{
		"equal":          {args: []string{equal}, out: "equal.json: Spark 4.1.4: equal (both refuse it)\n"},
		"different":      {args: []string{equal, different}, code: cli.ExitFailed, out: "  difference: spark-submit refuses it, sparkgate takes it: Driver cores", err: "1 of 2 recordings differ"},
		"listed":         {args: []string{listed}, out: "  listed: UnknownHostException: "},
		"unreadable":     {args: []string{different, broken, equal}, code: cli.ExitUsage, out: "equal (both refuse it)", err: "broken.json: it is not a recording in JSON"},
		"no such file":   {args: []string{filepath.Join(folder, "none")}, code: cli.ExitUsage, err: "no such file"},
		"no file":        {code: cli.ExitUsage, err: "name a recording"},
		"a wrong flag":   {args: []string{"--x"}, code: cli.ExitUsage, err: "see sparkctl diff-submit --help"},
		"standard input": {args: []string{"-"}, in: strings.Replace(refused, "CORES", "0", 1), out: "standard input: Spark 4.1.4: equal"},
		"help":           {args: []string{"--help"}, out: "RECORDING is a JSON file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call(test.in, append([]string{"diff-submit"}, test.args...)...)
			if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(problem, test.err) {
				t.Errorf("exit code %d, want %d; output %q, want %q in it; error %q, want %q in it", code, test.code, out, test.out, problem, test.err)
			}
		})
	}
}
