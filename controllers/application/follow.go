// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/queueing"
)

// follow tells the gate of the grant where its attempt stands.
func (p *pass) follow(ctx context.Context) error {
	at, runs := lifecycle.Progress(p.app)
	if !runs {
		return nil
	}
	gate, follows := p.Gates[p.gateName()].(queueing.Follower)
	if !follows {
		return nil
	}
	if err := gate.Follow(ctx, keyOf(p.app), at); err != nil {
		return fmt.Errorf("report progress to gate %s: %w", p.gateName(), err)
	}
	return nil
}

// farewell is how the application leaves what it held or asked for.
func (p *pass) farewell() queueing.Farewell {
	f := lifecycle.Farewell(p.app)
	v := p.o.Verdict
	if goesBack := v != nil && (v.State == queueing.Evicting || p.plan != nil && lifecycle.Outdated(p.plan, v)); goesBack && f.Left == queueing.LeftForGood {
		f.Left, f.Message = queueing.LeftToAskAgain, "releases its quota before using it"
	}
	return f
}

// forget makes the gates delete what they keep of an ended attempt.
func (p *pass) forget(ctx context.Context, of attempt) error {
	for name, gate := range p.Gates {
		follower, keeps := gate.(queueing.Follower)
		if !keeps {
			continue
		}
		if err := follower.Forget(ctx, keyOf(p.app), of.run, of.attempt); err != nil {
			return fmt.Errorf("forget attempt %d of run %d at gate %s: %w", of.attempt, of.run, name, err)
		}
	}
	return nil
}
