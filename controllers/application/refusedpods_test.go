// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// withTemplates makes the API server check the pods of both roles.
func withTemplates(b *bouncer) {
	b.app.Spec.Driver.Template = &runtime.RawExtension{Raw: []byte(`{"metadata": {"labels": {"team": "a"}}}`)}
	b.app.Spec.Executor.Template = b.app.Spec.Driver.Template
	b.again()
}

// TestChecksThatAreNotAnswered: a webhook for pods that does not answer holds up one application, and none of those
// within the next minute.
func TestChecksThatAreNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	b.answer = fmt.Errorf("Post \"https://10.0.0.1/api/v1/namespaces/default/pods\": %w", context.DeadlineExceeded)
	withTemplates(b)
	look := func(run int64, pause time.Duration, want int) {
		t.Helper()
		b.tried = 0
		b.r.Clock.(*clocktesting.FakeClock).Step(pause)
		p := passOver(b.r, b.app)
		if _, err := p.planner.Plan(t.Context(), b.app, lifecycle.Start{Run: run, Attempt: 1}); err != nil || b.tried != want {
			t.Errorf("%s later pods are checked %d times, want %d (%v)", pause, b.tried, want, err)
		}
	}
	look(1, 0, 1)
	look(2, 30*time.Second, 0)
	look(3, 30*time.Second, 1)
}

// TestLargePodsAreNotChecked: a pod that takes the API server a long time blocks no worker, and does not stop the
// checks of others.
func TestLargePodsAreNotChecked(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	b.answer = fmt.Errorf("Post \"https://10.0.0.1/api/v1/namespaces/default/pods\": %w", context.DeadlineExceeded)
	b.app.Spec.Driver.Template = &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"metadata": {"annotations": {"note": %q}}}`, strings.Repeat("x", 128<<10))}
	b.again()
	check := func(run int64, want int) {
		t.Helper()
		if _, err := passOver(b.r, b.app).planner.Plan(t.Context(), b.app, lifecycle.Start{Run: run, Attempt: 1}); err != nil || b.tried != want {
			t.Errorf("%d dry runs (%v), want %d", b.tried, err, want)
		}
	}
	check(1, 0)
	withTemplates(b)
	check(2, 1)
}

// TestInvalidByALimitRange: an error in a dry run may be caused by what a LimitRange adds, so it is checked again if
// there is one.
func TestInvalidByALimitRange(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	limit := field.Invalid(field.NewPath("spec", "initContainers").Index(0).Child("resources", "requests"), "1", "must be less than or equal to cpu limit of 500m")
	b.answer = apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "pi", field.ErrorList{limit})
	looks := func(want bool) {
		t.Helper()
		withTemplates(b)
		if stage, message := b.after(0); stage != v1alpha1.InvalidSpecReason {
			t.Fatalf("stage %s: %s", stage, message)
		}
		b.tried = 0
		if b.after(time.Minute); (b.due > 0) != want {
			t.Errorf("looks again after %s, want %t", b.due, want)
		}
	}
	looks(false)
	if err := b.client.Create(t.Context(), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: b.app.Namespace, Name: "small"}}); err != nil {
		t.Fatal(err)
	}
	looks(true)
}
