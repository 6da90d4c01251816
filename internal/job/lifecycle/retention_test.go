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
		labels  map[string]string
		notes   map[string]string
		owners  []metav1.OwnerReference
		gone    bool
		tracker string
	}{
		"untracked":  {gone: true},
		"of Argo CD": {labels: map[string]string{"app.kubernetes.io/instance": "etl"}, tracker: "Argo CD"},
		"of Helm": {
			labels: map[string]string{"app.kubernetes.io/instance": "etl", "app.kubernetes.io/managed-by": "Helm"}, notes: map[string]string{"meta.helm.sh/release-name": "etl"}, tracker: "Helm",
		},
		"of a ResourceSet": {labels: map[string]string{"resourceset.fluxcd.controlplane.io/name": "jobs"}, tracker: "Flux"},
		"of Config Sync":   {notes: map[string]string{"configmanagement.gke.io/managed": "enabled"}, tracker: "Config Sync"},
		"of Fleet":         {notes: map[string]string{"objectset.rio.cattle.io/id": "default-jobs"}, tracker: "Fleet"},
		"of a schedule":    {labels: map[string]string{"app.kubernetes.io/instance": "etl"}, owners: []metav1.OwnerReference{owner}, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.app.Annotations = tt.notes
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
			if w.app == nil || !w.app.DeletionTimestamp.IsZero() || !strings.Contains(w.says(v1alpha1.ReadyCondition), tt.tracker+" would create this object again") {
				t.Errorf("the application goes, or does not say why it stays\n%s", w.story())
			}
		})
	}
}

// TestNoTimeToLive: an application without time to live goes at its end. One of a schedule stays for a moment, in which its schedule sees how it ended.
func TestNoTimeToLive(t *testing.T) {
	t.Parallel()
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "a1"}}
	owner := *metav1.NewControllerRef(schedule, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))
	for name, tt := range map[string]struct {
		owners []metav1.OwnerReference
		stays  time.Duration
	}{"of nobody": {nil, 0}, "of a schedule": {[]metav1.OwnerReference{owner}, 10 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.app.OwnerReferences, w.app.Spec.TTLAfterFinished = tt.owners, seconds(0)
			w.settle()
			w.runs()
			w.settle()
			w.exits(0, "Completed")
			w.settle()
			if stays := w.app != nil && w.app.DeletionTimestamp.IsZero(); stays != (tt.stays > 0) {
				t.Errorf("it stays: %t\n%s", stays, w.story())
			}
			w.after(tt.stays)
			w.settle()
			if w.app != nil && w.app.DeletionTimestamp.IsZero() {
				t.Errorf("it does not go\n%s", w.story())
			}
		})
	}
}
