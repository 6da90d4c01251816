// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// script returns a process of the shell.
func script(t *testing.T, text string) *process {
	t.Helper()
	return &process{command: []string{"/bin/sh", "-c", text}, env: []string{"WORD=heard"}, log: filepath.Join(t.TempDir(), "sh.log")}
}

func TestProcessEnds(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"asked to": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := script(t, "exec sleep 600")
			for range 2 { // it can be started again
				if err := p.start(); err != nil {
					t.Fatal(err)
				}
				if err := p.check(); err != nil {
					t.Error(err)
				}
				if err := p.start(); err == nil {
					t.Error("it was started twice")
				}
				if err := p.end(signal); err != nil {
					t.Error(err)
				}
				if p.alive() {
					t.Error("it is alive after its end")
				}
			}
			if err := p.end(signal); err != nil {
				t.Errorf("end it once more: %v", err)
			}
		})
	}
}

func TestProcessThatEndsByItself(t *testing.T) {
	t.Parallel()
	p := script(t, `echo "last word $WORD"; exit 3`)
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	err := p.check()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "last word heard") {
		t.Errorf("check = %v, want the status and what it wrote", err)
	}
}

func TestProcessThatCannotStart(t *testing.T) {
	t.Parallel()
	p := &process{command: []string{filepath.Join(t.TempDir(), "none")}, log: filepath.Join(t.TempDir(), "log")}
	if err := p.start(); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("start = %v, want an error that names the program", err)
	}
	if p.alive() {
		t.Error("it is alive")
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	p := &process{log: filepath.Join(t.TempDir(), "log")}
	line := strings.Repeat("x", 99) + "\n"
	if err := os.WriteFile(p.log, []byte("first\n"+strings.Repeat(line, 100)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.tail()
	if len(got) > tailBytes+len("…\n") || !strings.HasPrefix(got, "…\n"+line) || !strings.HasSuffix(got, "last\n") {
		t.Errorf("tail of %d bytes, %q … %q, want whole lines to the last", len(got), got[:20], got[len(got)-20:])
	}
}

func TestFindBuild(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(FolderVariable("kueue"), dir)
	_, err := findBuild("unused", "kueue")
	if err == nil || !strings.Contains(err.Error(), "SPARKGATE_KUEUE") || !strings.Contains(err.Error(), dir) {
		t.Errorf("error = %v, want one that names the variable and the folder", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := findBuild("unused", "kueue"); err != nil || got != dir {
		t.Errorf("found %q, error %v, want %q", got, err, dir)
	}
}
