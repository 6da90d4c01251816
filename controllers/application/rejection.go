// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/status"
)

// policyPhrases are phrases in errors of the API server that a rule of the cluster or namespace forbids the object, so
// that only another object or another rule helps. Any other prohibition may be temporary: a ResourceQuota is used up,
// the default service account does not exist yet, the operator lacks a right. These are the words of the admission
// plugins in Kubernetes 1.31 to 1.36.
var policyPhrases = []string{
	`violates PodSecurity "`,
	"ValidatingAdmissionPolicy '",
	"denied the request",               // admission webhooks
	" usage per ",                      // LimitRange: minimum and maximum
	" max limit to request ratio per ", // LimitRange
	"failed quota: ",                   // a ResourceQuota demands a request or limit
	"pod node label selector conflicts with its namespace node label selector",
	"unable to validate against any security context constraint", // OpenShift
}

// rejected reports whether the API server will never accept an object as it is, however often it is tried.
func rejected(err error) bool {
	switch {
	case err == nil, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return false
	case apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err), tooLargeForStore(err):
		return true
	case apierrors.IsBadRequest(err):
		return !apianswer.RefusesDryRuns(err)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err): // policies may use either code
		return slices.ContainsFunc(policyPhrases, func(words string) bool { return strings.Contains(err.Error(), words) })
	}
	return false
}

// Remedies for a rejection, of a run that has ended and of one that has not begun.
const (
	runAgain = "; correct the application, which starts the next run, or have that rule changed and set another spec.runID"
	tryAgain = "; correct the application, or have that rule changed: the operator tries again"
)

// rejectionOf returns a message that the API server rejects an object, with the remedy. Secrets are redacted, because
// the API server repeats values.
func rejectionOf(obj client.Object, err error, remedy string) string {
	const reserved = 400 // for the remedy, and for the text before the message in a condition
	return fmt.Sprintf("the API server refuses %s: %s%s", describe(obj), redact.First(redact.Text(err.Error()), status.MaxMessage-reserved), remedy)
}

// obstacleOf returns a message that the API server refuses an object for now, and who can resolve that. The message is
// the same for each retry.
func obstacleOf(obj client.Object, err error) string {
	remedy := ""
	switch words := err.Error(); {
	case apianswer.IsWebhookAway(err):
		remedy = "; an administrator has to get that webhook to answer: the operator tries again"
	case !apierrors.IsForbidden(err):
	case strings.Contains(words, "cannot set blockOwnerDeletion"):
		remedy = "; an administrator has to bind ClusterRole sparkgate-applications to the operator's service account"
	case strings.Contains(words, " cannot create resource "):
		remedy = "; an administrator has to bind ClusterRole sparkgate-workloads to the operator's service account, in this namespace or in the cluster"
	}
	return fmt.Sprintf("the API server refuses %s: %s%s", describe(obj), redact.Text(apianswer.Steady(err.Error())), remedy)
}

const (
	// rejectionTTL is how long a rejection is remembered. During that time a start with the same content asks for no
	// quota, unless a dry run shows that the API server accepts it by now.
	rejectionTTL = time.Hour
	// firstRejectionPause is the pause between dry runs of the same content. It doubles up to maxRejectionPause.
	firstRejectionPause = 10 * time.Second
	maxRejectionPause   = 5 * time.Minute
)

// content is the run template of an application, without spec.runID, in a namespace. Applications with the same
// content, such as the runs of a schedule, have objects that differ in little but their names.
type content struct{ namespace, template string }

// contentOf is the content of one application.
type contentOf struct {
	content
	uid types.UID
}

func newContent(app *v1alpha1.SparkApplication) (contentOf, error) {
	spec := app.Spec
	spec.RunID = ""
	template, err := templatehash.Of(&spec)
	return contentOf{content{app.Namespace, template}, app.UID}, err
}

// startOf is what a start is derived from. A start of another run or with other inputs is tried immediately, because a
// user has asked for it.
type startOf struct {
	run    int64
	inputs string
}

// rejection is the last answer of the API server to the objects of a start. They are not tried again before until.
type rejection struct {
	startOf
	message string
	until   time.Time
	pause   time.Duration
}

// rejections remembers the content that the API server has rejected recently. It is safe for concurrent use.
type rejections struct {
	clock clock.Clock
	known *cache.Expiring
}

func newRejections(c clock.Clock) *rejections {
	return &rejections{clock: c, known: cache.NewExpiringWithClock(c)}
}

// none reports whether nothing was rejected recently.
func (rj *rejections) none() bool { return rj.known.Len() == 0 }

// of returns the last rejection of an application, and whether its content was rejected recently. The rejection is zero
// if only another application with the same content was rejected.
func (rj *rejections) of(c contentOf) (last rejection, rejected bool) {
	if known, ok := rj.known.Get(c); ok {
		return known.(rejection), true
	}
	_, rejected = rj.known.Get(c.content)
	return rejection{}, rejected
}

// note records a rejection and returns it. The pause doubles if the same start was rejected before.
func (rj *rejections) note(c contentOf, start startOf, message string) rejection {
	noted := rejection{startOf: start, message: message, pause: firstRejectionPause}
	if last, _ := rj.of(c); last.startOf == start {
		noted.pause = min(2*last.pause, maxRejectionPause)
	}
	noted.until = rj.clock.Now().Add(noted.pause)
	rj.known.Set(c.content, nil, rejectionTTL)
	rj.known.Set(c, noted, rejectionTTL)
	return noted
}

// forget drops a rejection, because the API server accepts the content by now.
func (rj *rejections) forget(c contentOf) {
	rj.known.Delete(c.content)
	rj.known.Delete(c)
}

// stillRejected returns a finding if the API server has recently rejected the content of a start and still does. No
// quota is requested until a dry run of the objects is accepted.
func (pn *planner) stillRejected(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *memory.Prepared) ([]finding.Finding, error) {
	if pn.reusesChecks || pn.rejections.none() {
		return nil, nil
	}
	key, err := newContent(pn.app)
	if err != nil {
		return nil, err
	}
	last, was := pn.rejections.of(key)
	if !was {
		return nil, nil
	}
	now := startOf{start.Run, ready.Inputs}
	if last.startOf != now || !pn.Clock.Now().Before(last.until) {
		message, err := pn.dryRun(ctx, start, plan)
		if err != nil {
			return nil, err
		}
		if message == "" {
			pn.rejections.forget(key)
			return nil, nil
		}
		last = pn.rejections.note(key, now, message)
	}
	plan.Outside = true // so that the start is tried again
	pn.requeueWithin(last.until.Sub(pn.Clock.Now()))
	return []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: last.message}}, nil
}

// dryRun returns why the API server rejects the objects of a start. It returns the empty string if it accepts them, or
// may accept them later as they are.
func (pn *planner) dryRun(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan) (string, error) {
	objects, _, err := pn.builder.build(ctx, start, plan.Queue, nil)
	if err != nil {
		return "", err
	}
	for _, obj := range objects.InOrder() {
		if err := pn.reader.spend(1); err != nil {
			return "", err
		}
		if err := pn.Client.Create(ctx, obj, client.FieldOwner(v1alpha1.FieldOwner), client.DryRunAll); rejected(err) {
			return rejectionOf(obj, err, tryAgain), nil
		}
	}
	return "", nil
}
