// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events string
		want   Counts
	}{
		"a passing test": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"p"}`,
			want: Counts{Passed: 1},
		},
		"a parent is not counted beside its subtests": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/one"}
{"Action":"run","Package":"p","Test":"TestA/two"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"fail","Package":"p","Test":"TestA/two"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Passed: 1, Failed: 1},
		},
		"a parent that fails by itself is counted": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Passed: 1, Failed: 1},
		},
		"a test whose process died has failed": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: no\n"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Failed: 1, Broken: []string{"p"}},
		},
		"a package that does not compile is one failure": {
			events: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a_test.go:3: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"start","Package":"p"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			want: Counts{Failed: 1, Broken: []string{"p"}},
		},
		"a package without tests counts nothing": {
			events: `{"Action":"start","Package":"p"}
{"Action":"skip","Package":"p"}`,
		},
		"a skipped test is counted as such": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			want: Counts{Skipped: 1},
		},
		"a test that fails and then passes is flaky, and its parent is not counted beside it": {
			events: `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/one"}
{"Action":"fail","Package":"p","Test":"TestA/one"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			want: Counts{Passed: 1, Flaky: []string{"p TestA/one"}},
		},
		"a failed subtest that is not there the second time has failed": {
			events: `{"Action":"start","Package":"p"}
{"Action":"fail","Package":"p","Test":"TestA/one"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"start","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			want: Counts{Failed: 1},
		},
		"a package that fails outside of its tests and passes the second time has failed": {
			events: `{"Action":"start","Package":"p"}
{"Action":"fail","Package":"p"}
{"Action":"start","Package":"p"}
{"Action":"pass","Package":"p"}`,
			want: Counts{Failed: 1, Broken: []string{"p"}},
		},
		"a package whose end is missing has failed": {
			events: `{"Action":"start","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}`,
			want: Counts{Passed: 1, Failed: 1, Broken: []string{"p"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := results{}
			if err := r.read(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			got := r.count()
			got.Seconds = 0
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// suites are modules whose tests fail the first time, as fails says, and what hack/suite makes of them. once is true the first time
// that it is called with a name.
var suites = map[string]struct {
	code string
	want []string // lines; the last one is the last line
	ok   bool
}{
	"one flaky test": {
		code: `func TestA(t *testing.T) { t.Run("sub", func(t *testing.T) { if once("a") { t.Error("no") } }) }
func TestB(t *testing.T) {}`,
		want: []string{"flaky (failed, then passed): flaky TestA/sub", "s: 2 passed, 0 failed, 1 flaky"}, ok: true,
	},
	"a test that fails twice": {
		code: `func TestA(t *testing.T) { t.Error("no") }`,
		want: []string{"s: 0 passed, 1 failed"},
	},
	"three flaky tests": {
		code: `func TestA(t *testing.T) { if once("a") { t.Error("no") } }
func TestB(t *testing.T) { if once("b") { t.Error("no") } }
func TestC(t *testing.T) { if once("c") { t.Error("no") } }`,
		want: []string{"s: 0 passed, 3 failed"},
	},
	"a panic": {
		code: `func TestA(t *testing.T) { if once("a") { panic("no") } }`,
		want: []string{"s: 0 passed, 1 failed"},
	},
	"a process that ends": {
		code: `func TestA(t *testing.T) { if once("a") { os.Exit(1) } }`,
		want: []string{"failed outside of any test: flaky", "s: 0 passed, 1 failed"},
	},
	"a TestMain that fails": {
		code: `func TestMain(m *testing.M) { if once("a") { os.Exit(1) }; os.Exit(m.Run()) }
func TestA(t *testing.T) {}`,
		want: []string{"failed outside of any test: flaky", "s: 0 passed, 1 failed"},
	},
	"code that does not compile": {
		code: `func TestA(t *testing.T) { undefined() }`,
		want: []string{"failed outside of any test: flaky", "s: 0 passed, 1 failed"},
	},
}

// TestFlakyTestsDoNotLoseTheRun runs hack/suite, and with it the real gotestsum, over modules whose tests fail once.
func TestFlakyTestsDoNotLoseTheRun(t *testing.T) {
	t.Parallel()
	for name, tt := range suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module flaky\n\ngo 1.26.0\n")
			write(t, filepath.Join(dir, "a_test.go"), `package flaky

import ("errors"; "os"; "testing")

func once(name string) bool { return !errors.Is(os.Mkdir("seen-"+name, 0o700), os.ErrExist) }

var _, _ = once, testing.Short

`+tt.code)
			command := exec.Command("../suite", "go_test", "s", "-count=1")
			command.Stdin = strings.NewReader(dir + " ./...\n")
			command.Env = append(os.Environ(), "TESTS_DIR="+t.TempDir())
			out, err := command.Output()
			if (err == nil) != tt.ok {
				t.Errorf("hack/suite: %v", err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			for _, want := range tt.want {
				if !strings.Contains(string(out), want+"\n") {
					t.Errorf("there is no line %q in:\n%s", want, out)
				}
			}
			if got, want := lines[len(lines)-1], tt.want[len(tt.want)-1]; got != want {
				t.Errorf("last line: got %q, want %q", got, want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kept  map[string]Counts
		names []string
		want  string // the last line
		ok    bool
	}{
		"all is well": {
			kept:  map[string]Counts{"unit": {Passed: 3}, "e2e": {Passed: 1, Skipped: 2}},
			names: []string{"unit", "e2e"}, want: "4 passed, 0 failed, 2 skipped", ok: true,
		},
		"a suite did not run": {kept: map[string]Counts{"unit": {Passed: 3}}, names: []string{"unit", "e2e"}, want: "3 passed, 1 failed"},
		"nothing ran":         {kept: map[string]Counts{"unit": {}}, names: []string{"unit"}, want: "0 passed, 0 failed"},
		"flaky tests of several suites": {
			kept:  map[string]Counts{"unit": {Passed: 3, Flaky: []string{"a"}}, "e2e": {Passed: 4, Flaky: []string{"b", "c"}}},
			names: []string{"unit", "e2e"}, want: "4 passed, 3 failed, 3 flaky",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, c := range tt.kept {
				if err := (options{name: name, dir: dir}).keep(c); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if err := (options{dir: dir}).sum(&b, tt.names); (err == nil) != tt.ok {
				t.Errorf("error: %v", err)
			}
			if !strings.HasSuffix(b.String(), "\n"+tt.want+"\n") {
				t.Errorf("last line is not %q:\n%s", tt.want, b.String())
			}
		})
	}
}
