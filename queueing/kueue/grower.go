// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// namesTried bounds how many names are tried for a chunk.
const namesTried = 5

// grower creates chunks.
type grower struct {
	view   *view
	live   client.Reader
	writer *writer
	unseen *unseen
	askers *askers
}

// grow creates chunks for what is wanted and not requested yet.
func (gr *grower) grow(ctx context.Context, a *resizing) error {
	unseen, last := gr.unseen.chunks(a.key)
	if unseen > 0 {
		gr.askers.retry(a.key) // by then the watch shows them, or they were not created and are asked for again
	}
	missing := int64(a.want.Count) - int64(a.asked) - int64(unseen)
	if missing <= 0 {
		return nil
	}
	whole, err := read(ctx, gr.live, a.base.Namespace, a.base.Name) // the watch drops the pods
	if err != nil {
		return err
	}
	for _, w := range gr.view.chunksOf(a.key) {
		last = max(last, numberOf(w.Name))
	}
	for _, count := range sizes(int32(missing), a.want.Count) {
		if last, err = gr.create(ctx, a, whole, last, count); err != nil {
			return err
		}
	}
	return nil
}

// create creates a chunk with the first free number after last, and returns that number. base is the Workload of the
// base gang including its pods.
func (gr *grower) create(ctx context.Context, a *resizing, base *kueuev1.Workload, last int, count int32) (int, error) {
	var err error
	for n := last + 1; n <= last+namesTried; n++ {
		chunk := chunkOf(base, a.want.PodSet, n, count)
		gr.unseen.add(a.key, chunk)
		if err = gr.writer.create(ctx, chunk); err == nil {
			gr.unseen.add(a.key, chunk)
			return n, nil
		}
		if isDefiniteFailure(err) {
			gr.unseen.remove(a.key, chunk)
		}
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return last, fmt.Errorf("create a Workload for %d pods: %w", count, err)
}

// isDefiniteFailure reports whether an error of the API server proves that nothing was created.
func isDefiniteFailure(err error) bool {
	return apierrors.IsAlreadyExists(err) || optionalkind.NotServed(err) || apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}
