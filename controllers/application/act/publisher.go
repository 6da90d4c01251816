// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
)

// Publisher writes the status.
type Publisher struct {
	Client client.Client
	Intent *Intent
	Record *memory.Record
	Clock  clock.Clock
}

// Publish writes the status if it has changed, in one merge patch, which fails with a conflict if the object has
// changed since it was read. Fields that this version of the operator does not know are preserved. It returns the
// application as it is then, which is the same one if there was nothing to write.
func (pb *Publisher) Publish(ctx context.Context, app *v1alpha1.SparkApplication, status v1alpha1.SparkApplicationStatus) (*v1alpha1.SparkApplication, error) {
	if len(app.Status.Invalid) > 0 {
		return app, pb.clear(ctx, app)
	}
	if equality.Semantic.DeepEqual(&app.Status, &status) {
		return app, nil
	}
	asked := pb.Clock.Now()
	pb.Record.Usage.Stamp(&app.Status, &status, asked)
	diff, err := difference(&app.Status, &status)
	if err != nil {
		return app, fmt.Errorf("encode status: %w", err)
	}
	answer, err := pb.write(ctx, app, diff)
	if err != nil {
		return app, err
	}
	after := *app
	after.Status, after.ResourceVersion = status, answer.ResourceVersion
	pb.Intent.verifiedAt = asked
	pb.Record.Writes.StatusWritten(after.ResourceVersion, asked)
	pb.Record.Refusals.Taken()
	return &after, nil
}

// write sends a merge patch of the status, which fails with a conflict if the application has changed since it was
// read. It returns the metadata of the answer.
func (pb *Publisher) write(ctx context.Context, app *v1alpha1.SparkApplication, status any) (*metav1.PartialObjectMetadata, error) {
	answer := livemeta.Application(app.Namespace, app.Name)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": app.ResourceVersion}, "status": status})
	if err == nil {
		err = pb.Client.Status().Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return nil, fmt.Errorf("write status: %w", err)
	}
	return answer, nil
}

// clear removes the parts of the status that do not match their types. They exist because the schema does not check
// them, and a merge patch that does not name them would keep them. It always returns an error: a conflict if the parts
// were removed, so that the next pass decides on the rest.
func (pb *Publisher) clear(ctx context.Context, app *v1alpha1.SparkApplication) error {
	none := map[string]any{}
	for _, part := range app.Status.Invalid {
		none[part] = nil
	}
	ctrl.LoggerFrom(ctx).Info("Removing parts of the status that no operator has written", "parts", app.Status.Invalid)
	if _, err := pb.write(ctx, app, none); err != nil {
		return err
	}
	return conflictOf(app, errInvalidStatus)
}

// errInvalidStatus is the reason of the conflict after invalid parts of the status were removed.
var errInvalidStatus = errors.New("parts of its status were invalid and are removed")
