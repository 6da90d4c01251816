// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package operators

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// readsPerTimeout is how many times per Options.Timeout the lease of another operator is read.
	readsPerTimeout = 6
	// maxGoneAge is how long an operator with an expired lease counts as gone before the lease is read again. It is
	// less than yield.
	maxGoneAge = time.Second
	// maxKnown bounds how many other operators are remembered, because their names come from objects that users may
	// write.
	maxKnown = 64
)

// Options configure Operators.
type Options struct {
	// Namespace is the namespace of this operator, and also its name.
	Namespace string
	// Lease is the name of the lease that the leader of every operator holds in its namespace.
	Lease string
	// Timeout is how long another operator may go without renewing its lease before it counts as gone.
	Timeout time.Duration
	// Live reads leases from the API server.
	Live  client.Reader
	Clock clock.Clock
	Log   logr.Logger
}

// Operators knows this operator and the others that it has met. A nil Operators knows no others. It is safe for
// concurrent use; a call blocks while a lease is being read only if that lease was never read before.
type Operators struct {
	o  Options
	mu sync.Mutex
	// met holds other operators by name.
	met map[string]*other
}

// other is what is known about another operator.
type other struct {
	// reading is held while the operator's lease is read.
	reading sync.Mutex
	alive   atomic.Bool
	// read is when the lease was last read; nil if never.
	read atomic.Pointer[time.Time]
	// left is true if something was left to the operator.
	left atomic.Bool
}

// New returns an Operators that has met no other operator.
func New(o Options) *Operators { return &Operators{o: o, met: map[string]*other{}} }

// Name returns the name of this operator, or the empty string if it has none.
func (o *Operators) Name() string {
	if o == nil {
		return ""
	}
	return o.o.Namespace
}

// Other reports whether a name is that of another operator that is alive. The caller must leave to that operator what
// bears its name.
func (o *Operators) Other(ctx context.Context, name string) bool {
	if o == nil || name == "" || name == o.o.Namespace || len(validation.IsDNS1123Label(name)) > 0 {
		return false
	}
	seen := o.meet(name)
	if seen == nil {
		return false
	}
	o.readLease(ctx, name, seen)
	if !seen.alive.Load() {
		return false
	}
	if seen.left.CompareAndSwap(false, true) {
		o.follow(name, seen)
		o.o.Log.Info("Leaving to another operator what it has taken before", "operator", name)
	}
	return true
}

// meet returns what is known about another operator. It returns nil if too many are known to add one. To make space, it
// forgets operators that are gone and that no object has named for Timeout. So invented names cost at most maxKnown
// reads in that time.
func (o *Operators) meet(name string) *other {
	o.mu.Lock()
	defer o.mu.Unlock()
	if seen := o.met[name]; seen != nil {
		return seen
	}
	if len(o.met) >= maxKnown {
		maps.DeleteFunc(o.met, func(_ string, seen *other) bool {
			last := seen.read.Load()
			return last != nil && o.o.Clock.Since(*last) > o.o.Timeout && !seen.alive.Load() && !seen.left.Load()
		})
	}
	if len(o.met) >= maxKnown {
		return nil
	}
	seen := &other{}
	o.met[name] = seen
	return seen
}

// follow makes Start watch an operator, even if it was just forgotten.
func (o *Operators) follow(name string, seen *other) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.met[name] = seen
}

// readLease reads the lease of another operator, unless that was done recently or is being done. In these cases the
// previous result is used.
func (o *Operators) readLease(ctx context.Context, name string, seen *other) {
	if seen.read.Load() == nil {
		seen.reading.Lock()
	} else if !seen.reading.TryLock() {
		return
	}
	defer seen.reading.Unlock()
	now, last := o.o.Clock.Now(), seen.read.Load()
	fresh := o.o.Timeout / readsPerTimeout
	if !seen.alive.Load() {
		fresh = min(fresh, maxGoneAge)
	}
	if last != nil && now.Sub(*last) < fresh {
		return
	}
	lease := &coordinationv1.Lease{}
	switch err := o.o.Live.Get(ctx, types.NamespacedName{Namespace: name, Name: o.o.Lease}, lease); {
	case err == nil:
		// A time far in the future would keep an operator alive until then, and any account that may create leases
		// could write one.
		seen.alive.Store(now.Sub(renewed(lease)).Abs() <= o.o.Timeout)
	case apierrors.IsNotFound(err):
		seen.alive.Store(false)
	default: // it may be alive
		seen.alive.Store(seen.alive.Load() || last == nil)
		o.o.Log.Error(err, "Failed to read the lease of another operator", "namespace", name, "lease", o.o.Lease)
	}
	seen.read.Store(&now)
}

// renewed returns when the holder of a lease last showed that it is alive.
func renewed(lease *coordinationv1.Lease) time.Time {
	if at := lease.Spec.RenewTime; at != nil {
		return at.Time
	}
	return lease.CreationTimestamp.Time
}

// ErrGone ends a manager because another operator no longer exists to which this one has left something.
var ErrGone = errors.New("another operator is gone")

// NeedLeaderElection returns true, because only a leader leaves anything to others.
func (o *Operators) NeedLeaderElection() bool { return true }

// Start watches the operators to which something was left. It returns ErrGone once one of them is gone. Then this
// process restarts, because only a new leader takes everything over in a safe order.
func (o *Operators) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-o.o.Clock.After(o.o.Timeout / readsPerTimeout):
		}
		if name := o.gone(ctx); name != "" {
			return fmt.Errorf("%w: the lease %s in namespace %s was not renewed for %s, and this operator takes over what the other one has left",
				ErrGone, o.o.Lease, name, o.o.Timeout)
		}
	}
}

// gone returns an operator to which something was left and that no longer exists, or the empty string if there is none.
func (o *Operators) gone(ctx context.Context) string {
	o.mu.Lock()
	met := maps.Clone(o.met)
	o.mu.Unlock()
	for name, seen := range met {
		if !seen.left.Load() {
			continue
		}
		if o.readLease(ctx, name, seen); !seen.alive.Load() {
			return name
		}
	}
	return ""
}
