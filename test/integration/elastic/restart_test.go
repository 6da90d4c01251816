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

	"github.com/sparkgate/sparkgate/test/integration/harness"
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

// isRelease reports whether a request lifts the gate of a pod.
func isRelease(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/pods/")
}

// TestDiesBeforeRelease: the operator dies after it has written a larger grant and before it has lifted a gate, or before the answer to that.
// The next one lets in what was granted, and no more.
func TestDiesBeforeRelease(t *testing.T) {
	for _, fault := range append(harness.Survivable(), harness.DieBefore, harness.DieAfter) {
		t.Run(fault.String(), func(t *testing.T) {
			w := harness.NewWorld(t, harness.MemoryFor(4), nil)
			w.History.MemoryLimit = 4 * harness.PodMemory
			var broken atomic.Bool
			network := harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
				if isRelease(r) && broken.CompareAndSwap(false, true) {
					return fault
				}
				return harness.None
			})
			first := harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
			app := w.Apply("app", harness.Elastic)
			driver := w.Run(app)
			w.Kubelet.Gated(t.Context(), driver, 1, 2, 3, 4)
			if fault == harness.DieBefore || fault == harness.DieAfter {
				<-network.Died()
				first.Stop()
				harness.StartOperator(t, harness.OperatorOptions{})
			}
			harness.ExecutorsAre(t, app, 3, 1, "wait for quota")
			granted(t, app, map[string]int32{"driver": 1, "executor": 1, "+default": 2})
			uses(t, w.Queue, 4)
		})
	}
}
