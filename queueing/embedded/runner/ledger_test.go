// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cancelled is a reader whose process is told to end while it reads.
type cancelled struct {
	client.Reader
	cancel context.CancelFunc
}

func (c cancelled) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	c.cancel()
	return fmt.Errorf("client rate limiter Wait returned an error: %w", ctx.Err())
}

// An operator that is told to end while it takes over the ledger of a new tree ends; it does not crash.
func TestEndsWhileALedgerIsTakenOver(t *testing.T) {
	t.Parallel()
	r, _, _ := measured(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r.o.Live = cancelled{r.o.Live, cancel}
	if l, err := r.ledgerOf(ctx, "team-a"); err == nil {
		t.Errorf("ledger %+v without an error", l)
	}
}
