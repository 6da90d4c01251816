// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"context"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
)

// replica is the lease by which a process shows that it is alive. It protects nothing: a process that is taken for dead
// by mistake keeps its trees.
type replica struct {
	*lease.Client
	lasts time.Duration
	// stored is the lease as last written, or nil if it has to be created.
	stored *coordinationv1.Lease
}

// name returns the name of the lease. It has only the unique part of the holder, because a host name may not be a valid
// object name.
func (r *replica) name() string {
	_, id, _ := strings.Cut(r.Holder, "_")
	return lease.ReplicaPrefix + id
}

// renew writes the lease.
func (r *replica) renew(ctx context.Context, now time.Time) error {
	spec := coordinationv1.LeaseSpec{
		HolderIdentity: ptr.To(r.Holder), LeaseDurationSeconds: ptr.To(int32(max(r.lasts, time.Second) / time.Second)),
		RenewTime: ptr.To(metav1.NewMicroTime(now)),
	}
	leases := r.Leases(r.Namespace)
	var err error
	if r.stored == nil {
		spec.AcquireTime = spec.RenewTime
		r.stored, err = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: r.name(), Namespace: r.Namespace}, Spec: spec}, metav1.CreateOptions{})
	} else {
		next := r.stored.DeepCopy()
		spec.AcquireTime = next.Spec.AcquireTime
		next.Spec = spec
		r.stored, err = leases.Update(ctx, next, metav1.UpdateOptions{})
	}
	if err == nil {
		return nil
	}
	// After a failed request, a conflict, or a deletion by another replica, the current lease is read again.
	found, missing := leases.Get(ctx, r.name(), metav1.GetOptions{})
	if r.stored = found; missing != nil {
		r.stored = nil
	}
	return err
}

// remove deletes leases.
func (r *replica) remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := r.Leases(r.Namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
