// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package confined

import (
	"net"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// leases are short, so that an operator that was killed counts as gone after 12 s.
var leases = []string{
	"--enable-leader-election", "--leader-election-lease-duration=2s", "--leader-election-renew-deadline=1500ms", "--leader-election-retry-period=200ms",
}

// TestOverlap: an installation that covers what another one covers is alive and not ready, says which and how to part them,
// and writes nothing but that. When the other one is gone it runs what that has left, and what waits.
func TestOverlap(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	installRoles(t)
	bindRoles(t, w.Namespace)
	knows(t, authorizationv1.ResourceAttributes{Verb: "list", Group: "coordination.k8s.io", Resource: "leases", Name: "sparkgate-leader"})
	program := harness.BuildProgram(t)
	beside := program.Namespace
	program.Namespace = "sparkgate-system"
	first := program.As(t, account).Start(t, append(leases, "--watch-namespaces="+w.Namespace)...)
	runs := w.Apply("runs")
	driver := w.Run(runs)

	program.Namespace = beside
	health := freeAddress(t)
	second := program.Start(t, append(leases, "--health-addr="+health)...)
	says(t, second, "Waiting: the operator in namespace sparkgate-system covers namespace "+w.Namespace+" as well", "--namespace-selector", "stop one of the two")
	answers(t, health, "/healthz", http.StatusOK)
	answers(t, health, "/readyz", http.StatusServiceUnavailable)
	if err := env.Client().Get(t.Context(), client.ObjectKey{Namespace: beside, Name: "sparkgate-leader"}, &coordinationv1.Lease{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("it has a lease while it waits (%v)", err)
	}

	first.Kill()
	waits := w.Apply("waits")
	answers(t, health, "/readyz", http.StatusOK)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(runs, v1alpha1.SucceededReason)
	w.Succeed(waits)
	for _, app := range []*v1alpha1.SparkApplication{runs, waits} {
		if created := w.Kubelet.Created(app.UID); len(created) != 1 {
			t.Errorf("%s had the drivers %v", app.Name, created)
		}
	}
	for _, p := range []*harness.Process{first, second} {
		if strings.Contains(p.Log(), "forbidden") {
			t.Errorf("it lacks a right:\n%s", p.Log())
		}
	}
}

// TestApart: installations with their own namespaces and queues run side by side, each with its own lease. A lease that a
// tenant has written stops neither.
func TestApart(t *testing.T) {
	w, v := harness.NewWorld(t, "3Gi", nil), harness.NewWorld(t, "3Gi", nil)
	for queue, team := range map[*v1alpha1.SparkQueue]string{w.Queue: "w", v.Queue: "v"} {
		harness.Change(t, queue, func(q *v1alpha1.SparkQueue) { q.Labels = map[string]string{"example.org/team": team} })
	}
	harness.Create(t, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "sparkgate-leader", Annotations: map[string]string{
			"sparkgate.io/namespaces": "*", "sparkgate.io/service-account": "default",
		}},
		Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: ptr.To[int32](3600), RenewTime: ptr.To(metav1.NowMicro())},
	})
	program := harness.BuildProgram(t)
	one := program.Start(t, append(leases, "--watch-namespaces="+w.Namespace, "--queue-selector=example.org/team=w")...)
	program.Namespace = env.Namespace(t)
	other := program.Start(t, append(leases, "--watch-namespaces="+v.Namespace, "--queue-selector=example.org/team=v")...)
	w.Succeed(w.Apply("pi"))
	v.Succeed(v.Apply("pi"))
	for _, p := range []*harness.Process{one, other} {
		if strings.Contains(p.Log(), "covers") {
			t.Errorf("it saw an overlap:\n%s", p.Log())
		}
	}
}

// says waits until the process has logged a line with all of some words.
func says(t *testing.T, p *harness.Process, words ...string) {
	t.Helper()
	env.UntilSeen(t, "the operator says "+strings.Join(words, ", "), func() (bool, any) {
		for line := range strings.Lines(p.Log()) {
			has := true
			for _, word := range words {
				has = has && strings.Contains(line, word)
			}
			if has {
				return true, ""
			}
		}
		return false, p.Log()
	})
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	held, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	return held.Addr().String()
}

// answers waits until a probe gets a status.
func answers(t *testing.T, address, probe string, status int) {
	t.Helper()
	env.UntilSeen(t, probe+" answers", func() (bool, any) {
		response, err := http.Get("http://" + address + probe)
		if err != nil {
			return false, err
		}
		return response.Body.Close() == nil && response.StatusCode == status, response.Status
	})
}
