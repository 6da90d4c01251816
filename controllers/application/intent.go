// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// intentFreshness is how long after the write of the status, or after the last live read, the driver may be created without another read: a
// process that was paused in between may have been replaced as leader, and the driver may have come and gone.
const intentFreshness = 5 * time.Second

// intent knows whether the status of the application still says what the pass relies on.
type intent struct {
	*state
	// verifiedAt is when a write or a live read of this pass has last shown that the status says what the pass relies on; zero if none has.
	verifiedAt time.Time
}

// intentStands reports whether the application still wants this driver and never had it: because this pass has just written so, or
// because a live read says so.
func (in *intent) intentStands(ctx context.Context) (bool, error) {
	return in.stands(ctx, func(live *v1alpha1.SparkApplication) bool {
		stage, known := status.StageOf(live.Status.Conditions)
		s := &live.Status
		return known && stage == status.Submitting && live.UID == in.app.UID && live.DeletionTimestamp.IsZero() &&
			s.Run == in.app.Status.Run && s.Attempt == in.app.Status.Attempt && s.Grant != nil &&
			s.Driver != nil && s.Driver.UID == ""
	})
}

// grantStands reports whether the grant that this pass relies on is the one in the application's status.
func (in *intent) grantStands(ctx context.Context) (bool, error) {
	return in.stands(ctx, func(live *v1alpha1.SparkApplication) bool { return live.ResourceVersion == in.app.ResourceVersion })
}

// stands reports whether the status was verified a moment ago, or else whether a live read shows it as expected.
func (in *intent) stands(ctx context.Context, asExpected func(*v1alpha1.SparkApplication) bool) (bool, error) {
	if !in.verifiedAt.IsZero() && in.Clock.Since(in.verifiedAt) <= intentFreshness {
		return true, nil
	}
	asked, live := in.Clock.Now(), &v1alpha1.SparkApplication{}
	if err := in.Live.Get(ctx, client.ObjectKeyFromObject(in.app), live); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if !asExpected(live) {
		return false, nil
	}
	in.verifiedAt = asked
	return true, nil
}
