// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/pkg/runtime/leaderelection"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Name is the name of the lease.
const Name = "sparkgate-leader"

// namespaceVariable is the environment variable with the namespace of the lease, which is the operator's own.
const namespaceVariable = "RUNTIME_NAMESPACE"

// renewInterval returns how often the holder of a lease writes it. client-go would write it every retry period, which
// has to be short, because others check with the same period whether the lease has expired. With fewer writes, a holder
// that can no longer write notices that later: it gives up one retry period and the renew deadline after the last
// renewal, which is still before the lease expires.
func renewInterval(of leaderelection.Options) time.Duration {
	return max(min(of.LeaseDuration-of.RenewDeadline-of.RetryPeriod, of.RenewDeadline/2), of.RetryPeriod)
}

// NewLock returns the lock of an installation's lease for a process that identity names. Each of its requests times out after half of
// the renew deadline. It does not change the configuration, because that timeout would end every watch of other clients.
func NewLock(config *rest.Config, identity string, of leaderelection.Options, in *Installation) (resourcelock.Interface, error) {
	config = rest.CopyConfig(config) // AddUserAgent modifies its argument
	config = rest.AddUserAgent(config, "leader-election")
	config.Timeout = max(of.RenewDeadline/2, time.Second) // one request without an answer must not cost the lease
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client for leases: %w", err)
	}
	lock := &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: in.Namespace, Name: Name}, Client: annotatedLeases{leases, in.annotations()},
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	return &own{Interface: lock, interval: renewInterval(of), alone: in.alone}, nil
}

// annotatedLeases writes leases with annotations.
type annotatedLeases struct {
	coordinationv1client.LeasesGetter
	annotations map[string]string
}

func (a annotatedLeases) Leases(namespace string) coordinationv1client.LeaseInterface {
	return annotatedLease{a.LeasesGetter.Leases(namespace), a.annotations}
}

type annotatedLease struct {
	coordinationv1client.LeaseInterface
	annotations map[string]string
}

func (a annotatedLease) annotate(lease *coordinationv1.Lease) {
	for key, value := range a.annotations {
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, key, value)
	}
}

func (a annotatedLease) Create(ctx context.Context, lease *coordinationv1.Lease, o metav1.CreateOptions) (*coordinationv1.Lease, error) {
	a.annotate(lease)
	return a.LeaseInterface.Create(ctx, lease, o)
}

func (a annotatedLease) Update(ctx context.Context, lease *coordinationv1.Lease, o metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	a.annotate(lease)
	return a.LeaseInterface.Update(ctx, lease, o)
}

// Namespace returns the operator's namespace.
func Namespace() (string, error) {
	namespace := os.Getenv(namespaceVariable)
	if namespace == "" {
		return "", fmt.Errorf("leader election needs the namespace of its lease: set the environment variable %s", namespaceVariable)
	}
	return namespace, nil
}

// errNotOurs is returned when a lease is to be released that another process holds.
var errNotOurs = errors.New("the lease belongs to another process already")

// own is a lock that is released only by its holder, and written no more often than necessary. When a process ends that
// was suspended for longer than its lease lasts, client-go alone would release the lease of its successor. It is not
// safe for concurrent use; client-go makes one call at a time.
type own struct {
	resourcelock.Interface
	interval time.Duration
	// written is when this process last renewed the lease; it is zero if the next renewal has to be written.
	written time.Time
	// seen is the holder of the lease when it was last read. A write succeeds only if no process has written since.
	seen string
	// alone returns an error if another installation covers the same.
	alone func(context.Context) error
	// leads is set once this process has the lease and no other installation covers the same.
	leads bool
}

// Get reads the lease.
func (l *own) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil {
		l.seen = record.HolderIdentity
	}
	return record, raw, err
}

// Create creates the lease, as Update acquires it.
func (l *own) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.acquire(ctx, record, l.Interface.Create)
}

// Update writes the lease. It skips a renewal that is not needed yet.
func (l *own) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	holds := l.seen == l.Identity()
	if givesBack := record.HolderIdentity == ""; givesBack && !holds {
		return errNotOurs
	} else if !givesBack && !l.leads {
		return l.acquire(ctx, record, l.Interface.Update)
	}
	if holds && record.HolderIdentity == l.seen && record.RenewTime.Sub(l.written) < l.interval {
		return nil
	}
	return l.write(ctx, record, l.Interface.Update)
}

func (l *own) write(ctx context.Context, record resourcelock.LeaderElectionRecord, how func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	l.written = time.Time{}
	if err := how(ctx, record); err != nil {
		return err
	}
	l.seen, l.written = record.HolderIdentity, record.RenewTime.Time
	return nil
}

// acquire writes a lease that this process did not hold. It does so only while no other installation covers the same.
// It looks once more when the lease has been written: of two installations that start at the same time, at least one
// sees the lease of the other, and gives its own back as one that was never renewed.
func (l *own) acquire(ctx context.Context, record resourcelock.LeaderElectionRecord, how func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	if err := l.alone(ctx); err != nil {
		return err
	}
	if err := l.write(ctx, record, how); err != nil {
		return err
	}
	err := l.alone(ctx)
	if l.leads = err == nil; l.leads {
		return nil
	}
	return errors.Join(err, l.write(ctx, resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1, LeaderTransitions: record.LeaderTransitions}, l.Interface.Update))
}
