// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"slices"

	"github.com/go-logr/logr"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// maxEnded is how many ended Workloads of an asker are kept: as many as its status remembers attempts.
const maxEnded = 10

// cleaner deletes Workloads that nobody needs any longer.
type cleaner struct {
	view   *view
	writer *writer
	log    logr.Logger
}

// removeStaleChunks deletes the chunks of other attempts. A chunk created by a call without an answer may appear only
// after its attempt is over.
func (cl *cleaner) removeStaleChunks(ctx context.Context, key queueing.Key, run, attempt int64) error {
	return cl.writer.remove(ctx, slices.DeleteFunc(cl.view.chunksOf(key), func(w *kueuev1.Workload) bool {
		return isOf(w, run, attempt) || cl.writer.ahead(w)
	})...)
}

// pruneFinished deletes the oldest ended Workloads of an asker if it has more than maxEnded. A failure is retried when
// the next one is pruned.
func (cl *cleaner) pruneFinished(ctx context.Context, key queueing.Key) {
	ended := slices.DeleteFunc(cl.view.workloadsOf(key), func(w *kueuev1.Workload) bool { return !finished(w) || isChunk(w) })
	if err := cl.writer.remove(ctx, ended[:max(0, len(ended)-maxEnded)]...); err != nil {
		cl.log.Error(err, "Failed to delete an old Workload; will retry with the next one", "asker", key.String())
	}
}

// forget deletes the ended Workload of an attempt.
func (cl *cleaner) forget(ctx context.Context, key queueing.Key, run, attempt int64) error {
	return cl.writer.remove(ctx, slices.DeleteFunc(cl.view.workloadsOf(key), func(w *kueuev1.Workload) bool {
		return !finished(w) || !isOf(w, run, attempt)
	})...)
}
