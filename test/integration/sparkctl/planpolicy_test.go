// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestPlanOfNamespacesIsWhatHappens: what annotations of a namespace do to those that wait in it is said as it then happens:
// they ask another queue, or may not ask this one.
func TestPlanOfNamespacesIsWhatHappens(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	other := harness.Queue(t, w.Namespace+"-other", "", "3Gi")
	me := as(t, admin(), w.Namespace)
	annotate := func(key, value string) (file string, apply func()) {
		file = filepath.Join(t.TempDir(), "namespace.yaml")
		text := fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, annotations: {%s: %q}}\n", w.Namespace, key, value)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file, func() {
			harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
				if n.Annotations == nil {
					n.Annotations = map[string]string{}
				}
				n.Annotations[key] = value
			})
		}
	}
	_, apply := annotate(v1alpha1.DefaultQueueAnnotation, w.Queue.Name)
	apply()
	w.Run(w.Apply("first"))
	unnamed := w.Apply("unnamed", func(a *v1alpha1.SparkApplication) { a.Spec.Queue = nil })
	w.Reach(unnamed, v1alpha1.QueuedReason)
	named := w.Apply("named")
	w.Reach(named, v1alpha1.QueuedReason)

	file, apply := annotate(v1alpha1.DefaultQueueAnnotation, other.Name)
	plan := me.planned("-f", file)
	if len(plan.Effects) != 1 || plan.Effects[0].Name != "unnamed" || plan.Effects[0].Queue != other.Name || plan.Effects[0].After != offline.Admitted {
		t.Fatalf("another default queue does %+v", plan.Effects)
	}
	apply()
	w.Run(unnamed)
	w.Reach(named, v1alpha1.QueuedReason)

	file, apply = annotate(v1alpha1.AllowedQueuesAnnotation, other.Name)
	plan = me.planned("--fail-on=", "-f", file)
	if len(plan.Effects) != 1 || plan.Effects[0].Name != "named" || plan.Effects[0].After != offline.Refused || plan.Effects[0].Reason != v1alpha1.InvalidSpecReason {
		t.Fatalf("a list of queues does %+v", plan.Effects)
	}
	apply()
	harness.Eventually(t, named, "refused in the words of the plan", func(a *v1alpha1.SparkApplication) bool {
		ready := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.ReadyCondition)
		return ready != nil && ready.Reason == plan.Effects[0].Reason && ready.Message == plan.Effects[0].Message
	})
}
