// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// underWay returns an application whose first run holds a grant.
func underWay(t *testing.T) (*shelf, *v1alpha1.SparkApplication) {
	t.Helper()
	s, apps := crowd(t, 1)
	apps[0].Status.Run, apps[0].Status.Grant = 1, &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded}
	return s, apps[0]
}

// next plans the next run, in a pass of its own.
func (s *shelf) next(app *v1alpha1.SparkApplication) *lifecycle.Plan {
	s.t.Helper()
	_, plan := s.plan(app, lifecycle.Start{Run: 2, Attempt: 1})
	return plan
}

// TestNextRunIsPlannedInTurn: a namespace that has used up its budget of reads gets no reads for the runs that follow
// the current ones, however often these are looked at. Errors found before are kept until then.
func TestNextRunIsPlannedInTurn(t *testing.T) {
	t.Parallel()
	s, app := underWay(t)
	s.lookups.budget.Spend(app.Namespace, 3*readBurst)
	before := s.reads
	for range 5 {
		if plan := s.next(app); len(plan.Missing) != 1 || !strings.Contains(plan.Missing[0], "budget of reads") {
			t.Fatalf("planned out of turn: %+v", plan)
		}
	}
	if s.reads != before {
		t.Errorf("%d reads beyond the budget", s.reads-before)
	}
	s.clock.Step(time.Minute)
	if plan := s.next(app); len(plan.Missing)+len(plan.Findings) > 0 || plan.PodSets == nil {
		t.Errorf("in turn it is not planned: %+v", plan)
	}

	if err := s.live.Delete(t.Context(), configMap("")); err != nil {
		t.Fatal(err)
	}
	s.clock.Step(time.Minute)
	missing := s.next(app)
	s.lookups.budget.Spend(app.Namespace, 3*readBurst)
	s.clock.Step(memory.HeldBackTTL)
	if plan := s.next(app); len(plan.Missing) != 1 || plan != missing {
		t.Errorf("what is missing is forgotten: %+v", plan)
	}
}

// TestNextRunThatCannotBePlanned: decisions on the current attempt continue while the API server does not answer what
// the next run needs.
func TestNextRunThatCannotBePlanned(t *testing.T) {
	t.Parallel()
	s, app := underWay(t)
	s.from = interceptor.NewClient(s.live, interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("etcdserver: request timed out")
		},
	})
	if plan := s.next(app); len(plan.Missing) != 1 || !strings.Contains(plan.Missing[0], "tries again") {
		t.Errorf("planned as %+v", plan)
	}
	s.from = s.live
	s.clock.Step(memory.HeldBackTTL)
	if plan := s.next(app); len(plan.Missing)+len(plan.Findings) > 0 {
		t.Errorf("once it answers, planned as %+v", plan)
	}
}
