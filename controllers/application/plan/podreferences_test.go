// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/status"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
)

func raw(texts ...string) []runtime.RawExtension {
	var all []runtime.RawExtension
	for _, text := range texts {
		all = append(all, runtime.RawExtension{Raw: []byte(text)})
	}
	return all
}

// naming returns n applications whose pods refer to missing and to optional objects.
func naming(t *testing.T, n int) (*shelf, []*v1alpha1.SparkApplication) {
	s, apps := crowd(t, n)
	for _, app := range apps {
		app.Spec.Driver.Volumes = raw(`{"name":"a","configMap":{"name":"files"}}`, `{"name":"b","secret":{"secretName":"perhaps","optional":true}}`)
		app.Spec.Executor.EnvFrom = raw(`{"secretRef":{"name":"password"}}`)
	}
	return s, apps
}

// lacks plans a start of an application, and returns the missing references.
func (s *shelf) lacks(app *v1alpha1.SparkApplication) (*pass, []string) {
	s.t.Helper()
	p, plan := s.plan(app, lifecycle.Start{Run: 1, Attempt: 1})
	if len(plan.Findings) > 0 || len(plan.Missing) > 0 && len(plan.PodSets) > 0 {
		s.t.Fatalf("plan %+v; want no findings, and no pod sets while something is missing", plan)
	}
	return p, plan.Missing
}

const (
	noFiles    = `ConfigMap "files" named by volume "a" of the driver pod does not exist in namespace a`
	noPassword = `Secret "password" named by envFrom of container "spark-kubernetes-executor" of the executor pods does not exist in namespace a`
)

// TestMissingOfPods: a missing object to which pods refer is handled like any other missing reference. All of them are
// named at once, also by a pass after one whose status could not be written. Applications with the same references wait
// for the same read.
func TestMissingOfPods(t *testing.T) {
	t.Parallel()
	s, apps := naming(t, 2)
	want := []string{noFiles, noPassword}
	_, missing := s.lacks(apps[0])
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next, again := s.lacks(apps[0])
	if cmp.Diff(want, again) != "" {
		t.Errorf("then it says %q", again)
	}
	if wait := next.reader.absentUntil.Sub(s.clock.Now()); wait <= 0 || wait > absenceTTL {
		t.Errorf("it looks again after %s", wait)
	}
	before := s.reads
	_, missing = s.lacks(apps[1])
	if own := 2; cmp.Diff(want, missing) != "" || s.reads != before+own { // its ConfigMap and its Secret, with their content
		t.Errorf("another one costs %d reads and says %q", s.reads-before, missing)
	}
}

// TestWhatPodsNameComes: a created object is found when the cached absence expires. Then the application waits in line
// without further reads.
func TestWhatPodsNameComes(t *testing.T) {
	t.Parallel()
	s, apps := naming(t, 1)
	s.lacks(apps[0])
	for _, step := range []struct {
		made client.Object
		left []string
	}{
		{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "files"}}, []string{noPassword}},
		{secretWith("password", nil), nil},
	} {
		if err := s.live.Create(t.Context(), step.made); err != nil {
			t.Fatal(err)
		}
		s.clock.SetTime(s.clock.Now().Add(absenceTTL + time.Second))
		if _, missing := s.lacks(apps[0]); cmp.Diff(step.left, missing) != "" {
			t.Errorf("still missing: %q, want %q", missing, step.left)
		}
	}
	before := s.reads
	s.clock.SetTime(s.clock.Now().Add(time.Hour))
	if s.look(apps[0], status.Queued); s.reads != before {
		t.Errorf("%d reads while it waits in line", s.reads-before)
	}
}

// TestMissingKeys: a key that env names is looked for before quota is requested. Its metadata is enough if a manager has set
// it; otherwise the data decides.
func TestMissingKeys(t *testing.T) {
	t.Parallel()
	managed := func(fields string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}}
	}
	const noKey = `Secret "db" in namespace a has no key "password", which env "P" of container "spark-kubernetes-driver" of the driver pod names`
	for name, tt := range map[string]struct {
		data    map[string][]byte
		managed []metav1.ManagedFieldsEntry
		want    []string
	}{
		"of a manager":  {managed: managed(`{"f:data":{"f:password":{}}}`)},
		"of no manager": {data: map[string][]byte{"password": nil}, managed: managed(`{"f:data":{"f:user":{}}}`)},
		"missing":       {data: map[string][]byte{"user": nil}, managed: managed(`{"f:data":{"f:user":{}}}`), want: []string{noKey}},
	} {
		s, apps := crowd(t, 1)
		apps[0].Spec.Driver.Env = []v1alpha1.EnvVar{
			{Name: "P", ValueFrom: &raw(`{"secretKeyRef":{"name":"db","key":"password"}}`)[0]},
			{Name: "Q", ValueFrom: &raw(`{"secretKeyRef":{"name":"db","key":"none","optional":true}}`)[0]},
		}
		if err := s.live.Create(t.Context(), secretWith("db", tt.data)); err != nil {
			t.Fatal(err)
		}
		s.from = interceptor.NewClient(s.live, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, options ...client.GetOption) error {
			err := c.Get(ctx, key, obj, options...)
			if meta, is := obj.(*metav1.PartialObjectMetadata); is && key.Name == "db" {
				meta.ManagedFields = tt.managed
			}
			return err
		}})
		if _, missing := s.lacks(apps[0]); cmp.Diff(tt.want, missing) != "" {
			t.Errorf("%s: %q, want %q", name, missing, tt.want)
		}
	}
}

// TestWhatPodsNameIsBounded: a name becomes part of a request only if an object can have it. An object that the
// operator may not read counts as existing. The reads count towards the budget of the namespace.
func TestWhatPodsNameIsBounded(t *testing.T) {
	t.Parallel()
	s, apps := naming(t, 1)
	reader := s.over(apps[0]).reader
	if there, err := reader.podReferenceExists(t.Context(), apps[0], podrefs.Reference{Kind: podrefs.Claim, Name: "../../secrets/keys"}); there || err != nil || s.reads > 0 {
		t.Errorf("%t, %v after %d reads", there, err, s.reads)
	}
	s.from = interceptor.NewClient(s.live, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
		return apierrors.NewForbidden(corev1.Resource("secrets"), "hidden", nil)
	}})
	reader.Live = s.from
	if there, err := reader.podReferenceExists(t.Context(), apps[0], podrefs.Reference{Kind: podrefs.Secret, Name: "hidden"}); !there || err != nil {
		t.Errorf("what may not be read: %t, %v", there, err)
	}
	s.lookups.budget.Spend("a", 2*readBurst)
	var later *requeue.Error
	if _, err := s.over(apps[0]).reader.podReferenceExists(t.Context(), apps[0], podrefs.Reference{Kind: podrefs.Secret, Name: "other"}); !errors.As(err, &later) {
		t.Errorf("looking is free: %v", err)
	}
}
