// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// publisher writes the status.
type publisher struct {
	*state
	intent *intent
	holder *holder
	actor  *actor
}

// publish writes the status, if it differs, in one merge patch that fails when the object has changed since it was read. Fields that
// this version does not know survive.
func (pb *publisher) publish(ctx context.Context, status v1alpha1.SparkApplicationStatus) error {
	if equality.Semantic.DeepEqual(pb.app.Status, status) {
		return nil
	}
	diff, err := difference(&pb.app.Status, &status)
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	answer, asked := metadataOf(pb.app), pb.Clock.Now()
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": pb.app.ResourceVersion}, "status": diff})
	if err == nil {
		err = pb.Client.Status().Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	before, after := pb.app, *pb.app
	after.Status, after.ResourceVersion = status, answer.ResourceVersion
	pb.app, pb.intent.verifiedAt = &after, asked
	pb.expectations.recordWrite(pb.app, asked)
	pb.refusals.taken(pb.app)
	pb.countChange(before, pb.app, pb.o.Eviction)
	logStage(ctx, before, pb.app)
	return nil
}

// difference returns the merge patch (RFC 7386) from one status to another.
func difference(before, after *v1alpha1.SparkApplicationStatus) (json.RawMessage, error) {
	from, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(from, to)
}
