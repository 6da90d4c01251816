// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tracker_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
)

// managed returns the fields of a manager, as the API server records them.
func managed(manager, subresource, fields string) []metav1.ManagedFieldsEntry {
	return []metav1.ManagedFieldsEntry{
		{Manager: "sparkgate", Subresource: "status", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:run":{}}}`)},
		{Manager: manager, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)},
	}
}

const (
	suspends  = `{"f:metadata":{},"f:spec":{"f:image":{},"f:suspend":{}}}`
	otherwise = `{"f:spec":{"f:image":{}}}`
)

// TestSetBack: for a field that Git declares, the text says who will set it back, when, and what to do instead. Otherwise
// there is none.
func TestSetBack(t *testing.T) {
	t.Parallel()
	kustomized := map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "team-a"}
	tracked := map[string]string{"argocd.argoproj.io/tracking-id": "jobs:sparkgate.io/SparkApplication:team/pi"}
	released := map[string]string{"meta.helm.sh/release-name": "etl", "meta.helm.sh/release-namespace": "team"}
	const byKustomization = "Kustomization team-a/jobs declares spec.suspend and sets it back at its next reconciliation: " +
		"change it in Git, or first run flux suspend kustomization jobs -n team-a"
	const byArgoCD = "Argo CD Application jobs declares spec.suspend and sets it back with its next sync, at once under selfHeal: change it in Git"
	for name, tt := range map[string]struct {
		labels, notes map[string]string
		fields        []metav1.ManagedFieldsEntry
		want          string
	}{
		"Flux":                   {labels: kustomized, fields: managed("kustomize-controller", "", suspends), want: byKustomization},
		"Flux without the field": {labels: kustomized, fields: managed("kustomize-controller", "", otherwise)},
		"taken by a person":      {labels: kustomized, fields: managed("sparkctl", "", suspends)},
		"left alone by Flux":     {labels: kustomized, notes: map[string]string{"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}, fields: managed("kustomize-controller", "", suspends)},
		"a subresource":          {labels: kustomized, fields: managed("kustomize-controller", "status", suspends)},
		"unreadable fields":      {labels: kustomized, fields: managed("kustomize-controller", "", "{")},
		"of no tool":             {fields: managed("kubectl", "", suspends)},
		"Argo CD, server-side":   {notes: tracked, fields: managed("argocd-controller", "", suspends), want: byArgoCD},
		"Argo CD, client-side":   {notes: joined(tracked, applied(`{"spec": {"suspend": false}}`)), want: byArgoCD},
		"Argo CD wants it so":    {notes: joined(tracked, applied(`{"spec": {"suspend": true}}`))},
		"Argo CD, without it":    {notes: joined(tracked, applied(`{"spec": {}}`))},
		"Argo CD's own action":   {notes: tracked, fields: managed("argocd-server", "", suspends)},
		"kubectl apply":          {notes: applied(`{"spec": {"suspend": false}}`)},
		"Argo CD by label":       {labels: map[string]string{"app.kubernetes.io/instance": "jobs"}, fields: managed("argocd-controller", "", suspends), want: byArgoCD},
		"Config Sync, not read":  {notes: map[string]string{"configmanagement.gke.io/managed": "enabled"}, fields: managed("configsync", "", suspends)},
		"a release of Helm":      {notes: released, fields: managed("helm", "", suspends), want: "Helm release team/etl declares spec.suspend and sets it back with its next upgrade: change its values"},
		"a HelmRelease": {
			labels: map[string]string{"helm.toolkit.fluxcd.io/name": "etl", "helm.toolkit.fluxcd.io/namespace": "team"}, notes: released,
			fields: managed("helm-controller", "", suspends), want: "HelmRelease team/etl declares spec.suspend and sets it back with its next upgrade, " +
				"or sooner if it corrects drift: change its values, or first run flux suspend helmrelease etl -n team",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &metav1.ObjectMeta{Labels: tt.labels, Annotations: tt.notes, ManagedFields: tt.fields}
			if got := tracker.AfterSuspension(o, true); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func applied(manifest string) map[string]string {
	return map[string]string{"kubectl.kubernetes.io/last-applied-configuration": manifest}
}

func joined(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for key, value := range m {
			out[key] = value
		}
	}
	return out
}

// TestComesBack: what a tool applies comes back after a deletion by hand; what a schedule has created does not, whatever
// labels its template has.
func TestComesBack(t *testing.T) {
	t.Parallel()
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "a1"}}
	owner := *metav1.NewControllerRef(schedule, v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind))
	for name, tt := range map[string]struct {
		o         metav1.ObjectMeta
		tool, key string
		want      string
	}{
		"untracked": {},
		"of a Kustomization": {
			o:    metav1.ObjectMeta{Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "team-a"}},
			tool: "Flux", key: "kustomize.toolkit.fluxcd.io/name",
			want: "Kustomization team-a/jobs creates it again at its next reconciliation, and it runs again: remove its manifest there",
		},
		"of Fleet": {
			o:    metav1.ObjectMeta{Annotations: map[string]string{"objectset.rio.cattle.io/id": "x"}},
			tool: "Fleet", key: "objectset.rio.cattle.io/id", want: "Fleet creates it again at its next pass, and it runs again: remove its manifest there",
		},
		"of Helm, with the label of charts": {
			o: metav1.ObjectMeta{
				Labels:      map[string]string{"app.kubernetes.io/instance": "etl", "app.kubernetes.io/managed-by": "Helm"},
				Annotations: map[string]string{"meta.helm.sh/release-name": "etl", "meta.helm.sh/release-namespace": "team"},
			},
			tool: "Helm", key: "meta.helm.sh/release-name", want: "Helm release team/etl creates it again with its next upgrade, and it runs again: remove its manifest there",
		},
		"of a schedule": {o: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/instance": "etl"}, OwnerReferences: []metav1.OwnerReference{owner}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := tracker.Of(&tt.o)
			if known.Known() != (tt.tool != "") {
				t.Fatalf("the tracker is %s", known)
			}
			if known.Known() {
				if tool, key := known.Tool(); tool != tt.tool || key != tt.key {
					t.Errorf("tool %q by %q", tool, key)
				}
			}
			if got := tracker.AfterDeletion(&tt.o); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
