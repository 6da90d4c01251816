// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// output is what a program that runs has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// until waits until the text is there.
func (o *output) until(t *testing.T, text string) {
	t.Helper()
	env.UntilSeen(t, text, func() (bool, env.Lazily) { return strings.Contains(o.String(), text), o.String })
}

// retried is an application whose driver may fail twice.
func retried(app *v1alpha1.SparkApplication) {
	app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, MaxAttempts: ptr.To[int32](3), Backoff: &v1alpha1.Backoff{Initial: &v1alpha1.Duration{}}}
}

// beginsLate: the log of executor 2 that begins long after its container is reported as such.
func beginsLate(t *testing.T, me user, n *harness.Node, executor *corev1.Pod) {
	t.Helper()
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(executor), executor); err != nil {
		t.Fatal(err)
	}
	started := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	executor.Status.ContainerStatuses[0].State.Running.StartedAt = started
	if err := env.Client().Status().Update(t.Context(), executor); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]string{
		2 * time.Second:  "",
		41 * time.Minute: "The log of pod " + executor.Name + " begins 41m0s after the start of its container. The kubelet keeps only the end of a long log",
	} {
		n.Keeps(executor, started.Add(after))
		if r := me.calls(words("logs pi --executor 2")...); r.out != "three\n" || !strings.HasPrefix(r.problem, want) || (want == "") != (r.problem == "") {
			t.Errorf("it begins %s after the start: %+v", after, r)
		}
	}
}

// TestLogs: followed from before the first driver, over a retry, to the end of the run; later by attempt, and of executors.
func TestLogs(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	me := as(t, admin(), w.Namespace)
	app := w.Apply("pi", retried)
	var out, notes output
	following := me.command("logs", "pi", "-f")
	following.Stdout, following.Stderr = &out, &notes
	if err := following.Start(); err != nil {
		t.Fatal(err)
	}
	first := w.Run(app)
	n.Writes(first, "first line\n")
	out.until(t, "first line\n")
	n.Writes(first, "no end of line \x1b[31mred")
	executors := w.Kubelet.Executors(t.Context(), first, 2)
	n.Writes(executors[0], "one\ntwo\n")
	n.Writes(executors[1], "three\n")
	if got := me.sees(words("logs pi --executor all")); got != "[1] one\n[1] two\n[2] three\n" {
		t.Errorf("executors: %q", got)
	}
	beginsLate(t, me, n, executors[1])
	if got := me.sees(words("logs pi --executor 2 --tail 1")); got != "three\n" {
		t.Errorf("executor 2: %q", got)
	}
	if got := me.sees(words("logs pi --executor 2")); got != "three\n" {
		t.Errorf("executor 2: %q", got)
	}
	me.fails(1, words("logs pi --executor 7"), "no log of executor 7 in attempt 1 of run 1: it has not started, or it has ended", "; these have one: 1, 2\n")
	me.fails(2, words("logs pi --executor first"), `--executor is "first"; set it to a number from 1, or to all`)
	n.Ends(first)
	w.Kubelet.Finish(t.Context(), first, 1, "Error")

	second := w.Run(app)
	n.Writes(second, "again\n")
	out.until(t, "again\n")
	n.Ends(second)
	w.Kubelet.Finish(t.Context(), second, 0, "Completed")
	if err := following.Wait(); err != nil {
		t.Errorf("logs -f ends with %v: %s", err, notes.String())
	}
	if got := out.String(); got != "first line\nno end of line \x1b[31mredagain\n" {
		t.Errorf("followed %q", got)
	}
	for _, word := range []string{"run 1, attempt 1: Running: ", "run 1, attempt 2: Running: ", "run 1, attempt 2: Succeeded: "} {
		if !strings.Contains(notes.String(), word) {
			t.Errorf("no %q in:\n%s", word, notes.String())
		}
	}
	if got := me.sees(words("logs pi")); got != "again\n" {
		t.Errorf("the last attempt: %q", got)
	}
	me.sees(words("logs pi --attempt 1"), "first line")
	me.sees(words("logs pi -f --attempt 2"), "again")
	me.fails(1, words("logs pi --attempt 3"), "attempt 3 of run 1 has no driver that has started")
	me.sees(words("events pi"), "REASON", "Succeeded", "SparkApplication/pi")
	me.sees(words("events pi -o yaml"), "kind: List", "reason: Succeeded")
	me.sees(words("get pi"), "Run 1, attempt 1: Failed", "exit code 1")
}
