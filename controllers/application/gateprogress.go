// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/queueing"
)

// reportProgress tells the gate of the grant where its attempt stands.
func (p *pass) reportProgress(ctx context.Context) error {
	at, runs := lifecycle.Progress(p.app)
	if !runs {
		return nil
	}
	return p.Gates.Report(ctx, p.gateName(), keyOf(p.app), at)
}

// releaseReason returns how the application leaves what it held or asked for.
func (p *pass) releaseReason() queueing.Release {
	f := lifecycle.ReleaseReason(p.app)
	v := p.o.Verdict
	if goesBack := v != nil && (v.State == queueing.Evicting || p.plan != nil && lifecycle.Outdated(p.plan, v)); goesBack && f.Reason == queueing.Abandoned {
		f.Reason, f.Message = queueing.Requeued, "releases its quota before using it"
	}
	return f
}
