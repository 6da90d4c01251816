// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/live"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

var viewedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func requestsOfPod() map[corev1.ResourceName]resource.Quantity {
	return map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("1"), "memory": resource.MustParse("896Mi")}
}

// inStage returns an application in a stage. Its conditions are computed as by the operator, with the default messages
// of the stage.
func inStage(stage status.Stage) *v1alpha1.SparkApplication {
	ago := func(minutes int) *metav1.Time {
		return &metav1.Time{Time: viewedAt.Add(-time.Duration(minutes) * time.Minute)}
	}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "pi", UID: "uid-pi", CreationTimestamp: *ago(60), Generation: 1}}
	app.Spec.Queue = &v1alpha1.QueueReference{Name: "team-a"}
	if stage == status.New {
		return app
	}
	s := &app.Status
	s.Ask = &v1alpha1.Ask{Gate: string(v1alpha1.GateEmbedded), PodSets: []v1alpha1.PodSetAsk{{Name: v1alpha1.DriverPodSet, Count: 1, Requests: requestsOfPod()}, {Name: "executor", Count: 2, Requests: requestsOfPod()}}}
	s.Run, s.Attempt, s.Queue, s.Times.Queued = 1, 1, "team-a", ago(59)
	s.Conditions = status.Conditions(nil, status.View{Stage: stage, Generation: 1}, *ago(1))
	switch stage {
	case status.Submitting, status.Starting, status.Running, status.Finalizing:
		s.Times.Admitted = ago(30)
		s.Grant = &v1alpha1.Grant{Gate: v1alpha1.GateEmbedded, Run: 1, Attempt: 1, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{
			{Name: v1alpha1.DriverPodSet, Count: 1, Flavor: v1alpha1.DefaultFlavor, Requests: requestsOfPod()},
			{Name: "executor", Count: 2, Flavor: v1alpha1.DefaultFlavor, Requests: requestsOfPod()},
		}}
	}
	if stage.Ended() {
		s.Times.Finished = ago(1)
	}
	return app
}

// TestViewsOfEveryStage has a golden file for each stage, with the conditions and every view of the application and its
// queue. The sentences come from internal/job/status and their arrangement from internal/tools/printer. The views never
// contradict each other about the stage.
func TestViewsOfEveryStage(t *testing.T) {
	t.Parallel()
	for _, stage := range append(status.Stages(), status.New) {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			app := inStage(stage)
			text := viewsOf(t, app)
			if ready := status.Summarize(app, viewedAt); strings.Count(text, ready.Stage) < 3 {
				t.Errorf("list, get and watch do not all name the stage %s:\n%s", ready.Stage, text)
			}
			golden.Compare(t, "testdata/views/"+strings.ToLower(status.Summarize(app, viewedAt).Stage)+".txt", text)
		})
	}
}

