// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// Waiting costs no reads. An application that has asked and waits for its turn goes by what was found when it asked, however often it is looked
// at. Once its gate has granted that, and before the grant is used, everything is looked at again: what has changed in between gives the grant
// back.

// recalls reports whether a pass may go by what an earlier one found out about the start, without looking at what the application refers to. One
// that has not been told yet that it waits may do so for a short time; so may one that cannot be admitted as things stand, because what it refers to
// may have been corrected.
func (p *pass) recalls(ctx context.Context, ready *prepared) (bool, error) {
	if ready == nil || p.turn {
		return false, nil
	}
	stage, _ := status.StageOf(p.app.Status.Conditions)
	switch stage {
	case status.Queued, status.Preempted, status.Deactivated:
	case status.New, status.AttemptFailed, status.ExceedsQuota, status.FlavorMismatch:
		if !p.Clock.Now().Before(ready.looked.Add(presenceTTL)) {
			return false, nil
		}
	default:
		return false, nil
	}
	_, version, err := p.environment(ctx)
	return ready.validFor(version, p.target), err
}

// takeTurn plans anew what a gate has granted on the strength of what an earlier pass found.
func (p *pass) takeTurn(ctx context.Context, start lifecycle.Start) (err error) {
	if !p.recalled || p.o.Verdict.State != queueing.Granted {
		return nil
	}
	p.turn = true
	p.plan, err = p.planned(ctx, start)
	p.o.Plan = p.plan
	return err
}

// goneSince names what was found missing while the start was built: it has gone since it was last seen.
func (p *pass) goneSince(err error) []string {
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		return []string{p.noConfigMap(string(gone), "spec.sparkConfigMap")}
	case err == nil && p.secrets != nil:
		return p.secrets.missing
	}
	return nil
}

func (p *pass) noConfigMap(name, field string) string {
	return fmt.Sprintf("ConfigMap %q named by %s does not exist in namespace %s", name, field, p.app.Namespace)
}
