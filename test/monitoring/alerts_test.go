// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// stories let each alert fire and end.
var stories = map[string]func(t *testing.T, alert string){
	"SparkgateDown":                 operatorStops,
	"SparkgateNotLeading":           nobodyDecides,
	"SparkgateRestarting":           endsAgainAndAgain,
	"SparkgateWritesFailing":        writesAreRefused,
	"SparkgateLedgerNotWritten":     ledgerIsRefused,
	"SparkgateReadsFailing":         readsAreRefused,
	"SparkgateReadsForbidden":       oneKindIsForbidden,
	"SparkgateNotificationsLost":    receiverRefuses,
	"SparkgateWorkqueueBacklog":     statusWritesHang,
	"SparkgateQueueNotMoving":       oneNeedsMoreThanIsFree,
	"SparkgateApplicationWaitsLong": oneWaitsForHours,
	"SparkgateNodeLost":             nodeIsLost,
	"SparkgateRunsFailing":          runsFail,
	"SparkgateScheduleMissedRuns":   scheduleIsBusy,
	"SparkgateScheduleStalled":      scheduleIsWrong,
}

// TestAlerts: each alert of the shipped rules fires in its story, names what is concerned, and ends when it is over. The stories take turns, because
// the operators of a process have their metrics in common.
func TestAlerts(t *testing.T) {
	for _, name := range newPrometheus(t, "").alerts() {
		story := stories[name]
		if story == nil {
			t.Errorf("there is no story of %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) { story(t, name) })
	}
}

// operatorStops is also the story of an operator that works: nothing fires before.
func operatorStops(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	s.Succeed(s.Apply("pi"))
	s.pass(30 * time.Minute)
	for name, said := range s.firing() {
		t.Errorf("%s fires while all is well: %v", name, said)
	}
	s.operator.Stop()
	s.fires(alert, 6*time.Minute)
	s.beside = map[string]string{"sparkgate-team-b/sparkgate-1": "sparkgate_deciding 1\n"} // an operator for other namespaces
	s.ends(alert, time.Minute)
	if said := s.fires(alert, 6*time.Minute); !strings.Contains(said, "in namespace sparkgate-system for") {
		t.Errorf("it says %s", said)
	}
	s.start()
	s.ends(alert, time.Minute)
}

func nobodyDecides(t *testing.T, alert string) {
	t.Run("another holds the lease", func(t *testing.T) { anotherHoldsTheLease(t, alert) })
	t.Run("the leader cannot take over", func(t *testing.T) { leaderCannotTakeOver(t, alert) })
	t.Run("a former version leads", func(t *testing.T) { formerVersionLeads(t, alert) })
}

// standsBy starts the operator while another one holds the lease that it returns.
func (s *scene) standsBy() *coordinationv1.Lease {
	s.t.Helper()
	now := metav1.NowMicro()
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "sparkgate-leader"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("another"), LeaseDurationSeconds: ptr.To[int32](3600), AcquireTime: &now, RenewTime: &now},
	}
	harness.Create(s.t, lease)
	harness.StartOperator(s.t, s.options)
	env.Until(s.t, "the metrics are served", func() bool { _, _, err := s.get(); return err == nil })
	return lease
}

func anotherHoldsTheLease(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	lease := s.standsBy()
	s.fires(alert, 6*time.Minute)
	if err := env.Client().Delete(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	harness.MeasuredSoon(t, 1, "sparkgate_deciding")
	s.ends(alert, time.Minute)
}

// leaderCannotTakeOver: it has the lease, and may not list the pods that it has to know. Nothing is decided.
func leaderCannotTakeOver(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.way.refuses(func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/pods")
	})
	harness.StartOperator(t, s.options)
	harness.MeasuredSoon(t, 1, "leader_election_master_status")
	app := s.Apply("pi")
	s.fires(alert, 6*time.Minute)
	s.way.answers()
	s.Run(app)
	s.ends(alert, time.Minute)
}

