// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// inTerminal starts a command in a pseudo-terminal of that size, and returns what it writes there.
func inTerminal(t *testing.T, command *exec.Cmd, columns, rows uint16) (*os.File, *output) {
	t.Helper()
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	written := &output{}
	go io.Copy(written, terminal) //nolint:errcheck // a terminal whose program has ended cannot be read
	return terminal, written
}

// lastFrame returns the lines of the table that was drawn last, without control sequences.
func lastFrame(text string) []string {
	frames := strings.Split(text, "\x1b[H")
	for _, sequence := range []string{"\x1b[K", "\x1b[J", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[0m"} {
		frames[len(frames)-1] = strings.ReplaceAll(frames[len(frames)-1], sequence, "")
	}
	return strings.Split(frames[len(frames)-1], "\r\n")
}

// TestWatchInATerminal: a table that follows a run, also in a narrow terminal, and a terminal that is as before after
// Ctrl-C.
func TestWatchInATerminal(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	watching := me.command("watch")
	terminal, written := inTerminal(t, watching, 100, 10)
	shows := func(words ...string) {
		t.Helper()
		env.UntilSeen(t, strings.Join(words, " "), func() (bool, env.Lazily) {
			frame := strings.Join(lastFrame(written.String()), "\n")
			for _, word := range words {
				if !strings.Contains(frame, word) {
					return false, written.String
				}
			}
			return true, written.String
		})
	}
	shows("SparkApplications in namespace " + w.Namespace + ": none")
	app := w.Apply("pi")
	driver := w.Run(app)
	shows("1 (1 Running)", "NAME", "pi ", "Running")
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 40, Rows: 5}); err != nil {
		t.Fatal(err)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	shows("1 (1 Succeeded)")
	if !strings.HasPrefix(written.String(), "\x1b[?1049h\x1b[?25l\x1b[?7l") {
		t.Errorf("it does not begin with a page of its own: %q", written.String()[:20])
	}
	if _, err := terminal.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if err := watching.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	written.until(t, "\x1b[?7h\x1b[?25h\x1b[?1049l")
}

// TestWatchInAPipe: a line for each stage; it ends when its reader is gone.
func TestWatchInAPipe(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	var out output
	watching := me.command("watch", "-A", "--queue", w.Queue.Name)
	watching.Stdout = &out
	if err := watching.Start(); err != nil {
		t.Fatal(err)
	}
	app := w.Apply("pi")
	w.Succeed(app)
	out.until(t, w.Namespace+"/pi run 1 attempt 1 Running: ")
	out.until(t, w.Namespace+"/pi run 1 attempt 1 Succeeded: ")
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("control sequences without a terminal: %q", out.String())
	}
	if err := watching.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := watching.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", harness.Compile(t, "sparkctl")+" watch | head -n 1")
	shell.Env = append(os.Environ(), "KUBECONFIG="+me.kubeconfig)
	var first output
	shell.Stdout = &first
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	first.until(t, "/pi run 1")
	w.Succeed(w.Apply("next")) // a line without a reader
	if err := shell.Wait(); err != nil {
		t.Errorf("watch | head: %v", err)
	}
}

// TestWatchUntilEnded: it ends with the last of them, and its exit code says how they have ended.
func TestWatchUntilEnded(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	batch := func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"batch": "nightly"} }
	first, second := w.Apply("first", batch), w.Apply("second", batch)
	w.Apply("other")
	w.Run(first)
	me.fails(4, words("watch -l batch=nightly --until-ended --timeout 1s"), "not ended after 1s: "+w.Namespace+"/first, "+w.Namespace+"/second")
	me.fails(1, words("watch -l batch=none --until-ended"), "no SparkApplications found in namespace "+w.Namespace+" with labels batch=none")
	me.fails(2, words("watch --stage Running --until-ended"), "--stage and --until-ended do not go together")
	me.fails(2, words("watch --timeout 1s"), "--timeout is for --until-ended")

	inPipe, onScreen := me.command("watch", "-l", "batch=nightly", "--until-ended"), me.command("watch", "-l", "batch=nightly", "--until-ended")
	var out output
	inPipe.Stdout = &out
	if err := inPipe.Start(); err != nil {
		t.Fatal(err)
	}
	_, written := inTerminal(t, onScreen, 100, 10)
	w.Succeed(first)
	w.Succeed(second)
	if err := errors.Join(inPipe.Wait(), onScreen.Wait()); err != nil {
		t.Errorf("two that have succeeded: %v", err)
	}
	out.until(t, "/second run 1 attempt 1 Succeeded: ")
	written.until(t, "NAME")
	env.UntilSeen(t, "the table stays", func() (bool, env.Lazily) {
		_, after, left := strings.Cut(written.String(), "\x1b[?1049l")
		return left && strings.Contains(after, "first") && strings.Contains(after, "second"), written.String
	})

	third := w.Apply("third", batch)
	w.Kubelet.Finish(t.Context(), w.Run(third), 1, "Error")
	me.fails(3, words("watch -l batch=nightly --until-ended"), "failed: "+w.Namespace+"/third")

	fourth := w.Apply("fourth", func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"batch": "adhoc"} })
	w.Run(fourth)
	var notes output
	deleted := me.command("watch", "-l", "batch=adhoc", "--until-ended")
	deleted.Stdout, deleted.Stderr = &out, &notes
	if err := deleted.Start(); err != nil {
		t.Fatal(err)
	}
	out.until(t, "/fourth run 1 attempt 1 Running: ")
	if err := env.Client().Delete(t.Context(), fourth); err != nil {
		t.Fatal(err)
	}
	if err := deleted.Wait(); err == nil || deleted.ProcessState.ExitCode() != 3 || !strings.Contains(notes.String(), "deleted before they ended: "+w.Namespace+"/fourth") {
		t.Errorf("one that was deleted: %v, %s", err, notes.String())
	}
}
