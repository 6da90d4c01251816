// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// actor carries out what was decided, except for the status and the events.
type actor struct {
	*state
	holder    *holder
	creator   *creator
	ungater   *ungater
	cleaner   *cleaner
	finalizer *finalizer
}

func (ac *actor) act(ctx context.Context, actions []lifecycle.Action) error {
	for _, a := range actions {
		if err := ac.do(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (ac *actor) do(ctx context.Context, a lifecycle.Action) error {
	switch a.Kind {
	case lifecycle.ReportGrant:
		ac.holder.persisted(ctx)
	case lifecycle.UngatePods:
		return ac.ungater.ungatePods(ctx, a.Ungates)
	case lifecycle.CreateDriver:
		return ac.creator.createDriver(ctx)
	case lifecycle.DeletePod:
		return ac.deletePod(ctx, a.Pod, a.Force)
	case lifecycle.EndContainers:
		return ac.cleaner.endContainers(ctx, a.Pod)
	case lifecycle.DeleteService:
		return ac.cleaner.delete(ctx, &corev1.Service{}, render.NamesOf(ac.app, a.Run, a.Attempt).Service)
	case lifecycle.DeleteObjects:
		return ac.cleaner.deleteObjects(ctx, lifecycle.AttemptID{Run: a.Run, Attempt: a.Attempt})
	case lifecycle.ReleaseGrant:
		return ac.Gates.Release(ctx, convert.KeyOf(ac.app), ac.holder.release())
	case lifecycle.RemoveFinalizer:
		return ac.finalizer.removeFinalizer(ctx)
	case lifecycle.DeleteApplication:
		return ac.cleaner.deleteApplication(ctx)
	}
	return nil
}
