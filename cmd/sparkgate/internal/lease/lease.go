// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lease is the lease of the leading process.
package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Name of the lease.
const Name = "sparkgate-leader"

// namespaceVariable names the namespace of the lease, which is the operator's own.
const namespaceVariable = "RUNTIME_NAMESPACE"

// New returns the lease in the name of a process, in the operator's own namespace.
func New(config *rest.Config, holder string, renewDeadline time.Duration) (resourcelock.Interface, error) {
	namespace := os.Getenv(namespaceVariable)
	if namespace == "" {
		return nil, fmt.Errorf("leader election needs the namespace of its lease: set the environment variable %s", namespaceVariable)
	}
	config = rest.AddUserAgent(config, "leader-election")
	config.Timeout = max(renewDeadline/2, time.Second) // one answer that does not come must not cost the lease
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client for leases: %w", err)
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, Name, nil, leases,
		resourcelock.ResourceLockConfig{Identity: holder})
	if err != nil {
		return nil, fmt.Errorf("prepare the lease: %w", err)
	}
	return &own{Interface: lock}, nil
}

// errNotOurs says that a lease cannot be given back because another process has it.
var errNotOurs = errors.New("the lease belongs to another process already")

// own is given back only by the process that has it. At the end of a process that was stopped for longer than its lease
// lasted, client-go would empty the lease of the process that has taken over. Not safe for concurrent use; client-go
// does not.
type own struct {
	resourcelock.Interface
	// seen is who had the lease when it was last read. A write goes through only if it was not written since.
	seen string
}

// Get reads the lease.
func (l *own) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil {
		l.seen = record.HolderIdentity
	}
	return record, raw, err
}

// Update writes the lease.
func (l *own) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if givesBack := record.HolderIdentity == ""; givesBack && l.seen != l.Identity() {
		return errNotOurs
	}
	if err := l.Interface.Update(ctx, record); err != nil {
		return err
	}
	l.seen = record.HolderIdentity
	return nil
}
