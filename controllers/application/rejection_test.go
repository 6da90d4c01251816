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
	"k8s.io/apimachinery/pkg/util/validation/field"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// forbidden returns an answer of an admission plugin.
func forbidden(words string) error {
	return apierrors.NewForbidden(corev1.Resource("pods"), "pi-driver", errors.New(words))
}

func answered(code int32, reason metav1.StatusReason, words string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: words}}
}

// TestRejected: errors that only a change of the pod or of a rule can resolve are distinguished from temporary ones.
func TestRejected(t *testing.T) {
	t.Parallel()
	terminating := forbidden("unable to create new content in namespace a because it is being terminated")
	var s *apierrors.StatusError
	if !errors.As(terminating, &s) {
		t.Fatal("not a status")
	}
	s.ErrStatus.Details.Causes = append(s.ErrStatus.Details.Causes, metav1.StatusCause{Type: corev1.NamespaceTerminatingCause})
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"none":          {nil, false},
		"invalid":       {apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "pi-driver", field.ErrorList{field.Required(field.NewPath("spec"), "")}), true},
		"too large":     {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), true},
		"for the store": {answered(500, "", "etcdserver: request is too large"), true},
		"for etcd":      {answered(500, "", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2401322 vs. 2097152)"), true},
		"bad request":   {apierrors.NewBadRequest("Pod in version v1 cannot be handled as a Pod"), true},
		"Pod Security":  {forbidden(`violates PodSecurity "restricted:latest": runAsNonRoot != true`), true},
		"policy":        {answered(422, metav1.StatusReasonInvalid, "pods \"pi-driver\" is forbidden: ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"policy, 403":   {forbidden("ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"policy, 401":   {answered(401, metav1.StatusReasonUnauthorized, "pods \"pi-driver\" is forbidden: ValidatingAdmissionPolicy 'no-root' with binding 'all' denied request: no root"), true},
		"webhook":       {answered(400, "", `admission webhook "validate.kyverno.svc" denied the request: no root`), true},
		"webhook, 403":  {answered(403, metav1.StatusReasonForbidden, `admission webhook "validation.gatekeeper.sh" denied the request: no root`), true},
		"limit range":   {forbidden("maximum cpu usage per Container is 1, but limit is 2"), true},
		"ratio":         {forbidden("cpu max limit to request ratio per Pod is 2, but provided ratio is 4.000000"), true},
		"quota demands": {forbidden("failed quota: compute: must specify limits.cpu for: spark-kubernetes-driver"), true},
		"OpenShift":     {forbidden("unable to validate against any security context constraint: []"), true},

		"quota is used up":      {forbidden("exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4"), false},
		"quota is new":          {forbidden("status unknown for quota: team, resources: pods"), false},
		"operator's rights":     {forbidden(`User "system:serviceaccount:sparkgate-system:sparkgate" cannot create resource "pods" in API group "" in the namespace "a"`), false},
		"finalizers":            {forbidden("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"), false},
		"no account yet":        {forbidden(`error looking up service account a/default: serviceaccount "default" not found`), false},
		"no priority class":     {forbidden("no PriorityClass with name high was found"), false},
		"no runtime class":      {forbidden(`pod rejected: RuntimeClass "gvisor" not found`), false},
		"plugin starts":         {forbidden("not yet ready to handle request"), false},
		"namespace goes":        {terminating, false},
		"no such namespace":     {apierrors.NewNotFound(corev1.Resource("namespaces"), "a"), false},
		"no dry run":            {apierrors.NewBadRequest(`admission webhook "x" does not support dry run`), false},
		"token of the operator": {apierrors.NewUnauthorized("Unauthorized"), false},
		"webhook is down":       {apierrors.NewInternalError(errors.New(`failed calling webhook "x": timeout`)), false},
		"no answer":             {errors.New("connection refused"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rejected(tt.err); got != tt.want {
				t.Errorf("rejected is %t, want %t: %v", got, tt.want, tt.err)
			}
		})
	}
}

// TestObstacleRemedy: the message names the Role that grants a missing permission.
func TestObstacleRemedy(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		`User "system:serviceaccount:s:sparkgate" cannot create resource "pods" in API group "" in the namespace "a"`: "ClusterRole sparkgate-workloads",
		"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on":         "ClusterRole sparkgate-applications",
		"exceeded quota: team": "",
	} {
		if got := obstacleOf(&corev1.Pod{}, forbidden(words)); !strings.Contains(got, words) || strings.Contains(got, "ClusterRole") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q has not the remedy %q", got, want)
		}
	}
}

// TestRejectionIsBounded: the API server's message is truncated before the remedy, and secrets in it are hidden.
func TestRejectionIsBounded(t *testing.T) {
	t.Parallel()
	got := rejectionOf(&corev1.Pod{}, forbidden("violates spark.hadoop.fs.s3a.secret.key=hunter2 "+strings.Repeat("x", 5000)), runAgain)
	if len(got) > status.MaxMessage || !strings.HasSuffix(got, runAgain) || strings.Contains(got, "hunter2") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
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
	if !isPod(obj) {
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
		if stage, message := b.after(10 * time.Second); stage != v1alpha1.InvalidSpecReason || b.app.Status.Run != 1 || !strings.HasSuffix(message, tryAgain) {
			t.Fatalf("run %d, %s: %s", b.app.Status.Run, stage, message)
		}
	}
	if b.asked != 1 || b.tried < 5 || b.tried > 20 {
		t.Errorf("asked %d times, tried %d times in an hour", b.asked, b.tried)
	}
	b.rejects = false
	if stage, message := b.after(maxRejectionPause); b.app.Status.Run != 2 || b.app.Status.Grant == nil || b.asked != 2 {
		t.Errorf("run %d, asked %d times, %s: %s", b.app.Status.Run, b.asked, stage, message)
	}
}
