// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// newCluster returns the world of a cluster of two workers that may have more: as many as its spec says, or up to that many as programs may use.
func newCluster(t *testing.T, autoscale bool) *world {
	t.Helper()
	w := newWorld(t)
	w.memory.on, w.gate, w.used = true, "Volcano", map[string]int32{}
	w.app.Spec.Server, w.app.Spec.Executor.Instances = &v1alpha1.Server{Type: v1alpha1.MasterServer}, ptr.To[int32](2)
	if autoscale {
		w.app.Spec.Server.Workers, w.app.Spec.Server.IdleTimeout = ptr.To[int32](5), seconds(20)
	}
	w.settle()
	w.runs()
	w.settle()
	return w
}

// workersAllowed returns how many workers there have to be at least, and may be at most.
func (w *world) workersAllowed() (least, most int) {
	most = int(max(2, ptr.Deref(w.app.Spec.Server.Workers, 0)))
	if w.app.Spec.Server.IdleTimeout == nil {
		return most, most
	}
	return min(most, max(2, int(w.clusterCores))), most
}

// workerPods counts the workers that exist, and those that are not ending.
func (w *world) workerPods() (exist, stay int) {
	for _, p := range w.pods {
		if p.Host == "" {
			continue
		}
		exist++
		if !p.Deleting && p.Active() {
			stay++
		}
	}
	return exist, stay
}

// disturb does something to the workers of a cluster.
func (w *world) disturb(r *rand.Rand) {
	names := w.podNames()
	name := names[r.IntN(len(names))]
	isWorker := w.pods[name].Host != ""
	switch r.IntN(7) {
	case 0:
		n := int32(2 + r.IntN(5))
		w.edit(fmt.Sprintf("wants %d workers", n), func(a *v1alpha1.SparkApplication) { a.Spec.Server.Workers = &n })
	case 1:
		w.used[name] = int32(r.IntN(3))
	case 2:
		if isWorker && w.pods[name].Deleting {
			delete(w.pods, name)
		}
	case 3:
		if isWorker && r.IntN(4) == 0 {
			w.logf("kubelet: %s fails", name)
			w.change(name, func(p *pods.Record) {
				p.Phase, p.Running, p.Ready, p.Ended = "Failed", false, false, &pods.Ended{ExitCode: 1, At: w.now.Unix()}
			})
		}
	case 4:
		w.lagging = maps.Clone(w.pods)
	case 5:
		w.lagging = nil
	case 6:
		w.clusterCores, w.waits = int64(r.IntN(8)), r.IntN(4) == 0
	}
	w.after(time.Duration(r.IntN(5)) * time.Second)
}

// TestRandomClusters: whatever happens to the workers of a cluster, and however late the watch is, no pass creates more than are wanted, or ends more
// than are too many. In the end there are as many as are wanted.
func TestRandomClusters(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 100, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newCluster(t, seed%2 == 0)
		for range 60 {
			w.disturb(r)
			least, most := w.workersAllowed()
			before, stayed := w.workerPods()
			w.pass()
			exist, stay := w.workerPods()
			if exist > max(before, most) || stay < min(stayed, least) {
				t.Fatalf("%d workers exist and %d stay, of %d and %d before; allowed are %d to %d\n%s", exist, stay, before, stayed, least, most, w.story())
			}
		}
		w.lagging, w.used, w.waits = nil, map[string]int32{}, false
		for range 20 {
			for _, name := range w.podNames() {
				if w.pods[name].Host != "" && w.pods[name].Deleting {
					delete(w.pods, name)
				}
			}
			w.after(maxWorkerPause)
			w.settle()
		}
		least, _ := w.workersAllowed()
		if exist, stay := w.workerPods(); exist != least || stay != least {
			t.Errorf("%d workers exist, want %d\n%s", exist, least, w.story())
		}
	})
}
