// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fencing

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// stop is a moment at which the leader is stopped.
type stop struct {
	// moment is the write that it is about to send, and nth the number of that write among those of its kind.
	moment string
	nth    int
	// held: the write is held back and sent when the process continues, as if the process had been stopped just before
	// it. Otherwise it is sent at once, and the process receives the answer when it continues.
	held bool
}

var stops = []stop{
	{"ledger", 2, true},
	{"grant", 3, true},
	{"config map", 2, false},
	{"driver", 4, true},
	{"end", 3, true},
	{"ledger", 4, false},
}

// loss is a way in which a stopped leader loses its lease.
type loss struct {
	flags []string
	// handOver happens while the leader is stopped.
	handOver func(*testing.T, *pair)
	// why are the reasons for which it may end when it continues.
	why []string
}

var losses = map[string]loss{
	// It can notice that it has lost its lease as soon as it continues.
	"the lease runs out": {
		flags:    []string{"--leader-election-lease-duration=3s", "--leader-election-renew-deadline=2s", "--leader-election-retry-period=500ms"},
		handOver: func(*testing.T, *pair) {},
		why:      []string{lostLease, lostLedger},
	},
	// It continues with a lease that seems valid for half a minute: both lead, and only the ledger distinguishes them.
	"the lease is given away": {
		flags:    []string{"--leader-election-lease-duration=40s", "--leader-election-renew-deadline=30s", "--leader-election-retry-period=1s"},
		handOver: giveAway,
		why:      []string{lostLedger},
	},
}

// TestStoppedLeader: a leader is stopped in the middle of its work, the other process takes over, and the first one
// continues while the other one is busy. It ends, a third one replaces it, and the same happens to the next leader.
// Pods and grants never hold more than the quota, each attempt has one driver, and no application is lost.
func TestStoppedLeader(t *testing.T) {
	program := harness.Compile(t, "sparkgate")
	for name, l := range losses {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, program, l.flags)
			for i := range stops {
				p.takeOver(&stops[i], &l)
			}
			p.finish()
		})
	}
}

// giveAway empties the lease, as a leader does that steps down.
func giveAway(t *testing.T, p *pair) {
	t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: p.world.Namespace, Name: "sparkgate-leader"}}
	harness.Change(t, lease, func(l *coordinationv1.Lease) {
		l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
	})
}

// stopLeader returns the leader when it is stopped at the given moment.
func (p *pair) stopLeader(at *stop) *process {
	p.t.Helper()
	for {
		tr := &trap{at: at, t: p.t, sprung: make(chan *process, 1)}
		p.trap.Store(tr)
		var stopped *process
		p.until("the leader to come to "+at.moment, func() bool {
			select {
			case stopped = <-tr.sprung:
			default:
			}
			return stopped != nil
		})
		if stopped.holds(p.ledger()) {
			return stopped
		}
		// It has lost its lease already, and is about to notice.
		stopped.wake()
	}
}

// takeOver stops the leader at a moment, lets the other process work, and lets the first one continue.
func (p *pair) takeOver(at *stop, l *loss) {
	p.t.Helper()
	first := p.stopLeader(at)
	l.handOver(p.t, p)
	made := p.driversBut(first)
	p.until("another process to be at work", func() bool { return p.driversBut(first) >= made+quota })
	if first.holds(p.ledger()) {
		p.t.Error("a process that stands still holds the ledger, and another one makes drivers")
	}
	first.wake()
	p.until("the first process to end", first.hasEnded)
	if why := first.why(); !slices.Contains(l.why, why) {
		p.t.Errorf("process %d has ended for the reason %q, want one of %q", first.number, why, l.why)
	}
	if first.emptied.Load() > 0 {
		p.t.Error("the process that has ended has given the other one's lease back")
	}
	p.keep()
}

// finish lets all drivers end, and checks the results of all applications.
func (p *pair) finish() {
	p.t.Helper()
	close(p.ends)
	p.closed = true
	left := p.apps
	p.until("all applications to succeed", func() bool {
		for len(left) > 0 && p.hasSucceeded(left[0]) {
			left = left[1:]
		}
		return len(left) == 0
	})
	for _, app := range p.apps {
		if diff := gocmp.Diff(map[string]int{"1/1": 1}, p.world.Kubelet.Created(app.UID)); diff != "" {
			p.t.Errorf("drivers of %s by attempt (-want +got):\n%s", app.Name, diff)
		}
	}
	p.world.NothingRuns()
	p.world.Unused()
}

func (p *pair) hasSucceeded(app *v1alpha1.SparkApplication) bool {
	p.t.Helper()
	if err := env.Client().Get(p.t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		p.t.Fatal(err)
	}
	return harness.Stage(app) == v1alpha1.SucceededReason
}
