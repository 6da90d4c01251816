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
	// quota is the number of applications that the queue has quota for, line the number that have not ended.
	quota, line = 4, 30
	// patience is how long a test waits for an expected event; it matters only if the event does not occur.
	patience = 90 * time.Second
	// mostStarts is the largest number of starts of the program: a process may lose its lease because the machine is
	// busy, but not all the time.
	mostStarts = 30
)

// trap stops the process that sends a certain write. Only a leader sends any.
type trap struct {
	at *stop
	t  *testing.T
	// seen counts the writes of that kind so far, of all processes.
	seen atomic.Int32
	// sprung receives the process that was stopped.
	sprung chan *process
}

// meet decides what happens to a write of a process.
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

// pair is two processes of the operator with their work: a queue with quota for a few applications, and a line of
// others that ends only when the test ends it.
type pair struct {
	t       *testing.T
	program string
	flags   []string
	world   *harness.World
	trap    atomic.Pointer[trap]

	// processes have not ended, or have ended only now.
	processes []*process
	starts    int
	// gone counts the drivers that the processes have created and that no longer run.
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
	p.world = harness.NewWorld(t, fmt.Sprintf("%dMi", quota*each+100), &harness.Kubelet{Run: p.run})
	p.world.History.MemoryLimit = (quota*each + 100) << 20
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

// deleteLeases deletes the leases that the last processes, which were killed, could not release: otherwise those of the
// next test would leave the work to them for a minute, and then restart to take over.
func (p *pair) deleteLeases() {
	err := env.Client().DeleteAllOf(context.WithoutCancel(p.t.Context()), &coordinationv1.Lease{}, client.InNamespace(p.world.Namespace))
	if err != nil {
		p.t.Errorf("delete the leases in %s: %v", p.world.Namespace, err)
	}
}

// run plays the life of a driver.
func (p *pair) run(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
	k.RunUntil(ctx, driver, p.ends)
}

// apply adds an application to the line. Later on, every third one goes to the front, so that the order depends on
// which changes a process has seen.
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

// turn lets one driver end, if any runs, and adds the next application.
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

// keep replaces processes that have ended. They may end only because another one has taken over.
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

// until keeps both processes and the queue busy until done returns true.
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

// driversBut returns the number of drivers that processes other than the given one have created.
func (p *pair) driversBut(but *process) int32 {
	made := p.gone
	for _, s := range p.processes {
		if s != but {
			made += s.drivers.Load()
		}
	}
	return made
}

// ledger returns the stored ledger of the queue.
func (p *pair) ledger() *v1alpha1.Ledger {
	p.t.Helper()
	queue := p.world.Queue.DeepCopy()
	harness.Eventually(p.t, queue, "led", func(q *v1alpha1.SparkQueue) bool { return q.Status.Ledger != nil })
	return queue.Status.Ledger
}