// viewsOf returns the output of each command about an application and its queue, below the command.
func viewsOf(t *testing.T, app *v1alpha1.SparkApplication) string {
	t.Helper()
	var out strings.Builder
	view := func(command string, write func(io.Writer) error) {
		fmt.Fprintf(&out, "$ %s\n", command)
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	queue := queueOfOne(app)
	view("kubectl get sgapp pi -o jsonpath='{.status.conditions}'", func(out io.Writer) error {
		for _, c := range app.Status.Conditions {
			fmt.Fprintf(out, "%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
		return nil
	})
	view("sparkctl list", func(out io.Writer) error {
		return printer.WriteList(out, []status.Summary{status.Summarize(app, viewedAt)}, printer.ListOptions{})
	})
	view("sparkctl get pi", func(out io.Writer) error { return printer.WriteDetails(out, app, viewedAt) })
	view("sparkctl events pi", func(out io.Writer) error {
		reason, message := status.StageEvent(app.Status.Conditions)
		var events []printer.Event
		if reason != "" {
			events = append(events, printer.Event{Age: time.Minute, Type: corev1.EventTypeNormal, Reason: reason, Object: v1alpha1.SparkApplicationKind + "/pi", Message: message})
		}
		return printer.WriteEvents(out, events, 0)
	})
	view("sparkctl explain pi   # while no operator runs", func(out io.Writer) error {
		said := printer.FromStatus(app, queue)
		said.NotLive = "no operator answers"
		return printer.WriteApplication(out, said)
	})
	view("sparkctl watch | cat", func(out io.Writer) error {
		changes := &live.Changes{Out: out, Notes: out, Wants: func(*status.Summary) bool { return true }, Clock: clocktesting.NewFakeClock(viewedAt)}
		changes.Replace([]v1alpha1.SparkApplication{*app})
		return nil
	})
	view("sparkctl watch", func(out io.Writer) error {
		board := live.NewBoard(func(*status.Summary) bool { return true })
		board.Replace([]v1alpha1.SparkApplication{*app})
		frame := live.Frame{Title: "SparkApplications", Width: 100, Height: 10, Clean: func(text string) string { return text }}
		_, err := fmt.Fprintln(out, strings.Join(frame.Lines(board.View(viewedAt)), "\n"))
		return err
	})
	view("sparkctl queue team-a", func(out io.Writer) error {
		if err := printer.WriteQueues(out, []v1alpha1.SparkQueue{*queue}, printer.StoppedOf([]v1alpha1.SparkQueue{*queue}), 0); err != nil {
			return err
		}
		var holders []printer.Holder
		if app.Status.Grant != nil {
			holders = append(holders, printer.HolderOf(app))
		}
		return printer.WriteLine(out, queue, holders, "")
	})
	view("sparkctl plan -f more-cpu.yaml   # queue team-a with 3 cpu instead of 2", func(out io.Writer) error {
		plan, err := planOfMore(app)
		if err != nil {
			return err
		}
		return printer.WritePlan(out, plan, 0)
	})
	return out.String()
}

// planOfMore returns the effect of raising the quota of an application's queue from too little to just enough.
func planOfMore(app *v1alpha1.SparkApplication) (offline.Plan, error) {
	manifest := func(cpu int) []byte {
		return fmt.Appendf(nil, "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: team-a}\n"+
			"spec: {namespaceSelector: {}, flavors: [{name: default, quotas: [{resource: cpu, nominal: \"%d\"}, {resource: memory, nominal: 8Gi}]}]}\n", cpu)
	}
	var queue v1alpha1.SparkQueue
	if err := yaml.UnmarshalStrict(manifest(2), &queue); err != nil {
		return offline.Plan{}, err
	}
	live := offline.Live{Queues: []v1alpha1.SparkQueue{queue}, Applications: []v1alpha1.SparkApplication{*app}, Now: viewedAt}
	return offline.NewPlan(live, []offline.File{{Name: "more-cpu.yaml", Text: manifest(3)}}, offline.PlanOptions{Namespace: app.Namespace})
}

// queueOfOne returns the queue of an application, with nothing else in it.
func queueOfOne(app *v1alpha1.SparkApplication) *v1alpha1.SparkQueue {
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}
	stage, _ := status.StageOf(app.Status.Conditions)
	switch {
	case app.Status.Grant != nil:
		queue.Status.Admitted = 1
	case stage == status.Queued || stage == status.Preempted:
		queue.Status.Pending, queue.Status.Heads = 1, []v1alpha1.QueueHead{{Position: 1, Kind: v1alpha1.SparkApplicationKind, Namespace: app.Namespace, Name: app.Name}}
	}
	return queue
}

// TestUIWithoutADriver: if no driver has run, the error does not mention a history.
func TestUIWithoutADriver(t *testing.T) {
	t.Parallel()
	for stage, started := range map[string]bool{v1alpha1.QueuedReason: false, v1alpha1.FailedReason: true} {
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
			apis + "namespaces/spark/sparkapplications/pi": applicationWith(stage, "why", func(s *v1alpha1.SparkApplicationStatus) {
				if started {
					s.Times.DriverStarted = s.Times.Queued
				}
			}),
			"GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod](),
		})
		code, _, problem := call("", "ui", "pi", "--kubeconfig="+kubeconfig)
		if code != cli.ExitFailed || !strings.Contains(problem, "pi has no running driver: "+stage) || strings.Contains(problem, "history") != started {
			t.Errorf("%s: exit code %d, %q", stage, code, problem)
		}
	}
}

// TestConnectToAServer: connect prints where a server is reached, and says why there is nothing to connect to.
func TestConnectToAServer(t *testing.T) {
	t.Parallel()
	connect := v1alpha1.Server{Type: v1alpha1.ConnectServer, Ingress: &v1alpha1.ServerIngress{Host: "{{name}}.example.org"}}
	for name, tc := range map[string]struct {
		stage  string
		server *v1alpha1.Server
		args   []string
		code   int
		want   []string
	}{
		"a program": {v1alpha1.RunningReason, nil, nil, cli.ExitFailed, []string{"pi runs no server", "sparkctl ui pi"}},
		"addresses": {v1alpha1.RunningReason, &connect, []string{"--forward=false"}, 0, []string{"In the cluster: sc://pi.spark:15002", "By spec.server.ingress: sc://pi.example.org:80"}},
		"an idle one": {v1alpha1.IdleReason, &v1alpha1.Server{Type: v1alpha1.ThriftServer}, nil, cli.ExitFailed, []string{
			"In the cluster: jdbc:hive2://pi.spark:10000", "pi does not run: Idle: why",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := applicationWith(tc.stage, "why", nil)
			app[0].body.(*v1alpha1.SparkApplication).Spec.Server = tc.server
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": app,
				apis + "namespaces/spark/sparkapplications":    listOf(*app[0].body.(*v1alpha1.SparkApplication)),
			})
			code, _, problem := call("", append([]string{"connect", "pi", "--kubeconfig=" + kubeconfig}, tc.args...)...)
			for _, words := range tc.want {
				if code != tc.code || !strings.Contains(problem, words) {
					t.Errorf("exit code %d, %q; want %d and %q", code, problem, tc.code, words)
				}
			}
		})
	}
}
