// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kube-state-metrics/v2/pkg/app"
	"k8s.io/kube-state-metrics/v2/pkg/options"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const stateConfig = "config/monitoring/kube_state_metrics.yaml"

// TestKubeStateMetrics: the real kube-state-metrics, with our configuration and no more than the rights of our role, serves each metric that
// the configuration names, once for each object.
func TestKubeStateMetrics(t *testing.T) {
	s := newScene(t, harness.MemoryFor(3))
	s.start()
	s.Succeed(s.Apply("done"))
	ends := s.schedule("ends", "@yearly")
	s.Succeed(s.runNow(ends, "first"))
	failed := s.runNow(ends, "second")
	s.Kubelet.Finish(t.Context(), s.Run(failed), 3, "Error")
	s.Reach(failed, v1alpha1.FailedReason)
	running := s.Apply("now")
	s.Kubelet.Executors(t.Context(), s.Run(running), 2)
	s.Reach(s.Apply("later"), v1alpha1.QueuedReason)
	daily := s.schedule("daily", "@every 24h", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	s.look(daily)
	flavor := &v1alpha1.SparkFlavor{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}
	harness.Create(t, flavor)
	harness.Create(t, &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "shared"},
		Spec:       v1alpha1.SparkClusterSpec{SparkVersion: "4.1.4", Image: "spark", Suspend: true},
	})
	page := stateMetrics(t)

	ours := func(line string) bool {
		return strings.Contains(line, `namespace="`+s.Namespace+`"`) || strings.Contains(line, `queue="`+s.Queue.Name+`"`) || strings.Contains(line, `flavor="`+flavor.Name+`"`)
	}
	for _, name := range metricNames(t) {
		env.UntilSeen(t, name, func() (bool, env.Lazily) {
			lines := page()
			return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+"{") && ours(line) }), func() string { return strings.Join(lines, "\n") }
		})
	}
	lines := page()
	info := fmt.Sprintf(`,driver_pod="%s",gate="Embedded",name="now",namespace="%s",queue="%s",spark_version="4.1.4",uid="%s"} 1`,
		running.Status.Driver.PodName, s.Namespace, s.Queue.Name, running.UID)
	for part, want := range map[string]int{ // three of the applications are those of schedules, one is that of the cluster
		"kube_sparkapplication_info{": 7, info: 1, "kube_scheduledsparkapplication_info{": 2, "kube_sparkqueue_info{": 1, "kube_sparkflavor_info{": 1,
	} {
		if n := count(lines, func(line string) bool { return ours(line) && strings.Contains(line, part) }); n != want {
			t.Errorf("%d lines with %s, want %d:\n%s", n, part, want, strings.Join(lines, "\n"))
		}
	}
	ready := func(line string) bool {
		return strings.HasPrefix(line, "kube_sparkapplication_status_condition{") && ours(line) && strings.Contains(line, `type="Ready"`)
	}
	for name, value := range map[string]string{"done": "1", "now": "0", "later": "0"} {
		if n := count(lines, func(line string) bool {
			return ready(line) && strings.Contains(line, `name="`+name+`"`) && strings.HasSuffix(line, " "+value)
		}); n != 1 {
			t.Errorf("%d times Ready %s of %s:\n%s", n, value, name, strings.Join(lines, "\n"))
		}
	}
}

// runNow has a schedule run at once, and returns the application.
func (s *scene) runNow(schedule *v1alpha1.ScheduledSparkApplication, token string) *v1alpha1.SparkApplication {
	s.t.Helper()
	harness.Change(s.t, schedule, func(o *v1alpha1.ScheduledSparkApplication) {
		o.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token, meta.ForceRequestAnnotation: token}
	})
	harness.Eventually(s.t, schedule, "run", func(o *v1alpha1.ScheduledSparkApplication) bool { return o.Status.LastHandledForceAt == token })
	app := s.Pi(tick.RequestedName(schedule.Name, token))
	app.Spec = v1alpha1.SparkApplicationSpec{}
	return app
}

func count(lines []string, is func(string) bool) (n int) {
	for _, line := range lines {
		if is(line) {
			n++
		}
	}
	return n
}

// metricNames returns those of the configuration.
func metricNames(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(env.Root(), stateConfig))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Spec struct {
			Resources []struct {
				MetricNamePrefix string
				Metrics          []struct{ Name string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	for _, r := range config.Spec.Resources {
		for _, m := range r.Metrics {
			names = append(names, r.MetricNamePrefix+"_"+m.Name)
		}
	}
	return names
}

// stateMetrics runs kube-state-metrics, and returns a function that reads the lines of its page.
func stateMetrics(t *testing.T) (page func() []string) {
	t.Helper()
	o := options.NewOptions()
	o.Kubeconfig, o.CustomResourceConfigFile, o.CustomResourcesOnly = stateRights(t), filepath.Join(env.Root(), stateConfig), true
	o.Host, o.TelemetryHost, o.Port, o.TelemetryPort, o.TotalShards = "127.0.0.1", "127.0.0.1", freePort(t), freePort(t), 1
	ended := make(chan error, 1)
	go func() { ended <- app.RunKubeStateMetrics(t.Context(), o) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Logf("kube-state-metrics: %v", err)
		}
	})
	return func() (lines []string) {
		answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", o.Port))
		if err != nil {
			return nil // it has not begun to listen
		}
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			lines = append(lines, scanner.Text())
		}
		return lines
	}
}

// stateRights returns the kubeconfig of a user who may do what our role for kube-state-metrics says.
func stateRights(t *testing.T) (kubeconfig string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(env.Root(), "config/monitoring/kube_state_metrics_role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		t.Fatal(err)
	}
	harness.Create(t, &role)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "kube-state-metrics"}},
	}
	harness.Create(t, binding)
	config, err := clientcmd.LoadFromFile(env.Cluster().Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = "kube-state-metrics"
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
