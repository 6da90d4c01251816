// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// guarded creates a world whose namespace is guarded and has the world's queue.
func guarded(t *testing.T) *harness.World {
	t.Helper()
	install(t)
	if _, err := env.Kubectl(t, "apply", "-k", filepath.Join(env.Root(), "config", "guard")); err != nil {
		t.Fatal(err)
	}
	w := harness.NewWorld(t, "3Gi", nil)
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Labels[v1alpha1.GuardedLabel] = "true"
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	env.Until(t, "the guard is in force", func() bool {
		p := rawDriver(w, "probe")
		return env.Client().Create(t.Context(), p, client.DryRunAll) == nil && gated(p)
	})
	return w
}

// rawDriver returns what spark-submit creates. It requests 2Gi: two of them do not fit.
func rawDriver(w *harness.World, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: map[string]string{
			v1alpha1.SparkRoleLabel: "driver", v1alpha1.SparkSelectorLabel: "spark-" + name,
		}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "spark-kubernetes-driver", Image: "docker.io/sparkgate/spark:4.1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")}},
		}}},
	}
}

func gated(p *corev1.Pod) bool {
	return slices.Contains(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
}

// TestUnmanagedPods: pods of no application wait for the quota of the tree that their namespace is in, whichever replica
// leads it, and are charged by the next one.
func TestUnmanagedPods(t *testing.T) {
	w, other := guarded(t), harness.NewWorld(t, "3Gi", nil)
	r := newReplicas(t, 3)
	r.settled([]string{w.Queue.Name, other.Queue.Name})
	first, second := rawDriver(w, "first"), rawDriver(w, "second")
	harness.Create(t, first)
	ungated := func(p *corev1.Pod) bool { return !gated(p) }
	harness.Eventually(t, first, "admitted", ungated)
	harness.Create(t, second)
	harness.Eventually(t, w.Queue, "with one that waits", func(q *v1alpha1.SparkQueue) bool {
		pods := q.Status.UnmanagedPods
		return pods != nil && pods.Admitted == 1 && pods.Pending == 1
	})

	of := r.leads()
	r.kill(r.by(of[w.Queue.Name]))
	env.UntilSeen(t, "another replica leads the tree", func() (bool, any) {
		now := r.leads()
		return now[w.Queue.Name] != of[w.Queue.Name] && r.tookOver([]string{w.Queue.Name}, now), now
	})
	app := w.Apply("pi") // asks after the pod, and fits no more than that
	harness.Eventually(t, app, "waiting", harness.InStage(v1alpha1.QueuedReason))
	other.Succeed(other.Apply("pi"))
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(second), second); err != nil || !gated(second) {
		t.Errorf("the next leader does not charge the pod that runs (%v): the second one was admitted beside it", err)
	}
	if err := env.Client().Delete(t.Context(), first, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, second, "admitted", ungated)
	if err := env.Client().Delete(t.Context(), second, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.Succeed(app)
}

// TestSchedules: a schedule has one leader, which decides nothing of the trees; when it is killed another one follows, and no
// run is created twice. The application of a run belongs to the leader of its tree.
func TestSchedules(t *testing.T) {
	w, other := harness.NewWorld(t, "3Gi", nil), harness.NewWorld(t, "3Gi", nil)
	r := newReplicas(t, 3)
	r.settled([]string{w.Queue.Name, other.Queue.Name})
	spec, err := json.Marshal(w.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "yearly"}}
	s.Spec.Schedule, s.Spec.Template.Spec = "0 0 1 1 *", runtime.RawExtension{Raw: spec}
	harness.Create(t, s)
	for n, token := range []string{"one", "two"} {
		harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) {
			s.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": token, "reconcile.fluxcd.io/forceAt": token}
		})
		harness.Eventually(t, s, "run", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.LastHandledForceAt == token })
		list := &v1alpha1.SparkApplicationList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != n+1 {
			t.Fatalf("%d applications after run %d", len(list.Items), n+1)
		}
		for i := range list.Items {
			if app := &list.Items[i]; app.Status.Times.Finished == nil {
				w.Succeed(app)
			}
		}
		if n == 0 {
			r.kill(r.by(r.leads()[""]))
		}
	}
}

// TestExplain: of several replicas, the one that leads the tree of an application explains its wait.
func TestExplain(t *testing.T) {
	install(t)
	w, other := harness.NewWorld(t, "1Gi", nil), harness.NewWorld(t, "1Gi", nil)
	r := replicasOf(t, harness.BuildProgram(t), 0)
	addresses := map[*harness.Process]string{}
	for range 3 {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		addresses[r.start("--explain-addr="+address)] = address
	}
	r.settled([]string{w.Queue.Name, other.Queue.Name})
	app := w.Apply("large") // 2688Mi
	harness.Eventually(t, app, "refused", harness.InStage(v1alpha1.ExceedsQuotaReason))
	token := viewer(t, w.Namespace)
	leader := r.by(r.leads()[w.Queue.Name])
	env.UntilSeen(t, "the leader of the tree explains the wait", func() (bool, any) {
		code, body := explain(t, addresses[leader], w.Namespace, app.Name, token)
		var a explainv1.Application
		return code == http.StatusOK && json.Unmarshal(body, &a) == nil && a.Stage == v1alpha1.ExceedsQuotaReason, string(body)
	})
	for s, address := range addresses {
		if code, body := explain(t, address, w.Namespace, app.Name, token); s != leader && code != http.StatusServiceUnavailable {
			t.Errorf("a replica that does not lead the tree answers %d %s", code, body)
		}
	}
}

// viewer returns a token that may read everything of ours.
func viewer(t *testing.T, namespace string) string {
	t.Helper()
	a := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "viewer"}}
	harness.Create(t, a)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-viewer"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "sparkgate-view"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: a.Name}},
	}
	harness.Create(t, binding)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), binding) })
	request := &authenticationv1.TokenRequest{}
	if err := env.Client().SubResource("token").Create(t.Context(), a, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// explain asks a replica why an application waits.
func explain(t *testing.T, address, namespace, name, token string) (code int, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/explain/v1/namespaces/"+namespace+"/applications/"+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the certificate is the process's own
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return response.StatusCode, body
}
