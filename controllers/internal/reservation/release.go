// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
)

// Release releases whatever the key holds or asks for at every gate, because it may have asked another one before. It
// continues after errors and returns all of them.
func (g Gates) Release(ctx context.Context, key queueing.Key, how queueing.Release) (failed error) {
	for name := range g {
		failed = errors.Join(failed, g.releaseAt(ctx, name, key, how))
	}
	return failed
}

func (g Gates) releaseAt(ctx context.Context, name string, key queueing.Key, how queueing.Release) error {
	if err := g[name].Release(ctx, key, how); err != nil {
		return fmt.Errorf("release at gate %s: %w", name, err)
	}
	return nil
}

// Forget makes every gate delete what it keeps about an attempt that has ended.
func (g Gates) Forget(ctx context.Context, key queueing.Key, run, attempt int64) error {
	for name, gate := range g {
		observer, keeps := gate.(queueing.ProgressObserver)
		if !keeps {
			continue
		}
		if err := observer.Forget(ctx, key, run, attempt); err != nil {
			return fmt.Errorf("forget attempt %d of run %d at gate %s: %w", attempt, run, name, err)
		}
	}
	return nil
}

// Orphaned reports to the gates that the asker is gone while pods of it run, and returns the grant that stays charged
// for them. It returns false if another system charges them.
func (g Gates) Orphaned(key queueing.Key) (queueing.Grant, bool) {
	grant := queueing.Grant{}
	for name, gate := range g {
		if tracker, tracks := gate.(queueing.OrphanTracker); tracks {
			if held, holds := tracker.Orphaned(key); holds {
				grant = held
			}
		} else if slices.Contains(g.keysAt(name, key), key) {
			return grant, false
		}
	}
	return grant, true
}
