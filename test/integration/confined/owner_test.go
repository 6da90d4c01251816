// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package confined

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// leases are short, so that an operator that was killed counts as gone after 12 s.
var leases = []string{
	"--enable-leader-election", "--leader-election-lease-duration=2s", "--leader-election-renew-deadline=1500ms", "--leader-election-retry-period=200ms",
}

// installed is an installation of the operator's program.
type installed struct {
	harness.Program
	t       *testing.T
	flags   []string
	process *harness.Process
}

func (i *installed) start() { i.process = i.Start(i.t, append(i.flags, leases...)...) }

// lives fails if the program has ended.
func (i *installed) lives() {
	i.t.Helper()
	select {
	case <-i.process.Ended():
		i.t.Fatalf("the operator in %s has ended:\n%s", i.Namespace, i.process.Log())
	default:
	}
}

// confinedTo starts an operator as the shipped account, with the shipped roles, bound in one namespace.
func confinedTo(t *testing.T, program harness.Program, namespace string, flags ...string) *installed {
	t.Helper()
	installRoles(t)
	bindRoles(t, namespace)
	knows(t, authorizationv1.ResourceAttributes{Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Namespace: program.Namespace, Name: "sparkgate-leader"})
	program.Namespace = "sparkgate-system"
	i := &installed{Program: program.As(t, account), t: t, flags: append(flags, "--watch-namespaces="+namespace)}
	i.start()
	return i
}

// leads waits until an operator leads the tree of a queue.
func leads(t *testing.T, queue *v1alpha1.SparkQueue, operator string) {
	t.Helper()
	harness.Eventually(t, queue.DeepCopy(), "led by "+operator, func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Ledger != nil && q.Status.Ledger.Operator == operator
	})
}

// decidedBy waits until the condition and the status of an application say which of two operators decides on it.
func decidedBy(t *testing.T, app *v1alpha1.SparkApplication, operator, other string) {
	t.Helper()
	harness.Eventually(t, app, "told who decides on it", func(a *v1alpha1.SparkApplication) bool {
		c := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.ContestedCondition)
		return a.Status.Operator == operator && a.Status.OtherOperator == other && c != nil &&
			strings.Contains(c.Message, "the one in "+operator+" decides")
	})
}

// TestOneOwner: an operator of the whole cluster and one of a namespace do not take the same application. The one that leads
// the queue decides; when it is gone the other one takes over what runs and what comes, and keeps it.
func TestOneOwner(t *testing.T) {
	w := harness.NewWorld(t, "9Gi", nil)
	everywhere := &installed{Program: harness.BuildProgram(t), t: t}
	everywhere.start()
	leads(t, w.Queue, everywhere.Namespace)
	here := confinedTo(t, everywhere.Program, w.Namespace)

	runs := w.Apply("runs", accompanied)
	driver := w.Run(runs)
	decidedBy(t, runs, everywhere.Namespace, here.Namespace)
	ended := w.Apply("ended")
	w.Succeed(ended)
	if ended.Status.Operator != everywhere.Namespace {
		t.Errorf("the operator %q has run the application", ended.Status.Operator)
	}

	everywhere.process.Kill()
	waits := w.Apply("comes-later")
	env.Until(t, "the other operator runs what comes", func() bool {
		here.lives()
		get(t, waits)
		return waits.Status.Operator == here.Namespace && waits.Status.Grant != nil
	})
	leads(t, w.Queue, here.Namespace)
	w.Succeed(waits)
	harness.Eventually(t, runs, "taken over", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.Operator == here.Namespace && !apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.ContestedCondition)
	})
	before := ended.ResourceVersion
	if get(t, ended); ended.ResourceVersion != before {
		t.Errorf("an application that had ended was written: %s", harness.Show(ended))
	}

	everywhere.start()
	decidedBy(t, runs, here.Namespace, everywhere.Namespace)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(runs, v1alpha1.SucceededReason)
	last := w.Apply("last")
	w.Succeed(last)
	if last.Status.Operator != here.Namespace {
		t.Errorf("the operator %q has run the application", last.Status.Operator)
	}
	for _, app := range []*v1alpha1.SparkApplication{runs, waits, last} {
		if created := w.Kubelet.Created(app.UID); len(created) != 1 {
			t.Errorf("%s had the drivers %v", app.Name, created)
		}
	}
	for _, i := range []*installed{everywhere, here} {
		if i.lives(); strings.Contains(i.process.Log(), "forbidden") {
			t.Errorf("the operator in %s lacks a right:\n%s", i.Namespace, i.process.Log())
		}
	}
}

