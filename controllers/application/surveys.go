// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
)

// surveys collects questions whether applications have objects without owners. One survey answers all questions asked
// before it began: a restart during a large deletion raises thousands, and a list for each would take time quadratic in
// their number. It is safe for concurrent use.
type surveys struct {
	perApp[survey]
	// asked signals that there is an open question.
	asked chan struct{}
}

// survey is a question about one application, and its answer.
type survey struct {
	open, answered bool
	// hasOrphans is the answer.
	hasOrphans bool
}

func newSurveys() *surveys {
	return &surveys{perApp: newPerApp[survey](), asked: make(chan struct{}, 1)}
}

// hasOrphans reports whether an application has objects without owners. If that is not known, it requests a survey,
// which wakes the application when it is done.
func (s *surveys) hasOrphans(app *v1alpha1.SparkApplication) (hasOrphans, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.of(app)
	if !q.answered && !q.open {
		q.open = true
		select {
		case s.asked <- struct{}{}:
		default:
		}
	}
	return q.hasOrphans, q.answered
}

// opened returns the applications with an open question, by uid.
func (s *surveys) opened() map[types.UID]types.NamespacedName {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[types.UID]types.NamespacedName{}
	for name, e := range s.apps {
		if e.known.open {
			open[e.uid] = name
		}
	}
	return open
}

// answer answers these questions. Questions of applications that were forgotten meanwhile are ignored.
func (s *surveys) answer(asked map[types.UID]types.NamespacedName, orphans map[types.UID]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, name := range asked {
		if e := s.apps[name]; e != nil && e.uid == uid {
			e.known = survey{answered: true, hasOrphans: orphans[uid]}
		}
	}
}

// Surveyor answers for many applications at once which of them have objects without owners.
type Surveyor struct {
	*Reconciler
	// Waker triggers passes over applications.
	Waker *waker.Waker
	// Pauses is the clock for the pauses between retries.
	Pauses clock.Clock
}

// NeedLeaderElection returns true, because only a leader asks.
func (s *Surveyor) NeedLeaderElection() bool { return true }

// Start answers questions until ctx is done.
func (s *Surveyor) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.surveys.asked:
		}
		for err := s.answerAll(ctx); err != nil; err = s.answerAll(ctx) {
			ctrl.LoggerFrom(ctx).Error(err, "Failed to list objects that applications may leave behind when they are deleted; will retry", "applications", len(s.surveys.opened()))
			select {
			case <-ctx.Done():
				return nil
			case <-s.Pauses.After(surveyRetryPause):
			}
		}
	}
}

// surveyRetryPause is the pause after a failed survey.
const surveyRetryPause = 5 * time.Second

// answerAll makes one survey for all open questions. A namespace whose objects cannot be listed leaves only the questions
// of its own applications open. The lists are read without a resource version, so they are not older than the questions.
func (s *Surveyor) answerAll(ctx context.Context) error {
	asked, orphans := s.surveys.opened(), map[types.UID]bool{}
	for uid, name := range asked {
		for _, record := range s.Pods.Of(name) {
			orphans[uid] = orphans[uid] || record.AppUID == string(uid) && record.OwnerUID == ""
		}
	}
	var failed []error
	for _, namespace := range s.namespacesOf(asked) {
		if err := s.findOrphans(ctx, namespace, asked, orphans); err != nil {
			failed = append(failed, err)
			maps.DeleteFunc(asked, func(_ types.UID, name types.NamespacedName) bool {
				return namespace == metav1.NamespaceAll || name.Namespace == namespace
			})
		}
	}
	s.surveys.answer(asked, orphans)
	for _, name := range asked {
		s.Waker.Wake(name)
	}
	return errors.Join(failed...)
}

// findOrphans adds the applications that have objects without owners in a namespace.
func (s *Surveyor) findOrphans(ctx context.Context, namespace string, asked map[types.UID]types.NamespacedName, orphans map[types.UID]bool) error {
	for _, kind := range slices.Concat(leftover.Listed, s.GateKinds) {
		err := livemeta.Each(ctx, s.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			if of := leftover.Of(obj); len(obj.OwnerReferences) == 0 && asked[of.UID] == of.NamespacedName {
				orphans[of.UID] = true
			}
			return nil
		}, client.InNamespace(namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel})
		if err != nil {
			return fmt.Errorf("look for objects without owners: %w", err)
		}
	}
	return nil
}

// fewNamespaces is the number of namespaces up to which they are listed one by one.
const fewNamespaces = 4

// namespacesOf returns the namespaces to list.
func (s *Surveyor) namespacesOf(asked map[types.UID]types.NamespacedName) []string {
	own := map[string]bool{}
	for _, name := range asked {
		own[name.Namespace] = true
	}
	if len(own) > fewNamespaces {
		return s.Namespaces.Scopes()
	}
	return slices.Sorted(maps.Keys(own))
}
