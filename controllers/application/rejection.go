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
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/status"
)

// rules are phrases of the API server when a rule of the cluster or of the namespace forbids an object: only another object, or another rule,
// can change that. Any other prohibition may end by itself: a ResourceQuota is used up, a controller has not created the default service account
// yet, the operator has not been given a right. The words are those of the admission plugins in Kubernetes 1.31 to 1.36.
var rules = []string{
	`violates PodSecurity "`,
	"ValidatingAdmissionPolicy '",
	"denied the request",               // admission webhooks
	" usage per ",                      // LimitRange: minimum and maximum
	" max limit to request ratio per ", // LimitRange
	"failed quota: ",                   // a ResourceQuota demands that something is requested or limited
	"pod node label selector conflicts with its namespace node label selector",
	"unable to validate against any security context constraint", // OpenShift
}

// rejected reports whether the API server has answered that it will not create an object as it is, however often it is asked.
func rejected(err error) bool {
	switch {
	case err == nil, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return false
	case apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err), tooLargeForStore(err):
		return true
	case apierrors.IsBadRequest(err):
		return !strings.Contains(err.Error(), "dry run") // a webhook that does not say whether it has side effects
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err): // policies choose their code
		return slices.ContainsFunc(rules, func(words string) bool { return strings.Contains(err.Error(), words) })
	}
	return false
}

// What to do about a rejection: of a run that has ended, and of one that has not begun.
const (
	runAgain = "; correct the application, which starts the next run, or have that rule changed and set another spec.runID"
	tryAgain = "; correct the application, or have that rule changed: the operator tries again"
)

// rejectionOf says that the API server rejects an object, and what to do. Secrets are redacted: the API server repeats values.
func rejectionOf(obj client.Object, err error, remedy string) string {
	const reserved = 400 // for the remedy, and for what precedes the message in a condition
	return fmt.Sprintf("the API server refuses %s: %s%s", describe(obj), redact.First(redact.Text(err.Error()), status.MaxMessage-reserved), remedy)
}

// obstacleOf says that the API server refuses an object for now, and who can change that, in the same words each time.
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
	// rejectionTTL is how long a rejection is remembered. A start with the same content does not ask for quota meanwhile, unless a dry run shows
	// that the API server takes it by now.
	rejectionTTL = time.Hour
	// firstRejectionPause is the pause between two dry runs of the same content. It doubles up to longestRejectionPause.
	firstRejectionPause   = 10 * time.Second
	longestRejectionPause = 5 * time.Minute
)

// content is the run template of an application without spec.runID, in a namespace. The objects of applications with the same content, such as the
// runs of a schedule, differ in little but their names.
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

// startOf is what a start is derived from. Another run is tried at once, because a user asks for it, and so are other inputs.
type startOf struct {
	run    int64
	inputs string
}

// rejection is the last answer of the API server to the objects of a start, which are not tried again before a time.
type rejection struct {
	startOf
	message string
	until   time.Time
	pause   time.Duration
}

// rejections remember which content the API server has rejected lately. Safe for concurrent use.
type rejections struct {
	clock clock.Clock
	known *cache.Expiring
}

func newRejections(c clock.Clock) *rejections {
	return &rejections{clock: c, known: cache.NewExpiringWithClock(c)}
}

// none reports whether no content was rejected lately.
func (rj *rejections) none() bool { return rj.known.Len() == 0 }

// of returns the last rejection of an application, and whether its content was rejected lately. The rejection is zero if that was of another
// application with the same content.
func (rj *rejections) of(c contentOf) (last rejection, rejected bool) {
	if known, ok := rj.known.Get(c); ok {
		return known.(rejection), true
	}
	_, rejected = rj.known.Get(c.content)
	return rejection{}, rejected
}

// note remembers a rejection, and doubles the pause if it is not the first in a row.
func (rj *rejections) note(c contentOf, start startOf, message string) rejection {
	noted := rejection{startOf: start, message: message, pause: firstRejectionPause}
	if last, _ := rj.of(c); last.startOf == start {
		noted.pause = min(2*last.pause, longestRejectionPause)
	}
	noted.until = rj.clock.Now().Add(noted.pause)
	rj.known.Set(c.content, nil, rejectionTTL)
	rj.known.Set(c, noted, rejectionTTL)
	return noted
}

// forget forgets a rejection: the API server takes the content by now.
func (rj *rejections) forget(c contentOf) {
	rj.known.Delete(c.content)
	rj.known.Delete(c)
}

// stillRejected returns a finding if the API server has rejected the content of a start lately and still does: quota is requested once it accepts
// the objects in a dry run.
func (pn *planner) stillRejected(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *prepared) ([]finding.Finding, error) {
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
	now := startOf{start.Run, ready.inputs}
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
	plan.Outside = true // it is tried again
	pn.lookAgain(last.until.Sub(pn.Clock.Now()))
	return []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: last.message}}, nil
}

// dryRun returns why the API server rejects the objects of a start; empty if it accepts them, or may accept them later as they are.
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
