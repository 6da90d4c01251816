// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package accountrights

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

const (
	// allowedTTL is how long an account counts as having a right after a review.
	allowedTTL = 5 * time.Minute
	// firstPause is how long a right counts as missing at first: a binding that was created together with the
	// application may not have reached the API server's authorizer yet. The pause doubles with every review, up to
	// maxPause.
	firstPause = time.Second
	maxPause   = time.Minute
	// forgetAfter is how long the pause of a right is remembered when nothing asks for it.
	forgetAfter = 10 * time.Minute
	// offFor is how long no review is created after the API server has forbidden one.
	offFor = 5 * time.Minute
)

// Reviewer checks what service accounts may do. It is safe for concurrent use.
type Reviewer struct {
	client client.Client
	clock  clock.PassiveClock
	log    logr.Logger
	known  *cache.Expiring

	mu  sync.Mutex
	off time.Time // no review is created before this time
}

// New returns a Reviewer with an empty cache.
func New(c client.Client, clock clock.Clock, log logr.Logger) *Reviewer {
	return &Reviewer{client: c, clock: clock, log: log, known: cache.NewExpiringWithClock(clock)}
}

// question is one right of one account.
type question struct {
	account types.NamespacedName
	right   rights.Right
}

// answer is whether an account has a right, and until when that is not reviewed again.
type answer struct {
	allowed bool
	until   time.Time
	pause   time.Duration
}

// lookup returns the last answer, and whether it is still fresh.
func (r *Reviewer) lookup(q question) (last answer, fresh bool) {
	known, ok := r.known.Get(q)
	if !ok {
		return answer{}, false
	}
	last = known.(answer)
	return last, r.clock.Now().Before(last.until)
}

// Cost returns how many reviews Lacking would make now.
func (r *Reviewer) Cost(account types.NamespacedName, needed []rights.Right) int {
	if r.isOff() {
		return 0
	}
	n := 0
	for _, right := range needed {
		if _, fresh := r.lookup(question{account, right}); !fresh {
			n++
		}
	}
	return n
}

// Lacking returns which of the needed rights a service account does not have, and until when that is not reviewed
// again. Rights that cannot be reviewed count as present, because the operator may not be allowed to create reviews.
func (r *Reviewer) Lacking(ctx context.Context, account types.NamespacedName, needed []rights.Right) (lacking []rights.Right, until time.Time, err error) {
	for _, right := range needed {
		q := question{account, right}
		last, fresh := r.lookup(q)
		if !fresh {
			if r.isOff() {
				return nil, time.Time{}, nil
			}
			allowed, err := r.review(ctx, q)
			switch {
			case apierrors.IsForbidden(err):
				r.turnOff(err)
				return nil, time.Time{}, nil
			case err != nil:
				return nil, time.Time{}, fmt.Errorf("review access of service account %s: %w", account, err)
			}
			last = r.note(q, last, allowed)
		}
		if !last.allowed {
			lacking = append(lacking, right)
			if last.until.After(until) {
				until = last.until
			}
		}
	}
	return lacking, until, nil
}

// review asks the API server. A right that its authorizers could not evaluate counts as present.
func (r *Reviewer) review(ctx context.Context, q question) (allowed bool, err error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   "system:serviceaccount:" + q.account.Namespace + ":" + q.account.Name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + q.account.Namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: q.account.Namespace, Verb: q.right.Verb, Version: "v1", Resource: q.right.Resource,
		},
	}}
	if err := r.client.Create(ctx, review); err != nil {
		return false, err
	}
	return review.Status.Allowed || !review.Status.Denied && review.Status.EvaluationError != "", nil
}

// note caches an answer and returns it.
func (r *Reviewer) note(q question, last answer, allowed bool) answer {
	now := r.clock.Now()
	if allowed {
		noted := answer{allowed: true, until: now.Add(allowedTTL)}
		r.known.Set(q, noted, allowedTTL)
		return noted
	}
	noted := answer{pause: firstPause}
	if last.pause > 0 {
		noted.pause = min(2*last.pause, maxPause)
	}
	noted.until = now.Add(noted.pause)
	r.known.Set(q, noted, forgetAfter)
	return noted
}

// isOff reports whether reviews are turned off because the API server has forbidden them.
func (r *Reviewer) isOff() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock.Now().Before(r.off)
}

// turnOff turns reviews off for offFor, and logs this the first time.
func (r *Reviewer) turnOff(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off.IsZero() {
		r.log.Info("The rights of drivers are not checked: the operator may not create SubjectAccessReviews; ClusterRole sparkgate-operator allows it", "error", err.Error())
	}
	r.off = r.clock.Now().Add(offFor)
}
