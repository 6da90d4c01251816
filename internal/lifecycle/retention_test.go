// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestTimeToLive: an application goes after its end, unless a tool would create it again. An application of a schedule goes also if the template
// has a label of such a tool, as it has in a Helm chart.
func TestTimeToLive(t *testing.T) {
	t.Parallel()
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "a1"}}
	owner := *metav1.NewControllerRef(schedule, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))
	for name, tt := range map[string]struct {
		labels map[string]string
		owners []metav1.OwnerReference
		gone   bool
	}{
		"untracked":     {gone: true},
		"tracked":       {labels: map[string]string{"app.kubernetes.io/instance": "etl"}},
		"of a schedule": {labels: map[string]string{"app.kubernetes.io/instance": "etl"}, owners: []metav1.OwnerReference{owner}, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.app.Labels, w.app.OwnerReferences, w.app.Spec.TTLAfterFinished = tt.labels, tt.owners, seconds(60)
			w.settle()
			w.runs()
			w.settle()
			w.exits(0, "Completed")
			w.settle()
			w.after(time.Minute)
			d := w.pass()
			if tt.gone {
				if w.app != nil && w.app.DeletionTimestamp.IsZero() {
					t.Errorf("the application stays: %+v\n%s", d.Events, w.story())
				}
				return
			}
			if w.app == nil || !w.app.DeletionTimestamp.IsZero() || !strings.Contains(w.says(v1alpha1.ReadyCondition), "Argo CD would create this object again") {
				t.Errorf("the application goes, or does not say why it stays\n%s", w.story())
			}
		})
	}
}
