// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// maxExecutorsNamed bounds the number of executors in a message.
const maxExecutorsNamed = 20

// noExecutor returns an error which says why the wanted executors have no log, and which executors have one.
func (l *LogFollower) noExecutor(ctx context.Context, app *v1alpha1.SparkApplication, attempt int64) error {
	where := fmt.Sprintf("in attempt %d of run %d", attempt, app.Status.Run)
	if l.Executor == AllExecutors {
		return fmt.Errorf("no log %s: no executor has started, or their pods are gone: Spark deletes those of executors that have ended", where)
	}
	why := "it has not started, or it has ended and Spark has deleted its pod, which executor.deleteOnTermination: false prevents"
	if f := executorFailure(app, attempt, l.Executor); f != nil {
		why = fmt.Sprintf("its pod is gone, because it has failed: %s: %s", f.Reason, f.Message)
	}
	others, err := l.executorsWithLogs(ctx, app, attempt)
	if err != nil {
		return err
	}
	return fmt.Errorf("no log of executor %s %s: %s; %s", l.Executor, where, why, others)
}

// executorFailure returns how an executor of the current attempt failed, or nil if that is not known.
func executorFailure(app *v1alpha1.SparkApplication, attempt int64, number string) *v1alpha1.ExecutorFailure {
	if app.Status.Executors == nil || attempt != app.Status.Attempt {
		return nil
	}
	failures := app.Status.Executors.Failures
	at := slices.IndexFunc(failures, func(f v1alpha1.ExecutorFailure) bool { return strings.HasSuffix(f.Pod, "-exec-"+number) })
	if at < 0 {
		return nil
	}
	return &failures[at]
}

// executorsWithLogs returns a text with the executors of an attempt that have a log.
func (l *LogFollower) executorsWithLogs(ctx context.Context, app *v1alpha1.SparkApplication, attempt int64) (string, error) {
	found, err := l.cluster.PodsOf(ctx, app, client.SparkPods{Run: app.Status.Run, Attempt: attempt, Role: v1alpha1.SparkRoleExecutor})
	if err != nil {
		return "", err
	}
	var numbers []string
	slices.SortFunc(found, byNumber)
	for i := range found {
		if client.HasLog(&found[i]) {
			numbers = append(numbers, client.ExecutorID(&found[i]))
		}
	}
	more := ""
	if len(numbers) > maxExecutorsNamed {
		numbers, more = numbers[:maxExecutorsNamed], ", …"
	}
	if len(numbers) == 0 {
		return "none has a log", nil
	}
	return "these have one: " + strings.Join(numbers, ", ") + more, nil
}
