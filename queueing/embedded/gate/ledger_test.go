// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// cancelled is a reader whose process is stopped while it reads.
type cancelled struct {
	client.Reader
	cancel context.CancelFunc
}

func (c cancelled) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	c.cancel()
	return fmt.Errorf("client rate limiter Wait returned an error: %w", ctx.Err())
}

// An operator that is stopped while it takes over the ledger of a new tree ends without a crash.
func TestEndsWhileALedgerIsTakenOver(t *testing.T) {
	t.Parallel()
	r, _, _ := measured(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r.o.Live = cancelled{r.o.Live, cancel}
	if l, err := r.ledgers.of(ctx, "team-a"); err == nil {
		t.Errorf("ledger %+v without an error", l)
	}
}

// TestEntriesTellKindsApart: an application and an unmanaged pod of the same name have separate entries, and a pod that
// was created by a driver is restored as one that does not count as an application.
func TestEntriesTellKindsApart(t *testing.T) {
	t.Parallel()
	app := queueing.Key{Namespace: "team", Name: "pi", UID: "1"}
	pod := queueing.Key{Kind: "Pod", Namespace: "team", Name: "pi", UID: "1"}
	for key, part := range map[queueing.Key]bool{app: false, pod: true} {
		grant := queueing.Grant{Run: 1, Attempt: 1, Gate: "Embedded", Queue: "team-a", Part: part}
		text, err := v1alpha1.LedgerEntries{InFlight: v1alpha1.LedgerList{entryOf(key, grant)}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		entries, err := (&v1alpha1.Ledger{Entries: text}).Decode()
		if err != nil || len(entries.InFlight) != 1 {
			t.Fatalf("%+v, %v", entries, err)
		}
		entry := entries.InFlight[0]
		if got := keyOf(&entry); got != key {
			t.Errorf("%#v comes back as %#v", key, got)
		}
		if got := grantOf(&entry).Part; got != part {
			t.Errorf("part of %s comes back as %t", key, got)
		}
	}
}
