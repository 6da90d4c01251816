// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fluxcd/pkg/runtime/leaderelection"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// defaults are the default values of the operator's flags.
var defaults = leaderelection.Options{LeaseDuration: 10 * time.Second, RenewDeadline: 6 * time.Second, RetryPeriod: time.Second}

// The operator's other clients use the same configuration. With the timeout of the lease client, each of their watches
// would restart every few seconds.
func TestTheConfigurationIsLeftAlone(t *testing.T) {
	t.Parallel()
	config := &rest.Config{Host: "https://127.0.0.1:1"}
	if _, err := NewLock(config, "sparkgate-0", defaults, &Installation{Namespace: "sparkgate-system"}); err != nil {
		t.Fatal(err)
	}
	if config.Timeout != 0 || config.UserAgent != "" {
		t.Errorf("timeout %s and user agent %q are left in the configuration of all clients", config.Timeout, config.UserAgent)
	}
}

func TestALeaseNeedsANamespace(t *testing.T) {
	t.Setenv(namespaceVariable, "")
	if _, err := Namespace(); err == nil {
		t.Error("a lease in no namespace is prepared")
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct{ duration, deadline, retry, want time.Duration }{
		{10 * s, 6 * s, s, 3 * s},
		{15 * s, 10 * s, 2 * s, 3 * s},
		{60 * s, 10 * s, s, 5 * s}, // two attempts at least within the deadline
		{10 * s, 9 * s, s, s},      // each retry period, as client-go has it
		{15 * s, 14 * s, 4 * s, 4 * s},
	} {
		of := leaderelection.Options{LeaseDuration: c.duration, RenewDeadline: c.deadline, RetryPeriod: c.retry}
		if got := renewInterval(of); got != c.want {
			t.Errorf("%v: every %s, not %s", of, got, c.want)
		}
	}
}

// written is a lock that records writes, and fails with an error while one is set.
type written struct {
	resourcelock.Interface
	records []resourcelock.LeaderElectionRecord
	fails   error
}

func (*written) Identity() string { return "me" }

func (w *written) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &w.records[len(w.records)-1], nil, nil
}

func (w *written) Update(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	if w.fails == nil {
		w.records = append(w.records, record)
	}
	return w.fails
}

// TestRenewals makes the calls that client-go makes of a lock: a renewal every second.
func TestRenewals(t *testing.T) {
	t.Parallel()
	start, refused := time.Now(), errors.New("conflict")
	w := &written{records: []resourcelock.LeaderElectionRecord{{HolderIdentity: "other"}}}
	l := &own{Interface: w, interval: renewInterval(defaults), alone: func(context.Context) error { return nil }}
	if _, _, err := l.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	for second, c := range []struct {
		holder string
		fails  error
		writes int // so far
		want   error
	}{
		0:  {holder: "", want: errNotOurs}, // the other one's
		1:  {holder: "me", writes: 1},      // taken
		2:  {holder: "me", writes: 1},
		3:  {holder: "me", writes: 1},
		4:  {holder: "me", writes: 2},
		5:  {holder: "me", writes: 2},
		6:  {holder: "me", writes: 2},
		7:  {holder: "me", writes: 2, fails: refused, want: refused},
		8:  {holder: "me", writes: 3}, // not left out after a write that failed
		9:  {holder: "me", writes: 3},
		10: {holder: "", writes: 4}, // given back at once
	} {
		w.fails = c.fails
		record := resourcelock.LeaderElectionRecord{HolderIdentity: c.holder, RenewTime: metav1.NewTime(start.Add(time.Duration(second) * time.Second))}
		if err := l.Update(t.Context(), record); !errors.Is(err, c.want) {
			t.Errorf("second %d: %v", second, err)
		}
		if got := len(w.records) - 1; got != c.writes {
			t.Errorf("second %d: %d writes, want %d", second, got, c.writes)
		}
	}
}
