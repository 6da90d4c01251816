// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// commandsOf returns the commands of a section of docs/alerts.md that read our kinds and events.
func commandsOf(t *testing.T, alert string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## "+alert+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for line := range strings.Lines(section) {
		command, indented := strings.CutPrefix(line, "    ")
		if ours := strings.HasPrefix(command, "kubectl") || strings.HasPrefix(command, "sparkctl"); indented && ours && !strings.Contains(command, "sparkgate-system") {
			commands = append(commands, command)
		}
	}
	return commands
}

// TestRunbooks: the commands of the page show what the alert is about.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	me := as(t, admin(), w.Namespace)
	failed := w.Apply("failed")
	w.Kubelet.Finish(t.Context(), w.Run(failed), 7, "Error")
	w.Reach(failed, v1alpha1.FailedReason)
	w.Run(w.Apply("runs"))
	w.Reach(w.Apply("waits"), v1alpha1.QueuedReason)
	spec, err := json.Marshal(w.Pi("never").Spec)
	if err != nil {
		t.Fatal(err)
	}
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "never"}}
	schedule.Spec.Schedule, schedule.Spec.Template.Spec = "0 0 30 2 *", runtime.RawExtension{Raw: spec}
	harness.Create(t, schedule)
	harness.Eventually(t, schedule, "stalled", func(o *v1alpha1.ScheduledSparkApplication) bool { return len(o.Status.Conditions) > 0 })
	path := fmt.Sprintf("PATH=%s:%s:%s", os.Getenv("KUBEBUILDER_ASSETS"), filepath.Dir(harness.Compile(t, "sparkctl")), os.Getenv("PATH"))
	names := strings.NewReplacer("NAMESPACE", w.Namespace, " QUEUE", " "+w.Queue.Name)
	for alert, about := range map[string]struct{ application, want string }{
		"SparkgateLedgerNotWritten":     {"", w.Queue.Name},
		"SparkgateQueueNotMoving":       {"waits", "needs memory"},
		"SparkgateApplicationWaitsLong": {"waits", "needs memory"},
		"SparkgateNodeLost":             {"", "runs: "},
		"SparkgateRunsFailing":          {"failed", "exit code 7"},
		"SparkgateScheduleMissedRuns":   {"", "never "},
		"SparkgateScheduleStalled":      {"", "it never fires"},
	} {
		var said strings.Builder
		for _, command := range commandsOf(t, alert) {
			c := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(names.Replace(command), "APPLICATION", about.application))
			c.Env = append(os.Environ(), path, "KUBECONFIG="+me.kubeconfig)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", alert, command, err, out)
			}
			said.Write(out)
		}
		if !strings.Contains(said.String(), about.want) {
			t.Errorf("%s: the commands do not show %q:\n%s", alert, about.want, said.String())
		}
	}
}
