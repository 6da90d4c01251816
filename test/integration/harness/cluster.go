// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Master stands in for the web interface of a master.
type Master struct {
	port string

	mu sync.Mutex
	// Away are the workers that have not reached it although they run.
	Away map[string]bool
	// Busy are the workers with cores in use.
	Busy map[string]bool
	// Shut reports that it refuses to answer.
	Shut bool
	seen map[string]bool
}

// StartMaster starts a master that lists the workers which the kubelet has started.
func StartMaster(t *testing.T) *Master {
	t.Helper()
	m := &Master{Away: map[string]bool{}, seen: map[string]bool{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	_, m.port, _ = strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	return m
}

// ServeHTTP answers as the master of Spark 4.1.4 does.
func (m *Master) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.URL.Path != "/json/" || m.Shut {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	workers := []string{`{"host": "127.0.1.1", "state": "DEAD", "coresused": 0}`}
	for host := range m.seen {
		if !m.Away[host] {
			cores := map[bool]int{true: 2}[m.Busy[host]]
			workers = append(workers, fmt.Sprintf(`{"host": %q, "state": "ALIVE", "coresused": %d}`, host, cores))
		}
	}
	fmt.Fprintf(w, `{"status": "ALIVE", "workers": [%s]}`, strings.Join(workers, ", "))
}

// Change changes the answers.
func (m *Master) Change(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// address returns the address of a pod: that of the stand-in for the master, and one of its own for each worker.
func (m *Master) address(pod *corev1.Pod) string {
	_, number, isWorker := strings.Cut(pod.Name, v1alpha1.WorkerInfix)
	if !isWorker {
		return "127.0.0.1"
	}
	m.Change(func() { m.seen["127.0.1."+number] = true })
	return "127.0.1." + number
}

// World is NewWorld for a cluster: masters run, and workers as soon as the test starts them.
func (m *Master) World(t *testing.T, memory string) *World {
	t.Helper()
	return NewWorld(t, memory, &Kubelet{
		Address: m.address, Run: func(ctx context.Context, k *Kubelet, pod *corev1.Pod) { k.Start(ctx, pod) },
	})
}

// StartWorkers starts the workers that do not run, and returns how many there are.
func (w *World) StartWorkers() int {
	w.t.Helper()
	workers := &corev1.PodList{}
	if err := env.Client().List(w.t.Context(), workers, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor}); err != nil {
		w.t.Fatal(err)
	}
	for i := range workers.Items {
		if pod := &workers.Items[i]; pod.DeletionTimestamp.IsZero() && pod.Status.Phase != corev1.PodRunning && len(pod.Spec.SchedulingGates) == 0 {
			w.Kubelet.Start(w.t.Context(), pod)
		}
	}
	return len(workers.Items)
}

// ClusterReady starts workers until a cluster is Ready, for its current spec.
func (w *World) ClusterReady(c *v1alpha1.SparkCluster) {
	w.t.Helper()
	env.UntilSeen(w.t, "the cluster is Ready", func() (bool, any) {
		w.StartWorkers()
		err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(c), c)
		return err == nil && apimeta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ReadyCondition) && c.Status.ObservedGeneration == c.Generation, c.Status
	})
}

// Cluster is the cluster etl of a world, with two workers. Each pod requests 1408Mi.
func (m *Master) Cluster(w *World) *v1alpha1.SparkCluster {
	pi := w.Pi("etl")
	return &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "etl"},
		Spec: v1alpha1.SparkClusterSpec{
			SparkVersion: pi.Spec.SparkVersion, Image: pi.Spec.Image, Queue: pi.Spec.Queue, SparkConf: map[string]string{"spark.ui.port": m.port},
			Workers: v1alpha1.ClusterWorkers{PodRole: v1alpha1.PodRole{CoreRequest: "100m", Memory: "512m"}, Min: ptr.To[int32](2)},
		},
	}
}

// ClusterSays waits until a cluster is in a stage, for its current spec.
func (w *World) ClusterSays(c *v1alpha1.SparkCluster, reason, words string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("the cluster is %s: %s", reason, words), func() (bool, any) {
		if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
			return false, err
		}
		ready := apimeta.FindStatusCondition(c.Status.Conditions, v1alpha1.ReadyCondition)
		return ready != nil && ready.Reason == reason && strings.Contains(ready.Message, words) && c.Status.ObservedGeneration == c.Generation, c.Status
	})
}