// formerVersionLeads: during an upgrade that waits, the leader is of a version that has a lease and no sparkgate_deciding. Applications
// are served, also while the pod of the new version does not answer yet.
func formerVersionLeads(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	former := func(leads int) {
		s.beside = map[string]string{"sparkgate-former": fmt.Sprintf("leader_election_master_status{name=\"\"} %d\n", leads)}
	}
	story := func() {
		former(1)
		s.keepsSilent(alert, 15*time.Minute)
		former(0)
		s.fires(alert, 6*time.Minute)
		former(1)
		s.ends(alert, time.Minute)
	}
	story()
	lease := s.standsBy()
	story()
	s.beside = nil // it has ended, and its lease is not released
	s.fires(alert, 6*time.Minute)
	if err := env.Client().Delete(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	harness.MeasuredSoon(t, 1, "sparkgate_deciding")
	s.ends(alert, time.Minute)
}

// endsAgainAndAgain: the process ends a minute after each start, such as one that may not have the memory that it needs, and the kubelet waits
// for five. It answers in between, so what fires for an operator that is down keeps silent. So does this alert during upgrades, which bring other pods.
func endsAgainAndAgain(t *testing.T, alert string) {
	p := newPrometheus(t, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	starts := func(pod string) {
		p.beside = map[string]string{pod: fmt.Sprintf("process_start_time_seconds %d\nsparkgate_deciding 1\n", p.now.Unix())}
	}
	for i := range 5 {
		starts(fmt.Sprintf("sparkgate-%d", i))
		p.keepsSilent(alert, 10*time.Minute)
	}
	for range 4 {
		starts("sparkgate-5")
		p.keepsSilent(alert, time.Minute)
		p.beside = nil
		for _, silent := range []string{alert, "SparkgateDown", "SparkgateNotLeading"} {
			p.keepsSilent(silent, 90*time.Second)
		}
	}
	starts("sparkgate-5")
	if said := p.fires(alert, time.Minute); !strings.Contains(said, "Operator pod sparkgate-5 ") {
		t.Errorf("it says %s", said)
	}
	p.ends(alert, time.Hour)
}

// ask has the operator look at an application again.
func ask(t *testing.T, app *v1alpha1.SparkApplication, token string) {
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token}
	})
}

func writesAreRefused(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	s.busy = true
	app := s.Apply("pi")
	s.Reach(app, v1alpha1.StartingReason)
	s.pass(5 * time.Minute)
	s.way.refuses(isWrite)
	n, failed := 0, harness.Measured(t, "sparkgate_api_writes_total", "code=500")
	s.passWhile(func() {
		n++
		ask(t, app, fmt.Sprint(n))
		failed = s.grows(failed, "sparkgate_api_writes_total", "code=500")
	}, int(15*time.Minute/step))
	if said := s.fires(alert, time.Minute); len(s.firing()["SparkgateDown"]) > 0 || !strings.Contains(said, "in namespace sparkgate-system") {
		t.Errorf("the operator counts as down, or is not named: %s", said)
	}
	s.way.answers()
	s.Run(app)
	s.ends(alert, 6*time.Minute)
}

func ledgerIsRefused(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	s.busy = true
	s.Run(s.Apply("before"))
	s.pass(5 * time.Minute)
	s.way.refuses(func(r *http.Request) bool { return isWrite(r) && strings.Contains(r.URL.Path, "/sparkqueues/") })
	labels := []string{"resource=sparkqueues/status", "code=500"}
	failed := harness.Measured(t, "sparkgate_api_writes_total", labels...)
	app := s.Apply("pi")
	s.passWhile(func() { failed = s.grows(failed, "sparkgate_api_writes_total", labels...) }, int(12*time.Minute/step))
	s.fires(alert, time.Minute)
	s.way.answers()
	s.Driver(app)
	s.ends(alert, 6*time.Minute)
}

func readsAreRefused(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	s.busy = true
	s.pass(5 * time.Minute)
	s.way.refuses(func(r *http.Request) bool { return r.Method == http.MethodGet && !isLease(r) })
	s.way.cut()
	labels := []string{"method=GET", "code=500"}
	failed := harness.Measured(t, "rest_client_requests_total", labels...)
	s.passWhile(func() { failed = s.grows(failed, "rest_client_requests_total", labels...) }, int(15*time.Minute/step))
	s.fires(alert, time.Minute)
	s.way.answers()
	s.ends(alert, 6*time.Minute)
}

