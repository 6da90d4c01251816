// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

// strict is an API server on which service accounts have no permissions.
type strict struct {
	clock *testingclock.FakeClock
	cost  int
	asked []types.NamespacedName
}

func (s *strict) Cost(types.NamespacedName, []rights.Right) int { return s.cost }

func (s *strict) Lacking(_ context.Context, account types.NamespacedName, needed []rights.Right) ([]rights.Right, time.Time, error) {
	s.asked = append(s.asked, account)
	return needed, s.clock.Now().Add(4 * time.Second), nil
}

// TestMissingRights: missing permissions of the driver's account are handled like missing references. They are checked
// again when they may have changed, within the budget of the namespace, and not while the application waits in line.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	s, apps := crowd(t, 2)
	reviewer := &strict{clock: s.clock}
	s.rights = reviewer
	first, plan := s.plan(apps[0], lifecycle.Start{Run: 1, Attempt: 1})
	if len(plan.Missing) != 1 || !strings.HasPrefix(plan.Missing[0], `ServiceAccount "`) || len(plan.PodSets) > 0 {
		t.Fatalf("plan %+v; want only the missing rights of the service account", plan)
	}
	if account := reviewer.asked[0]; account.Namespace != apps[0].Namespace || account.Name == "" {
		t.Errorf("asked of %s", account)
	}
	if first.planned.Requeue != 4*time.Second {
		t.Errorf("it looks again after %s", first.planned.Requeue)
	}

	ready := first.planner.Plans.Prepared(apps[0].Generation, lifecycle.AttemptID{Run: 1, Attempt: 1})
	waits := &draft{app: apps[0], ready: ready}
	waits.ReusesChecks = true
	if missing, err := s.over(apps[0]).planner.missingRights(t.Context(), waits); err != nil || len(missing) > 0 || len(reviewer.asked) != 1 {
		t.Errorf("asked %d times while it waits: %v, %v", len(reviewer.asked), missing, err)
	}

	s.lookups.budget.Spend(apps[1].Namespace, 2*readBurst)
	var later *requeue.Error
	if _, err := s.over(apps[1]).planner.missingRights(t.Context(), &draft{app: apps[1], ready: ready}); err != nil {
		t.Errorf("answers that are remembered cost a turn: %v", err)
	}
	reviewer.cost = 6
	if _, err := s.over(apps[1]).planner.missingRights(t.Context(), &draft{app: apps[1], ready: ready}); !errors.As(err, &later) {
		t.Errorf("reviews are free: %v", err)
	}
}
