// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// forbidden returns an answer of an admission plugin.
func forbidden(words string) error {
	return apierrors.NewForbidden(corev1.Resource("pods"), "pi-driver", errors.New(words))
}

func answered(code int32, reason metav1.StatusReason, words string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: words}}
}

// TestWebhookAway: while a webhook does not answer, or denies a driver by a code from which it is not known whether it always will, the status says so,
// and the driver is created soon after it lets it pass. The create is not waited for as if it had not been answered.
func TestWebhookAway(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{
		"away":                apierrors.NewInternalError(errors.New(`failed calling webhook "mutate.kyverno.svc-fail": failed to call webhook: context deadline exceeded`)),
		"denies as conflict":  answered(409, metav1.StatusReasonConflict, `admission webhook "mutate.kyverno.svc-fail" denied the request: another one is under way`),
		"denies as a failure": answered(500, "", `admission webhook "mutate.kyverno.svc-fail" denied the request: no connection to its store`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBouncer(t)
			b.answer = answer
			if stage, message := b.after(0); stage != v1alpha1.SubmittingReason || !strings.Contains(message, `"mutate.kyverno.svc-fail"`) {
				t.Fatalf("stage %s: %q; want Submitting with the name of the webhook", stage, message)
			}
			b.rejects = false
			b.after(10 * time.Second)
			pods := &corev1.PodList{}
			if err := b.client.List(t.Context(), pods); err != nil || len(pods.Items) != 1 {
				t.Errorf("%d drivers 10 s after the webhook lets them pass (%v)", len(pods.Items), err)
			}
		})
	}
}

// TestWebhookWithExpiredCertificate: the API server's message changes each time with the age of the certificate. The
// status is not written again for that.
func TestWebhookWithExpiredCertificate(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	b.answer = expired("2026-01-02T03:04:05Z")
	_, message := b.after(0)
	version := b.app.ResourceVersion
	b.answer = expired("2026-01-02T03:04:15Z")
	if b.after(10 * time.Second); b.app.ResourceVersion != version || !strings.Contains(message, "x509: certificate has expired") {
		t.Errorf("the status was written again, or does not say what is wrong: %q", message)
	}
}

func expired(now string) error {
	const webhook = `failed calling webhook "mutate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/": `
	return apierrors.NewInternalError(errors.New(webhook + "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: " +
		"current time " + now + " is after 2026-01-01T00:00:00Z"))
}

// bouncer is an API server that rejects drivers, and counts its requests.
type bouncer struct {
	t       *testing.T
	r       *Reconciler
	client  client.Client
	app     *v1alpha1.SparkApplication
	rejects bool
	// answer is the API server's answer to a rejected driver.
	answer       error
	asked, tried int
	// due is the requested pause before the next reconciliation.
	due time.Duration
}

// newBouncer returns a server that rejects drivers, with a new application.
func newBouncer(t *testing.T) *bouncer {
	t.Helper()
	r, c, app := submission(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
	})
	b := &bouncer{t: t, r: r, client: c, app: app, rejects: true, answer: forbidden(`violates PodSecurity "restricted:latest"`)}
	withWatch, ok := c.(client.WithWatch)
	if !ok {
		t.Fatal("not a client with watches")
	}
	r.Client = interceptor.NewClient(withWatch, interceptor.Funcs{Create: b.create})
	return b
}

func (b *bouncer) create(ctx context.Context, c client.WithWatch, obj client.Object, options ...client.CreateOption) error {
	if _, is := obj.(*corev1.Pod); !is {
		return c.Create(ctx, obj, options...)
	}
	applied := (&client.CreateOptions{}).ApplyOptions(options)
	if len(applied.DryRun) > 0 {
		b.tried++
	} else {
		b.asked++
	}
	if b.rejects {
		return b.answer
	}
	return c.Create(ctx, obj, options...)
}

// after advances time and reconciles.
func (b *bouncer) after(pause time.Duration) (stage, message string) {
	b.t.Helper()
	b.r.Clock.(*clocktesting.FakeClock).Step(pause)
	for range 6 {
		result, err := b.r.Reconcile(b.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b.app)})
		if b.due = result.RequeueAfter; err != nil {
			b.t.Fatal(err)
		}
	}
	if err := b.client.Get(b.t.Context(), client.ObjectKeyFromObject(b.app), b.app); err != nil {
		b.t.Fatal(err)
	}
	ready := apimeta.FindStatusCondition(b.app.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil {
		b.t.Fatal("no condition Ready")
	}
	return ready.Reason, ready.Message
}

// failed lets the first run fail, and checks how it ended.
func (b *bouncer) failed() {
	b.t.Helper()
	stage, message := b.after(0)
	if stage != v1alpha1.FailedReason || !strings.Contains(message, `violates PodSecurity "restricted:latest"`) || !strings.Contains(message, "spec.runID") {
		b.t.Fatalf("stage %s: %q; want Failed with the violated standard and the remedy", stage, message)
	}
	if last := b.app.Status.Attempts; len(last) != 1 || last[0].Cause != v1alpha1.CauseConfiguration || last[0].Reason != "Rejected" || b.app.Status.Grant != nil {
		b.t.Errorf("attempts %+v, grant %v", last, b.app.Status.Grant)
	}
}

// again requests another run.
func (b *bouncer) again() {
	b.t.Helper()
	b.app.Spec.RunID, b.app.Generation = "2", b.app.Generation+1
	if err := b.client.Update(b.t.Context(), b.app); err != nil {
		b.t.Fatal(err)
	}
}

// TestRejectedStart: a driver that the API server rejects ends the run as a configuration error, whatever its restart
// policy, and leaves no objects behind.
func TestRejectedStart(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	b.failed()
	left := &corev1.ConfigMapList{}
	if err := b.client.List(t.Context(), left, client.HasLabels{v1alpha1.ApplicationLabel}); err != nil || len(left.Items) > 0 {
		t.Errorf("objects of the attempt are left: %v, %v", left.Items, err)
	}
	if b.after(time.Hour); b.asked != 1 || b.tried != 0 {
		t.Errorf("asked %d times, tried %d times", b.asked, b.tried)
	}
}

// TestRejectedAgain: another run with the same spec holds no quota until a dry run shows that the API server accepts
// it. The dry runs become less frequent.
func TestRejectedAgain(t *testing.T) {
	t.Parallel()
	b := newBouncer(t)
	b.failed()
	b.again()
	for range 360 { // an hour
		if stage, message := b.after(10 * time.Second); stage != v1alpha1.InvalidSpecReason || b.app.Status.Run != 1 || !strings.HasSuffix(message, ": the operator tries again") {
			t.Fatalf("run %d, %s: %s", b.app.Status.Run, stage, message)
		}
	}
	if b.asked != 1 || b.tried < 5 || b.tried > 20 {
		t.Errorf("asked %d times, tried %d times in an hour", b.asked, b.tried)
	}
	b.rejects = false
	if stage, message := b.after(5 * time.Minute); b.app.Status.Run != 2 || b.app.Status.Grant == nil || b.asked != 2 {
		t.Errorf("run %d, asked %d times, %s: %s", b.app.Status.Run, b.asked, stage, message)
	}
}
