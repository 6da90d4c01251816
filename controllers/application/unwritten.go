// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/status"
)

// statusRefused is the reason of the event that the API server refuses the status of an application.
const statusRefused = "StatusRefused"

// unwritable reports whether the API server has refused a write and will refuse it again. Such a write was not stored
// and never will be.
func unwritable(err error) bool {
	return refused(err) && !apierrors.IsNotFound(err) || tooLargeForStore(err)
}

// tooLargeForStore reports whether etcd or its client has refused an object for its size, above 1.5 MiB or 2 MiB. The
// API server reports this as an internal error.
func tooLargeForStore(err error) bool {
	return strings.Contains(err.Error(), "request is too large") || strings.Contains(err.Error(), "trying to send message larger than max")
}

// unwritten handles a decision whose status could not be written. If it certainly was not stored, it releases grants
// that only this process knows: a grant that its application never stores would stay in the ledger and slow down other
// applications. The application is not reconciled again before a growing pause.
func (pb *publisher) unwritten(ctx context.Context, d lifecycle.Decision, err error) error {
	final := unwritable(err)
	if !final && !(apierrors.IsConflict(err) && pb.record.Refusals.Conflict()) {
		return err
	}
	if final {
		// Pods may be deleted even if the status cannot be written, because an application whose status cannot be
		// written must not hold quota.
		for _, a := range d.After {
			if a.Kind != lifecycle.DeletePod {
				continue
			}
			if err := pb.actor.do(ctx, a); err != nil {
				return err
			}
		}
	}
	if err := pb.holder.giveBack(ctx, d.Status.Grant, final); err != nil {
		return err
	}
	pause, first := pb.record.Refusals.Refuse(pb.app, pb.Clock.Now(), final)
	if first && final {
		pb.Recorder.Eventf(pb.app, nil, corev1.EventTypeWarning, statusRefused, statusRefused, "%s", status.Truncate(fmt.Sprintf(
			"the API server refuses the status of this application, so it cannot start, and what runs is not reported: %s; if its size is the cause, reduce metadata or spec", err)))
	}
	return &retryLaterError{pause, "the status could not be written: " + err.Error()}
}
