// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
			want: Counts{Failed: 1},
		},
		"a package that does not compile is one failure": {
			events: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a_test.go:3: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"start","Package":"p"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			want: Counts{Failed: 1},
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
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newResults()
			if err := r.read(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			if got := r.count(); got != tt.want {
				t.Errorf("counts: got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestFailuresAreShownWhole(t *testing.T) {
	t.Parallel()
	r := newResults()
	err := r.read(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: first\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:4: second\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"./b.go:1: syntax error\n"}
{"Action":"fail","Package":"q","FailedBuild":"q"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printFailures(&b, r)
	for _, want := range []string{"failed: p TestA", "first", "second", "failed: q", "syntax error"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}

func TestSuiteFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script string
		want   string // the last line; empty: the suite succeeds
	}{
		"when the command fails without a failed test": {script: `echo '{"Action":"pass","Package":"p"}'; exit 3`, want: errTold.Error()},
		"when nothing ran": {script: `true`, want: "s: no test ran"},
		"not when all is well": {
			script: `echo '{"Action":"pass","Package":"p","Test":"TestA"}'; echo '{"Action":"pass","Package":"p"}'`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options{name: "s", dir: t.TempDir()}
			err := o.suite(&bytes.Buffer{}, []string{"sh", "-c", tt.script})
			if got := errorText(err); got != tt.want {
				t.Errorf("error: got %q, want %q", got, tt.want)
			}
			if _, err := os.Stat(filepath.Join(o.dir, "s.json")); err != nil {
				t.Errorf("counts were not kept: %v", err)
			}
		})
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]Counts{"unit": {Passed: 3}, "e2e": {Passed: 1, Skipped: 2}} {
		if err := (options{name: name, dir: dir}).keep(c); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := (options{dir: dir}).sum(&b, []string{"unit", "e2e"}); err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(b.String(), "\n4 passed, 0 failed, 2 skipped\n") {
		t.Errorf("last line is not the total:\n%s", b.String())
	}
	if err := (options{dir: dir}).sum(&b, []string{"unit", "integration"}); err == nil {
		t.Error("a suite that did not run is no failure")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
