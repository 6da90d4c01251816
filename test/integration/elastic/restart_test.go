// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package elastic

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/actors"
)

func keyOf(pod *corev1.Pod) client.ObjectKey { return client.ObjectKeyFromObject(pod) }

func tolerates(pod *corev1.Pod, key string) bool {
	for _, toleration := range pod.Spec.Tolerations {
		if toleration.Key == key {
			return true
		}
	}
	return false
}

// isRelease says that a request lifts the gate of a pod.
func isRelease(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/pods/")
}

// TestDiesBeforeRelease: the operator dies after it has written a larger grant and before it has lifted a gate, or before the answer to that.
// The next one lets in what was granted, and no more.
func TestDiesBeforeRelease(t *testing.T) {
	for _, fault := range append(actors.Survivable(), actors.DieBefore, actors.DieAfter) {
		t.Run(fault.String(), func(t *testing.T) {
			w := actors.NewWorld(t, actors.MemoryFor(4), nil)
			w.History.MemoryLimit = 4 * actors.PodMemory
			var broken atomic.Bool
			network := actors.NewNetwork(func(_ int, r *http.Request) actors.Fault {
				if isRelease(r) && broken.CompareAndSwap(false, true) {
					return fault
				}
				return actors.None
			})
			first := actors.StartOperator(t, actors.OperatorOptions{Network: network.Wrap})
			app := w.Apply("app", actors.Elastic)
			driver := w.Run(app)
			w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4)
			if fault == actors.DieBefore || fault == actors.DieAfter {
				<-network.Died()
				first.Stop()
				actors.StartOperator(t, actors.OperatorOptions{})
			}
			actors.ExecutorsAre(t, app, 3, 1, "wait for quota")
			granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 2})
			uses(t, w.Queue, 4)
		})
	}
}
