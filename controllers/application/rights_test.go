// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
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
	s.r.Rights = reviewer
	start := lifecycle.Start{Run: 1, Attempt: 1}
	first := passOver(s.r, apps[0])
	plan, err := first.planner.planStart(t.Context(), start)
	if err != nil || len(plan.Missing) != 1 || !strings.HasPrefix(plan.Missing[0], `ServiceAccount "`) || len(plan.PodSets) > 0 {
		t.Fatalf("plan %+v, error %v; want only the missing rights of the service account", plan, err)
	}
	if account := reviewer.asked[0]; account.Namespace != apps[0].Namespace || account.Name == "" {
		t.Errorf("asked of %s", account)
	}
	if first.requeueAfter != 4*time.Second {
		t.Errorf("it looks again after %s", first.requeueAfter)
	}

	ready := passOver(s.r, apps[0]).record.Plans.Prepared(apps[0].Generation, lifecycle.AttemptID{Run: 1, Attempt: 1})
	waits := passOver(s.r, apps[0])
	waits.planner.reusesChecks = true
	if missing, err := waits.planner.missingRights(t.Context(), ready); err != nil || len(missing) > 0 || len(reviewer.asked) != 1 {
		t.Errorf("asked %d times while it waits: %v, %v", len(reviewer.asked), missing, err)
	}

	s.r.lookups.budget.Spend(apps[1].Namespace, 2*readBurst)
	var later *retryLaterError
	if _, err := passOver(s.r, apps[1]).planner.missingRights(t.Context(), ready); err != nil {
		t.Errorf("answers that are remembered cost a turn: %v", err)
	}
	reviewer.cost = 6
	if _, err := passOver(s.r, apps[1]).planner.missingRights(t.Context(), ready); !errors.As(err, &later) {
		t.Errorf("reviews are free: %v", err)
	}
}
