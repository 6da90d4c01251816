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

// PodMemory is the memory request of each pod of Pi, in bytes.
const PodMemory = 896 << 20

// MemoryFor returns the memory request of that many pods.
func MemoryFor(pods int64) string {
	return resource.NewQuantity(pods*PodMemory, resource.BinarySI).String()
}

// Elastic gives an application one executor to begin with, and at most six.
func Elastic(app *v1alpha1.SparkApplication) {
	app.Spec.Executor.Instances = nil
	app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MinExecutors: ptr.To[int32](1), MaxExecutors: ptr.To[int32](6)}
}

// ExecutorsAre waits until so many executors of an application are ready and so many wait behind the scheduling gate,
// and its problem contains all the words; without words there must not be a problem.
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
