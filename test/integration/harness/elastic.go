// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// PodMemory is what each pod of Pi requests.
const PodMemory = 896 << 20

// MemoryFor is the memory of that many pods.
func MemoryFor(pods int64) string {
	return resource.NewQuantity(pods*PodMemory, resource.BinarySI).String()
}

// Elastic lets an application have one executor to begin with, and six at most.
func Elastic(app *v1alpha1.SparkApplication) {
	app.Spec.Executor.Instances = nil
	app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](1), MaxExecutors: ptr.To[int32](6)}
}

// ExecutorsAre waits until so many executors of an application are ready and behind the gate, and its problem has all the words; without
// any there must be none.
func ExecutorsAre(t *testing.T, app *v1alpha1.SparkApplication, ready, gated int32, words ...string) {
	t.Helper()
	what := fmt.Sprintf("at %d ready and %d gated executors, saying %q", ready, gated, strings.Join(words, ", "))
	Eventually(t, app, what, func(a *v1alpha1.SparkApplication) bool {
		e := a.Status.Executors
		if e == nil || e.Ready != ready || e.Gated != gated || len(words) == 0 && e.Problem != "" {
			return false
		}
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e.Problem, word) })
	})
}