// TestQueuesDivideANamespace: two operators of one namespace with queues of their own each run what is in their queues, and
// neither says that this is a mistake.
func TestQueuesDivideANamespace(t *testing.T) {
	d := newDivision(t)
	d.everywhere.start()
	d.here = confinedTo(t, d.everywhere.Program, d.Namespace, d.oursOnly)
	d.runsEverywhere(t, "one")
}

// division is a namespace with two queues, each of an operator of its own.
type division struct {
	*harness.World
	ours             *v1alpha1.SparkQueue
	everywhere, here *installed
	// oursOnly is the flag of the operator here.
	oursOnly string
}

func newDivision(t *testing.T) *division {
	t.Helper()
	d := &division{World: harness.NewWorld(t, "3Gi", nil), oursOnly: "--queue-selector=example.org/team=ours"}
	d.ours = harness.Queue(t, d.Queue.Name+"-ours", "", "3Gi")
	harness.Change(t, d.ours, func(q *v1alpha1.SparkQueue) { q.Labels = map[string]string{"example.org/team": "ours"} })
	d.everywhere = &installed{Program: harness.BuildProgram(t), t: t, flags: []string{"--queue-selector=example.org/team!=ours"}}
	return d
}

func (d *division) apply(name string, queue *v1alpha1.SparkQueue) *v1alpha1.SparkApplication {
	return d.Apply(name, func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = queue.Name })
}

// runsEverywhere has applications and a schedule run through both queues.
func (d *division) runsEverywhere(t *testing.T, round string) {
	t.Helper()
	leads(t, d.Queue, d.everywhere.Namespace)
	leads(t, d.ours, d.here.Namespace)
	for n, want := range []struct {
		queue    *v1alpha1.SparkQueue
		operator string
	}{{d.Queue, d.everywhere.Namespace}, {d.ours, d.here.Namespace}, {d.Queue, d.everywhere.Namespace}, {d.ours, d.here.Namespace}} {
		app := d.apply(fmt.Sprintf("pi-%s-%d", round, n), want.queue)
		d.Succeed(app)
		if app.Status.Operator != want.operator || app.Status.OtherOperator != "" {
			t.Errorf("operators %q and %q for queue %s, want %q", app.Status.Operator, app.Status.OtherOperator, want.queue.Name, want.operator)
		}
	}
	scheduled(t, d.World, "yearly-"+round, d.everywhere.Namespace, d.here.Namespace)
	for _, i := range []*installed{d.everywhere, d.here} {
		i.lives()
	}
}

// scheduled has a schedule run twice: one of the two operators follows it, and each run is created once.
func scheduled(t *testing.T, w *harness.World, name string, operators ...string) {
	t.Helper()
	spec, err := json.Marshal(w.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
	s.Spec.Schedule, s.Spec.Template.Spec = "0 0 1 1 *", runtime.RawExtension{Raw: spec}
	harness.Create(t, s)
	var follows string
	for n, token := range []string{"one", "two"} {
		harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) {
			s.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": token, "reconcile.fluxcd.io/forceAt": token}
		})
		harness.Eventually(t, s, "run", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.LastHandledForceAt == token })
		if !slices.Contains(operators, s.Status.Operator) || n > 0 && s.Status.Operator != follows {
			t.Errorf("followed by the operator %q, before by %q", s.Status.Operator, follows)
		}
		follows = s.Status.Operator
		children := &v1alpha1.SparkApplicationList{}
		if err := env.Client().List(t.Context(), children, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.ScheduleLabel: s.Name}); err != nil {
			t.Fatal(err)
		}
		if len(children.Items) != n+1 {
			t.Fatalf("%d applications after %d runs", len(children.Items), n+1)
		}
		for i := range children.Items {
			if app := &children.Items[i]; app.Status.Times.Finished == nil {
				w.Succeed(app)
			}
		}
	}
}

func get(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		t.Fatal(err)
	}
}
