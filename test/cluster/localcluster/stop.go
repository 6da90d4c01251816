// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// runStop implements `stop COMPONENT...`: the components end as when their
// machine does, everything else continues. `up` starts them again.
func runStop(c cluster, args []string) (err error) {
	if err := checkStoppable(args); err != nil {
		return err
	}
	if err := c.requireUp("stop"); err != nil {
		return err
	}
	lock, err := acquireLock(c.lockFile(), os.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.releaseWith(c.lockFile(), c.dir)) }()
	record, err := c.readRecord()
	if err != nil {
		return err
	}
	s, err := c.describe(record, newReporter(os.Stdout, now()))
	if err != nil {
		return err
	}
	for _, name := range args {
		if err := s.stopIfRunning(name); err != nil {
			return err
		}
	}
	return nil
}

// checkStoppable refuses names of no component, and the one that keeps the
// node's mounts: without it nothing could be started again.
func checkStoppable(names []string) error {
	stoppable := slices.DeleteFunc(slices.Clone(componentNames), func(name string) bool { return name == mountsHolder })
	list := strings.Join(stoppable, ", ")
	if len(names) == 0 {
		return fmt.Errorf("stop needs a component: give one or more of %s", list)
	}
	for _, name := range names {
		if !slices.Contains(stoppable, name) {
			return fmt.Errorf("stop knows no component %q: give one or more of %s", name, list)
		}
	}
	return nil
}

// stopIfRunning stops a component that runs.
func (s *supervisor) stopIfRunning(name string) error {
	pid, err := s.find(name)
	if err != nil {
		return err
	}
	if pid == 0 {
		s.report.step("%s does not run", name)
		return nil
	}
	if err := s.stop(name, pid); err != nil {
		return err
	}
	s.report.step("%s is stopped", name)
	return nil
}
