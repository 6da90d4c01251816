// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fencing

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	// room is for how many applications the queue has quota, line how many there are that have not ended.
	room, line = 4, 30
	// patience is how long a test waits for something that should come; it only matters where it does not.
	patience = 90 * time.Second
	// mostStarts bounds how often the program is started: a process may lose its lease because the machine is busy, but not all the time.
	mostStarts = 30
)

// trap stops the process that makes a certain write. Only a leader makes any.
type trap struct {
	at *stop
	t  *testing.T
	// seen are the writes of that kind so far, of all processes.
	seen atomic.Int32
	// sprung gets the process that was stopped.
	sprung chan *process
}

// meet says what happens to a write of a process.
func (tr *trap) meet(s *process, r *http.Request) harness.Fault {
	if tr == nil || !moments[tr.at.moment](r) || tr.seen.Add(1) != int32(tr.at.nth) {
		return harness.None
	}
	if err := s.stop(); err != nil {
		tr.t.Error(err)
	}
	tr.sprung <- s
	if tr.at.held {
		return harness.Hang
	}
	return harness.None
}

// pair is two processes of the operator and what they work on: a queue with quota for a few applications, and a line of others that does
// not end before the test lets it.
type pair struct {
	t       *testing.T
	program string
	flags   []string
	world   *harness.World
	trap    atomic.Pointer[trap]

	processes []*process // that have not ended, or have ended just now
	starts    int
	// gone are the drivers that the processes have asked for that no longer run.
	gone int32
	apps []*v1alpha1.SparkApplication
	// ends lets one driver end for each value, and all of them once it is closed.
	ends   chan struct{}
	closed bool
}

func newPair(t *testing.T, program string, flags []string) *pair {
	t.Helper()
	p := &pair{t: t, program: program, flags: flags, ends: make(chan struct{})}
	const each = 3 * 896 // MiB of an application's three pods
	p.world = harness.NewWorld(t, fmt.Sprintf("%dMi", room*each+100), &harness.Kubelet{Run: p.run})
	p.world.History.MemoryLimit = (room*each + 100) << 20
	t.Cleanup(p.deleteLeases)
	harness.Change(t, p.world.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.PriorityClassNames = []string{"system-cluster-critical"} })
	for range line {
		p.apply()
	}
	for range 2 {
		p.start()
	}
	return p
}

// deleteLeases removes what the last processes, which were killed, could not give back: for a minute, those of the next test would leave
// to them what was theirs, and then start again to take it over.
func (p *pair) deleteLeases() {
	err := env.Client().DeleteAllOf(context.WithoutCancel(p.t.Context()), &coordinationv1.Lease{}, client.InNamespace(p.world.Namespace))
	if err != nil {
		p.t.Errorf("delete the leases in %s: %v", p.world.Namespace, err)
	}
}

// run is the life of a driver.
func (p *pair) run(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
	k.RunUntil(ctx, driver, p.ends)
}

// apply gets one more in line. Of those that come later every third one goes to the front, so that the order depends on what a process
// has heard of.
func (p *pair) apply() {
	p.t.Helper()
	n := len(p.apps)
	p.apps = append(p.apps, p.world.Apply(fmt.Sprintf("app-%d", n), func(app *v1alpha1.SparkApplication) {
		if n >= line && n%3 == 0 {
			app.Spec.Queue.PriorityClassName = "system-cluster-critical"
		}
	}))
}

// start adds a process.
func (p *pair) start() {
	p.t.Helper()
	if p.starts++; p.starts > mostStarts {
		p.t.Fatalf("processes end again and again: started %d times", p.starts)
	}
	p.processes = append(p.processes, startProcess(p.t, p, p.starts))
}

// turn lets one driver end, if any runs, and gets in line who comes next.
func (p *pair) turn() {
	p.t.Helper()
	if p.closed {
		return
	}
	select {
	case p.ends <- struct{}{}:
		p.apply()
	default:
	}
}

// keep replaces processes that have ended. They may only end because another one has taken over.
func (p *pair) keep() {
	p.t.Helper()
	for i := 0; i < len(p.processes); i++ {
		s := p.processes[i]
		if !s.hasEnded() {
			continue
		}
		if s.why() == "" {
			p.t.Fatalf("process %d has ended by itself", s.number)
		}
		p.gone += s.drivers.Load()
		p.processes = append(p.processes[:i], p.processes[i+1:]...)
		i--
		p.start()
	}
}

// until keeps both processes and the queue going until something has come about.
func (p *pair) until(what string, done func() bool) {
	p.t.Helper()
	err := wait.PollUntilContextTimeout(p.t.Context(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		if done() {
			return true, nil
		}
		p.keep()
		p.turn()
		return false, nil
	})
	if err != nil {
		p.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// driversBut returns those that others than the given process have asked for.
func (p *pair) driversBut(but *process) int32 {
	made := p.gone
	for _, s := range p.processes {
		if s != but {
			made += s.drivers.Load()
		}
	}
	return made
}

// ledger of the queue, as it is stored.
func (p *pair) ledger() *v1alpha1.Ledger {
	p.t.Helper()
	queue := p.world.Queue.DeepCopy()
	harness.Eventually(p.t, queue, "led", func(q *v1alpha1.SparkQueue) bool { return q.Status.Ledger != nil })
	return queue.Status.Ledger
}
