// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// gone cleans up after an application that does not exist any more: it was deleted, perhaps without its finalizer.
func (r *Reconciler) gone(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	if !r.hasLeft(name) {
		r.memory.Forget(name)
		return ctrl.Result{}, nil
	}
	live := &v1alpha1.SparkApplication{}
	err := r.Live.Get(ctx, name, live)
	if err == nil {
		return ctrl.Result{}, nil // the cache has not shown it yet
	}
	if !apierrors.IsNotFound(err) {
		return ctrl.Result{}, fmt.Errorf("read application: %w", err)
	}
	return ctrl.Result{}, r.forgetOthers(ctx, name, "")
}

// hasLeft says that applications of that name run or hold something.
func (r *Reconciler) hasLeft(name types.NamespacedName) bool {
	for _, record := range r.Pods.Of(name) {
		if record.Active() {
			return true
		}
	}
	return len(r.keysOf(name)) > 0
}

// forgetOthers ends what applications of that name with another uid than keep have left: their pods are deleted, and once none of
// them is active, what they held or asked for goes back.
func (r *Reconciler) forgetOthers(ctx context.Context, name types.NamespacedName, keep types.UID) error {
	active := map[string]bool{}
	for _, record := range r.Pods.Of(name) {
		if record.AppUID == string(keep) || !record.Active() {
			continue
		}
		active[record.AppUID] = true
		if !record.Deleting {
			if err := deletePod(ctx, r.Client, record, false); err != nil {
				return err
			}
		}
	}
	for _, key := range r.keysOf(name) {
		if key.UID != string(keep) && !active[key.UID] {
			if err := r.release(ctx, key, queueing.Farewell{Left: queueing.LeftDeleted}); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysOf are the keys under which applications of that name may hold something.
func (r *Reconciler) keysOf(name types.NamespacedName) []queueing.Key {
	var keys []queueing.Key
	for _, gate := range r.Gates {
		if holder, ok := gate.(queueing.Holder); ok {
			keys = append(keys, holder.Holds(name.Namespace, name.Name)...)
		}
	}
	return keys
}

// release gives back whatever the key holds or asks for, at every gate: the application may have changed its gate since.
func (r *Reconciler) release(ctx context.Context, key queueing.Key, farewell queueing.Farewell) error {
	for name := range r.Gates {
		if err := r.leave(ctx, name, key, farewell); err != nil {
			return err
		}
	}
	return nil
}

// leave gives back what the key holds or asks for at one gate.
func (r *Reconciler) leave(ctx context.Context, name string, key queueing.Key, farewell queueing.Farewell) error {
	var err error
	if follower, ok := r.Gates[name].(queueing.Follower); ok {
		err = follower.Leave(ctx, key, farewell)
	} else {
		err = r.Gates[name].Release(ctx, key)
	}
	if err != nil {
		return fmt.Errorf("release at gate %s: %w", name, err)
	}
	return nil
}