func statusWritesHang(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	s.way.holds(func(r *http.Request) bool { return isWrite(r) && strings.Contains(r.URL.Path, "/sparkapplications/") })
	for i := range 150 {
		s.Apply(fmt.Sprintf("pi-%d", i), func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	}
	env.Until(t, "objects wait", func() bool { return harness.Measured(t, "workqueue_depth", "controller=application") > 100 })
	said := s.fires(alert, 20*time.Minute)
	if !strings.Contains(said, "controller application") {
		t.Errorf("it does not name the controller: %s", said)
	}
	s.way.answers()
	env.Until(t, "few objects wait", func() bool { return harness.Measured(t, "workqueue_depth", "controller=application") < 100 })
	s.ends(alert, time.Minute)
}

// oneKindIsForbidden: among very many reads that succeed, a watch is refused, which is tried again every half minute. The real thing takes
// minutes, because the pauses of a watch grow by the clock of the machine.
func oneKindIsForbidden(t *testing.T, alert string) {
	p := newPrometheus(t, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	refused := 0
	scrape := func(more, times int) {
		for range times {
			refused += more
			p.beside = map[string]string{"sparkgate-0": fmt.Sprintf("sparkgate_deciding 1\n"+
				"rest_client_requests_total{method=\"GET\",code=\"200\"} %.0f\nrest_client_requests_total{method=\"GET\",code=\"403\"} %d\n", 100*p.now.Sub(p.begin).Seconds(), refused)}
			p.tick(step)
		}
	}
	scrape(1, 20)
	scrape(0, 20) // it was mended
	if said := p.firing()[alert]; len(said) > 0 {
		t.Errorf("it fires: %v", said)
	}
	scrape(1, 34)
	if len(p.firing()[alert]) == 0 || len(p.firing()["SparkgateReadsFailing"]) > 0 {
		t.Errorf("these fire: %v", p.firing())
	}
	scrape(0, 12)
	if said := p.firing()[alert]; len(said) > 0 {
		t.Errorf("it still fires: %v", said)
	}
}

// receiverRefuses: nothing fires for what the receiver takes, and the first event that it refuses is enough.
func receiverRefuses(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	var code atomic.Int64
	code.Store(http.StatusAccepted)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(code.Load())) }))
	t.Cleanup(receiver.Close)
	s.options.EventsAddr = receiver.URL
	s.start()
	taken := harness.Measured(t, "sparkgate_notifications_total", "result=delivered")
	s.Succeed(s.Apply("taken"))
	s.grows(taken, "sparkgate_notifications_total", "result=delivered")
	s.keepsSilent(alert, 5*time.Minute)
	code.Store(http.StatusBadRequest)
	refused := harness.Measured(t, "sparkgate_notifications_total", "result=refused")
	s.Succeed(s.Apply("refused"))
	s.grows(refused, "sparkgate_notifications_total", "result=refused")
	s.fires(alert, time.Minute)
	s.ends(alert, 65*time.Minute)
}

// large needs most of 10Gi.
func large(a *v1alpha1.SparkApplication) { a.Spec.Executor.Memory = "3g" }

func oneNeedsMoreThanIsFree(t *testing.T, alert string) {
	s := newScene(t, "10Gi")
	s.start()
	first := s.Apply("first")
	driver := s.Run(first)
	second := s.Apply("second", large)
	harness.MeasuredSoon(t, 1, "sparkgate_queue_waiting", "queue="+s.Queue.Name, "reason=WaitingForQuota")
	said := s.fires(alert, time.Hour)
	if !strings.Contains(said, "queue "+s.Queue.Name) {
		t.Errorf("it does not name the queue: %s", said)
	}
	s.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	s.Reach(first, v1alpha1.SucceededReason)
	s.Driver(second)
	s.ends(alert, time.Minute)
}

func oneWaitsForHours(t *testing.T, alert string) {
	s := newScene(t, "10Gi")
	s.start()
	first := s.Apply("first", large)
	driver := s.Run(first)
	second := s.Apply("second", large)
	s.Reach(second, v1alpha1.QueuedReason)
	for range 6 * 30 {
		s.tick(2 * time.Minute)
	}
	if s.firing()[alert] != nil {
		t.Error("it fires too early")
	}
	said := s.fires(alert, 15*time.Minute)
	if !strings.Contains(said, "queue "+s.Queue.Name) || !strings.Contains(said, "namespace "+s.Namespace) {
		t.Errorf("it does not name queue and namespace: %s", said)
	}
	s.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	s.Driver(second)
	s.ends(alert, time.Minute)
}

func nodeIsLost(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "node-"}}
	harness.Create(t, node)
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	if err := env.Client().Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	w := harness.NewWorld(t, "8Gi", &harness.Kubelet{Run: harness.Manual, Node: node.Name, Hold: func(*corev1.Pod) bool { return true }})
	s.start()
	app := w.Apply("pi")
	driver := w.Run(app)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	harness.Eventually(t, driver, "deleted", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	s.clock.Advance(10 * time.Minute)
	ask(t, app, "overdue")
	harness.MeasuredSoon(t, 1, "sparkgate_node_lost_applications", "namespace="+w.Namespace)
	if said := s.fires(alert, 20*time.Minute); !strings.Contains(said, "namespace "+w.Namespace) {
		t.Errorf("it does not name the namespace: %s", said)
	}
	if err := env.Client().Delete(t.Context(), driver, client.GracePeriodSeconds(0)); err != nil { // the remedy
		t.Fatal(err)
	}
	w.Reach(app, v1alpha1.SuspendedReason)
	harness.MeasuredSoon(t, 0, "sparkgate_node_lost_applications", "namespace="+w.Namespace)
	s.ends(alert, time.Minute)
}

