// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// clusterTimeout is how long the cluster may take from the start of its last
// component until it does what its users rely on.
const clusterTimeout = 2 * time.Minute

// startOrder lists the components that are started together; each group waits
// until the one before is well.
var startOrder = [][]string{
	{mountsHolder},
	{etcd, containerd},
	{apiserver},
	{controllerManager, scheduler, kubelet, kubeProxy, coredns},
}

// startAll starts what does not run as configured, waits until everything is
// well and returns how many components it had to start.
func (s *supervisor) startAll(ctx context.Context) (started int, err error) {
	if err := s.settle(); err != nil {
		return 0, err
	}
	for _, group := range startOrder {
		number, err := s.startGroup(ctx, group)
		started += number
		if err != nil {
			return started, err
		}
		if group[len(group)-1] == containerd {
			if err := s.cluster.loadPauseImage(s.quietUnless(started > 0), s.pause); err != nil {
				return started, err
			}
		}
	}
	return started, s.awaitCluster(ctx, started > 0)
}

func (s *supervisor) startGroup(ctx context.Context, names []string) (int, error) {
	var started []string
	for _, name := range names {
		isNew, err := s.ensure(name)
		if err != nil {
			return len(started), err
		}
		if isNew {
			started = append(started, name)
		}
	}
	for _, name := range names {
		if err := s.await(ctx, name); err != nil {
			return len(started), err
		}
	}
	for _, name := range started {
		pid, err := s.find(name)
		if err != nil {
			return len(started), err
		}
		s.report.step("%s is ready (process %d)", name, pid)
	}
	return len(started), nil
}

func (s *supervisor) awaitCluster(ctx context.Context, tell bool) error {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	for _, check := range s.prober.clusterChecks() {
		var last error
		if !poll(ctx, func() bool { last = check.run(ctx); return last == nil }) {
			return fmt.Errorf("not so within %s: %s: %w (logs are in %s)", clusterTimeout, check.name, last, s.cluster.path("log"))
		}
		if tell {
			s.report.step("%s", check.name)
		}
	}
	return nil
}

func (s *supervisor) holderInPlace(context.Context) error {
	pid, err := s.find(mountsHolder)
	if err == nil && pid == 0 {
		err = errors.New("still mounting")
	}
	return err
}

// quietUnless returns a reporter that says nothing when nothing happened.
func (s *supervisor) quietUnless(active bool) *reporter {
	if active {
		return s.report
	}
	return newReporter(io.Discard, now())
}
