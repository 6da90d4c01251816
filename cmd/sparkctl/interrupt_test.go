// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// stuck is set in the process that TestSecondInterrupt starts.
const stuck = "SPARKCTL_TEST_STUCK"

// TestSecondInterrupt: a command that cannot end after Ctrl-C, because its output is blocked, ends after the second one.
func TestSecondInterrupt(t *testing.T) {
	if os.Getenv(stuck) != "" {
		ctx, stop := cli.Interruptible(context.Background())
		defer stop()
		fmt.Println("waits")
		<-ctx.Done()
		for { // as a command whose output is blocked
			fmt.Println("stuck")
			<-clock.RealClock{}.After(50 * time.Millisecond)
		}
	}
	t.Parallel()
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestSecondInterrupt$")
	c.Env = append(os.Environ(), stuck+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	interrupts := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line := lines.Text(); line != "waits" && line != "stuck" {
			continue
		}
		interrupts++
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Wait() // a signal has ended it
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT || interrupts < 2 {
		t.Errorf("after %d interrupts: %v", interrupts, c.ProcessState)
	}
}
