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

// intentFreshness is how long after a status write or live read the driver may be created without another read. A
// process that was paused for longer may have been replaced as the leader, and the driver may have come and gone.
const intentFreshness = 5 * time.Second

// intent checks that the status of the application still says what the pass relies on.
type intent struct {
	*state
	// verifiedAt is when this pass last wrote or read the status and found it as expected; zero if it has not.
	verifiedAt time.Time
}

// intentStands reports whether the application still wants this driver and never had it, as just written by this pass
// or as shown by a live read.
func (in *intent) intentStands(ctx context.Context) (bool, error) {
	return in.stands(ctx, func(live *v1alpha1.SparkApplication) bool {
		stage, known := status.StageOf(live.Status.Conditions)
		s := &live.Status
		return known && stage == status.Submitting && live.UID == in.app.UID && live.DeletionTimestamp.IsZero() &&
			s.Run == in.app.Status.Run && s.Attempt == in.app.Status.Attempt && s.Grant != nil &&
			s.Driver != nil && s.Driver.UID == ""
	})
}

// grantStands reports whether the grant that this pass relies on is still the one in the application's status.
func (in *intent) grantStands(ctx context.Context) (bool, error) {
	return in.stands(ctx, func(live *v1alpha1.SparkApplication) bool { return live.ResourceVersion == in.app.ResourceVersion })
}

// stands reports whether the status was verified within intentFreshness, or else whether a live read is as expected.
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
