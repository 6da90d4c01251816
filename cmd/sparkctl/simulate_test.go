// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// run runs sparkctl and returns its exit code.
func run(args []string, s cli.Streams) int { return runAs("sparkctl", args, s) }

// call runs sparkctl and returns its exit code and output.
func call(in string, args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(args, cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

// TestScenarios plays the scenarios in testdata. Run it with -update to update their results, and review the
// difference.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("scenarios: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			code, out, problem := call("", "simulate", "-f", file)
			if code != 0 || problem != "" {
				t.Fatalf("exit code %d: %s", code, problem)
			}
			golden.Compare(t, strings.TrimSuffix(file, ".yaml")+".jsonl", out)
		})
	}
}

// TestTheSameAgain: the output depends only on the scenario, whether it comes from a file or from standard input.
func TestTheSameAgain(t *testing.T) {
	t.Parallel()
	stream := crowd(500, 130)
	_, first, _ := call(stream, "simulate", "-f", "-")
	for range 5 {
		if _, again, _ := call(stream, "simulate", "-f", "-"); again != first {
			t.Fatalf("another play differs (-first +again):\n%s", cmp.Diff(strings.Split(first, "\n"), strings.Split(again, "\n")))
		}
	}
	if strings.Count(first, "finished") != 500 {
		t.Errorf("not all have finished:\n%s", first)
	}
}

// TestThePageIsTrue: the example in the documentation gives the result on the page.
func TestThePageIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/simulate.md")
	if err != nil {
		t.Fatal(err)
	}
	scenario, want := fence(string(page), "yaml"), fence(string(page), "json")
	code, out, problem := call(scenario, "simulate", "-f", "-")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, problem)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out, "\n")); diff != "" {
		t.Errorf("docs/simulate.md (-page +real output):\n%s", diff)
	}
}

// TestTheWeekIsTrue: the example with schedules gives the summary in the documentation.
func TestTheWeekIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/simulate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## A week of schedules\n")
	code, out, problem := call(fence(section, "yaml"), "simulate", "-f", "-")
	if code != 0 || problem != "" {
		t.Fatalf("exit code %d: %s", code, problem)
	}
	lines := strings.SplitAfter(out, "\n")
	if diff := cmp.Diff(fence(section, "json"), lines[len(lines)-2]); diff != "" {
		t.Errorf("docs/simulate.md (-page +real output):\n%s", diff)
	}
}

// fence returns the first block of code in a language on a page.
func fence(page, language string) string {
	_, rest, _ := strings.Cut(page, "\n```"+language+"\n")
	text, _, _ := strings.Cut(rest, "```")
	return text
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args     []string
		code     int
		out, err string // parts of what is written
	}{
		"nothing":            {out: "Play a scenario against the queues"},
		"help":               {args: []string{"help"}, out: "Play a scenario against the queues"},
		"help by a flag":     {args: []string{"--help"}, out: "Play a scenario against the queues"},
		"help on a command":  {args: []string{"help", "simulate"}, out: "arrivals:"},
		"flag of a command":  {args: []string{"simulate", "-h"}, out: "arrivals:"},
		"help on nothing":    {args: []string{"help", "fly"}, code: 2, err: `sparkctl help: unknown command "fly"; sparkctl --help lists them`},
		"unknown command":    {args: []string{"fly"}, code: 2, err: `sparkctl: unknown command "fly"; sparkctl --help lists them`},
		"unknown flag":       {args: []string{"simulate", "-x"}, code: 2, err: "unknown shorthand flag: 'x' in -x; see sparkctl simulate --help"},
		"a typing error":     {args: []string{"explian", "pi", "-n", "etl"}, code: 2, err: `unknown command "explian": did you mean explain?`},
		"help on an error":   {args: []string{"help", "lnit"}, code: 2, err: "did you mean lint?"},
		"a flag of nothing":  {args: []string{"--fast"}, code: 2, err: "sparkctl: unknown flag: --fast; see sparkctl --help"},
		"too much":           {args: []string{"simulate", "-f", "a", "b"}, code: 2, err: `unexpected argument "b"`},
		"no file":            {args: []string{"simulate"}, code: 2, err: "name the scenario with -f FILE"},
		"a file that is not": {args: []string{"simulate", "-f", "testdata/none"}, code: 1, err: "open testdata/none"},
		"a bad scenario":     {args: []string{"simulate", "-f", "main.go"}, code: 1, err: "main.go cannot be played:\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call("", tc.args...)
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(problem, tc.err) || (problem == "") != (code == 0) {
				t.Errorf("got exit code %d, output %q, error %q; want %d, %q, %q", code, out, problem, tc.code, tc.out, tc.err)
			}
		})
	}
}

// full is an output that accepts nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	var problem strings.Builder
	code := run([]string{"simulate", "-f", "testdata/fifo.yaml"}, cli.Streams{Out: full{}, Err: &problem})
	if code != 1 || !strings.Contains(problem.String(), "short write") {
		t.Errorf("exit code %d: %s", code, problem.String())
	}
}

// crowd returns a scenario with thirty queues in five groups and arrivals of a few sizes, which together need load
// percent of the quota.
func crowd(arrivals, load int) string {
	var out strings.Builder
	out.WriteString("kind: SparkQueue\nmetadata: {name: root}\n")
	for group := range 5 {
		fmt.Fprintf(&out, "---\nkind: SparkQueue\nmetadata: {name: group-%d}\nspec: {parent: root}\n", group)
	}
	for queue := range 30 {
		fmt.Fprintf(&out, "---\nkind: SparkQueue\nmetadata: {name: team-%d}\nspec:\n  parent: group-%d\n  namespaceSelector: {}\n  flavors:\n"+
			"  - {name: default, quotas: [{resource: cpu, nominal: 16, borrowingLimit: 32}, {resource: memory, nominal: 128Gi}]}\n", queue, queue%5)
	}
	out.WriteString("---\narrivals:\n")
	for i := range arrivals {
		fmt.Fprintf(&out, "- at: %ds\n  name: app-%d\n  queue: team-%d\n  priority: %d\n  podSets:\n"+
			"  - {name: driver, requests: {cpu: 1, memory: 2Gi}}\n  - {name: executor, count: %d, requests: {cpu: 2, memory: 8Gi}}\n  runFor: %ds\n",
			i, i, i*7%30, i%11/10, 1+i*3%5, (30+i*13%60)*load/87)
	}
	return out.String()
}

// BenchmarkSimulate reads and plays 100,000 arrivals: with quota for nearly all at once, and with a line that grows to
// thousands while teams take back what they have lent.
func BenchmarkSimulate(b *testing.B) {
	const arrivals = 100_000
	for name, load := range map[string]int{"room": 90, "crowded": 113} {
		b.Run(name, func(b *testing.B) {
			stream := crowd(arrivals, load)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if code := run([]string{"simulate", "-f", "-"}, cli.Streams{In: strings.NewReader(stream), Out: io.Discard, Err: os.Stderr}); code != 0 {
					b.Fatal(code)
				}
			}
			b.ReportMetric(float64(arrivals*b.N)/b.Elapsed().Seconds(), "arrivals/s")
		})
	}
}
