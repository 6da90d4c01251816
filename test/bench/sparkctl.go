// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// measureSparkctl measures `sparkctl list` of many applications, in turns with a bare LIST whose answer is read and
// discarded.
func (b *bench) measureSparkctl(ctx context.Context) error {
	if _, err := os.Stat(b.sparkctl); err != nil {
		return fmt.Errorf("find sparkctl (build it by `make build`): %w", err)
	}
	namespace, err := b.user.Namespace(ctx)
	if err != nil {
		return err
	}
	if err := b.makeFinished(ctx, namespace, b.listed); err != nil {
		return err
	}
	b.progress("listing them, %d times", b.rounds)
	var bare, list, ratios, cpu []float64
	for range b.rounds {
		alone, err := b.timeBareList(ctx, namespace)
		if err != nil {
			return err
		}
		whole, used, err := b.timeSparkctl(ctx, "list", "-n", namespace)
		if err != nil {
			return err
		}
		bare, list = append(bare, milliseconds(alone)), append(list, milliseconds(whole))
		ratios, cpu = append(ratios, float64(whole)/float64(alone)), append(cpu, milliseconds(used))
	}
	t := newTable(b, fmt.Sprintf("sparkctl list of %d applications", b.listed))
	t.row("", "median (all rounds)", "goal")
	t.row("a bare LIST, ms", spread("%.0f", bare), "")
	t.row("sparkctl list, ms", spread("%.0f", list), "")
	t.row("sparkctl list, in bare LISTs", spread("%.2f", ratios), "≤ 1.5")
	t.row("CPU of sparkctl, ms", spread("%.0f", cpu), "")
	t.end()
	return b.user.Clear(ctx, namespace)
}

// timeBareList measures one request for all applications of a namespace.
func (b *bench) timeBareList(ctx context.Context, namespace string) (time.Duration, error) {
	began := time.Now()
	stream, err := b.server.REST().Get().AbsPath("/apis", v1alpha1.GroupVersion.String(), "namespaces", namespace, "sparkapplications").Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	_, err = io.Copy(io.Discard, stream)
	return time.Since(began), err
}

// timeSparkctl measures sparkctl from its start to its end, and returns its CPU time as well.
func (b *bench) timeSparkctl(ctx context.Context, args ...string) (took, cpu time.Duration, err error) {
	command := exec.CommandContext(ctx, b.sparkctl, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+b.server.Kubeconfig)
	command.Stderr = os.Stderr
	began := time.Now()
	if err := command.Run(); err != nil {
		return 0, 0, fmt.Errorf("run %s: %w", command, err)
	}
	return time.Since(began), command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
}
