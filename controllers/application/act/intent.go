// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// intentFreshness is how long after a status write or live read the driver may be created without another read. A
// process that was paused for longer may have been replaced as the leader, and the driver may have come and gone.
const intentFreshness = 5 * time.Second

// Intent checks that the status of an application still says what the pass relies on.
type Intent struct {
	Live  client.Reader
	Clock clock.Clock
	// verifiedAt is when this pass last wrote or read the status and found it as expected; zero if it has not.
	verifiedAt time.Time
}

// IntentStands reports whether the application still wants this driver and never had it, as just written by this pass
// or as shown by a live read.
func (in *Intent) IntentStands(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	return in.stands(ctx, app, func(live *v1alpha1.SparkApplication) bool {
		stage, known := status.StageOf(live.Status.Conditions)
		s := &live.Status
		return known && stage == status.Submitting && live.UID == app.UID && live.DeletionTimestamp.IsZero() &&
			s.Run == app.Status.Run && s.Attempt == app.Status.Attempt && s.Grant != nil &&
			s.Driver != nil && s.Driver.UID == ""
	})
}

// GrantStands reports whether the grant that this pass relies on is still the one in the application's status.
func (in *Intent) GrantStands(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	return in.stands(ctx, app, func(live *v1alpha1.SparkApplication) bool { return live.ResourceVersion == app.ResourceVersion })
}

// stands reports whether the status was verified within intentFreshness, or else whether a live read is as expected.
func (in *Intent) stands(ctx context.Context, app *v1alpha1.SparkApplication, asExpected func(*v1alpha1.SparkApplication) bool) (bool, error) {
	if !in.verifiedAt.IsZero() && in.Clock.Since(in.verifiedAt) <= intentFreshness {
		return true, nil
	}
	asked, live := in.Clock.Now(), &v1alpha1.SparkApplication{}
	if err := in.Live.Get(ctx, client.ObjectKeyFromObject(app), live); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if !asExpected(live) {
		return false, nil
	}
	in.verifiedAt = asked
	return true, nil
}
