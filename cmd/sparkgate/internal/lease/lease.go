// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lease holds the names and locks of the leases by which processes lead.
package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/pkg/runtime/leaderelection"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Name of the lease.
const Name = "sparkgate-leader"

// Prefixes of the names of leases where each tree of queues has a leader of its own: of the leases of trees, before the name
// of the root, and of the leases by which replicas show that they are alive. What is in no tree has the lease Name.
const (
	TreePrefix    = "sparkgate-tree-"
	ReplicaPrefix = "sparkgate-replica-"
)

// OfTree returns the name of the lease of a tree; for an empty root that of what is in no tree.
func OfTree(root string) string {
	if root == "" {
		return Name
	}
	return TreePrefix + root
}

// namespaceVariable names the namespace of the lease, which is the operator's own.
const namespaceVariable = "RUNTIME_NAMESPACE"

// Client reads and writes leases in the operator's own namespace, on behalf of a process.
type Client struct {
	coordinationv1client.CoordinationV1Interface
	// Namespace of the operator.
	Namespace string
	// Holder is the process; unique for each start.
	Holder string
	// Interval is how often the process writes a lease that it holds.
	Interval time.Duration
}

// Interval returns how often the holder of a lease writes it. client-go would do so every retry period, which is how often others check
// whether it has expired, and has to be short. With fewer writes, a holder that can no longer write notices later: it gives up one retry
// period and the renew deadline after the last renewal, which is still before the lease, as written, has expired.
func Interval(of leaderelection.Options) time.Duration {
	return max(min(of.LeaseDuration-of.RenewDeadline-of.RetryPeriod, of.RenewDeadline/2), of.RetryPeriod)
}

// NewClient returns a client for leases. Each of its requests may take half of the renew deadline. The configuration stays as it is: that
// limit would end every watch of other clients.
func NewClient(config *rest.Config, holder string, of leaderelection.Options) (*Client, error) {
	namespace, err := Namespace()
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config) // AddUserAgent changes what it is given
	config = rest.AddUserAgent(config, "leader-election")
	config.Timeout = max(of.RenewDeadline/2, time.Second) // one answer that does not come must not cost the lease
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client for leases: %w", err)
	}
	return &Client{CoordinationV1Interface: leases, Namespace: namespace, Holder: holder, Interval: Interval(of)}, nil
}

// Namespace returns the operator's own namespace.
func Namespace() (string, error) {
	namespace := os.Getenv(namespaceVariable)
	if namespace == "" {
		return "", fmt.Errorf("leader election needs the namespace of its lease: set the environment variable %s", namespaceVariable)
	}
	return namespace, nil
}

// Lock returns the lock of a lease. The process takes the lease at once if expired reports that its holder has not renewed it
// in time. Without that function, client-go waits for the duration of a lease.
func (c *Client) Lock(name string, expired func(resourcelock.LeaderElectionRecord) bool) (resourcelock.Interface, error) {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, c.Namespace, name, nil, c, resourcelock.ResourceLockConfig{Identity: c.Holder})
	if err != nil {
		return nil, fmt.Errorf("prepare the lease: %w", err)
	}
	if expired == nil {
		expired = func(resourcelock.LeaderElectionRecord) bool { return false }
	}
	return &own{Interface: lock, interval: c.Interval, expired: expired}, nil
}

// errNotOurs says that a lease cannot be released because another process holds it.
var errNotOurs = errors.New("the lease belongs to another process already")

// own is a lock that only the process that holds it releases, and that is written no more often than needed. When a process ends that was
// suspended for longer than its lease lasts, client-go would empty the lease of the process that has taken over. Not safe for concurrent
// use; client-go makes one call at a time.
type own struct {
	resourcelock.Interface
	interval time.Duration
	// written is when this process renewed the lease; zero if the next renewal has to be written.
	written time.Time
	// seen is the holder of the lease when it was last read. A write succeeds only if nothing was written since.
	seen string
	// expired reports whether the holder of a record has let its lease expire.
	expired func(resourcelock.LeaderElectionRecord) bool
}

// Get reads the lease.
func (l *own) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err != nil {
		return record, raw, err
	}
	l.seen = record.HolderIdentity
	if l.seen != l.Identity() && l.expired(*record) {
		free := *record
		free.HolderIdentity = ""
		record = &free
	}
	return record, raw, nil
}

// Update writes the lease, unless it is renewed sooner than needed.
func (l *own) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	holds := l.seen == l.Identity()
	if givesBack := record.HolderIdentity == ""; givesBack && !holds {
		return errNotOurs
	}
	if holds && record.HolderIdentity == l.seen && record.RenewTime.Sub(l.written) < l.interval {
		return nil
	}
	l.written = time.Time{}
	if err := l.Interface.Update(ctx, record); err != nil {
		return err
	}
	l.seen, l.written = record.HolderIdentity, record.RenewTime.Time
	return nil
}