func runsFail(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	for i := range 5 {
		app := s.Apply(fmt.Sprintf("pi-%d", i))
		s.Kubelet.Finish(t.Context(), s.Run(app), 3, "Error")
		s.Reach(app, v1alpha1.FailedReason)
		s.tick(step)
	}
	if said := s.fires(alert, 10*time.Minute); !strings.Contains(said, "namespace "+s.Namespace) {
		t.Errorf("it does not name the namespace: %s", said)
	}
	s.ends(alert, 65*time.Minute)

	// A pod that was not scraped for a while, and one that is older than all that Prometheus knows, count what they always did.
	const page = `sparkgate_runs_total{namespace="long-ago",queue="q",outcome="Failed"} 50` + "\n"
	s.beside = map[string]string{"old": page}
	s.pass(2 * time.Hour)
	s.beside = nil
	s.pass(15 * time.Minute)
	s.beside = map[string]string{"old": page}
	for range 8 {
		s.pass(10 * time.Minute)
		if said, fires := s.firing()[alert]; fires {
			t.Fatalf("it fires for failures of long ago: %v", said)
		}
	}
}

// schedule applies a schedule of the usual application, as changed by the given functions.
func (s *scene) schedule(name, every string, change ...func(*v1alpha1.SparkApplication)) *v1alpha1.ScheduledSparkApplication {
	s.t.Helper()
	app := s.Pi("pi")
	for _, c := range change {
		c(app)
	}
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	spec, err := json.Marshal(app.Spec)
	if err != nil {
		s.t.Fatal(err)
	}
	schedule.Spec.Schedule, schedule.Spec.Template.Spec = every, runtime.RawExtension{Raw: spec}
	harness.Create(s.t, schedule)
	harness.Eventually(s.t, schedule, "observed", func(o *v1alpha1.ScheduledSparkApplication) bool { return o.Status.ObservedGeneration == o.Generation })
	return schedule
}

// look sets the clock ahead to an hour after the next run, and has the operator look at the schedule.
func (s *scene) look(schedule *v1alpha1.ScheduledSparkApplication) {
	s.t.Helper()
	if err := env.Client().Get(s.t.Context(), client.ObjectKeyFromObject(schedule), schedule); err != nil {
		s.t.Fatal(err)
	}
	next, err := time.Parse(time.RFC3339, schedule.Status.NextRunTime)
	if err != nil {
		s.t.Fatal(err)
	}
	s.clock.Advance(next.Add(time.Hour).Sub(s.clock.Now()))
	s.lookNow(schedule)
}

// lookNow has the operator look at the schedule.
func (s *scene) lookNow(schedule *v1alpha1.ScheduledSparkApplication) {
	s.t.Helper()
	token := s.clock.Now().String()
	harness.Change(s.t, schedule, func(o *v1alpha1.ScheduledSparkApplication) {
		o.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token}
	})
	harness.Eventually(s.t, schedule, "looked at", func(o *v1alpha1.ScheduledSparkApplication) bool { return o.Status.LastHandledReconcileAt == token })
}

func scheduleIsBusy(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	daily := s.schedule("daily", "@every 24h")
	s.pass(5 * time.Minute)
	s.look(daily)
	s.look(daily)
	if said := s.fires(alert, 5*time.Minute); !strings.Contains(said, s.Namespace+" missed runs within the last hour, for the reason ConcurrencyForbidden") {
		t.Errorf("it does not say where and why: %s", said)
	}
	s.pass(65 * time.Minute)
	if s.firing()[alert] != nil {
		t.Error("it still fires an hour after the first one")
	}
	s.look(daily)
	s.fires(alert, 5*time.Minute)
	s.ends(alert, 65*time.Minute)
}

func scheduleIsWrong(t *testing.T, alert string) {
	s := newScene(t, "8Gi")
	s.start()
	never := s.schedule("never", "0 0 30 2 *")
	if said := s.fires(alert, 20*time.Minute); !strings.Contains(said, "InvalidSpec") {
		t.Errorf("it does not say why: %s", said)
	}
	harness.Change(t, never, func(o *v1alpha1.ScheduledSparkApplication) { o.Spec.Schedule = "0 0 28 2 *" })
	harness.MeasuredSoon(t, 0, "sparkgate_schedules", "namespace="+s.Namespace, "reason=InvalidSpec")
	s.ends(alert, time.Minute)
}
