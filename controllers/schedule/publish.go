// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/base/expectations"
)

// publisher writes the status of a schedule, then announces and counts what it records.
type publisher struct {
	client    client.Client
	announcer announcer
	series    *metricseries.Bounds
	record    *record
}

// publish writes the status if it differs. The write fails with a conflict if the schedule has changed since it was
// read.
func (pb publisher) publish(ctx context.Context, out outcome) error {
	before := out.o.Schedule
	countRejected(pb.series, out)
	pb.recordSuperseded(&before.Status) // an earlier write may have succeeded although its answer was lost
	after := before.DeepCopy()
	fill(&after.Status, out, pb.record)
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return nil
	}
	pb.record.forgetPast(before.Status.RunFor, after.Status.RunFor)
	pb.record.superseded.writing, pb.record.superseded.total = len(pb.record.superseded.apps), countOf(&after.Status, v1alpha1.MissedSuperseded)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := pb.client.Status().Patch(ctx, after, patch, client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("write status: %w", err))
	}
	pb.record.version = expectations.Version(after.ResourceVersion)
	pb.announcer.announce(out, &after.Status, pb.record.last)
	countRecorded(pb.series, out, pb.record.last)
	pb.recordSuperseded(&after.Status)
	return nil
}

// recordSuperseded announces and counts the superseded applications that a status records.
func (pb publisher) recordSuperseded(s *v1alpha1.ScheduledSparkApplicationStatus) {
	recorded := pb.record.superseded.settle(countOf(s, v1alpha1.MissedSuperseded))
	pb.announcer.announceSuperseded(recorded)
	countSuperseded(pb.series, pb.announcer.schedule.Namespace, len(recorded))
}
