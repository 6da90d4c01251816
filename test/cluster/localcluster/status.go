// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// insideStatus marks the half of `status` that runs in the cluster's network.
const insideStatus = "SPARKGATE_STATUS_INSIDE"

// runStatus implements `status`; it fails unless everything is well.
func runStatus(c cluster, args []string) error {
	if err := parseFlags(newFlags("status"), args); err != nil {
		return err
	}
	if err := requireRoot("status"); err != nil {
		return err
	}
	record, err := c.readRecord()
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !isNamespaceFile(c.netnsPath())) {
		return c.notUp()
	}
	if err != nil {
		return err
	}
	if os.Getenv(insideStatus) == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return c.enter(append(os.Environ(), insideStatus+"=1"), self, "status")
	}
	s, err := c.describe(record, newReporter(os.Stdout, now()))
	if err != nil {
		return c.notUp() // certificates are not written yet
	}
	return s.printStatus(record)
}

func (s *supervisor) printStatus(record clusterRecord) error {
	c := s.cluster
	fmt.Printf("cluster %s, Kubernetes %s\nstate folder %s\nlogs         %s\nkubeconfig   %s\n", c.name, record.Version, c.dir, c.path("log"), c.kubeconfig())
	if record.Audit {
		fmt.Printf("audit log    %s\n", c.auditLog())
	}
	uptime, err := machineUptime()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "\nCOMPONENT\tPROCESS\tAGE\tMEMORY\tSTATE")
	ctx := context.Background()
	well := true
	for _, name := range componentNames {
		row, ok := s.componentRow(ctx, name, uptime)
		well = well && ok
		fmt.Fprintln(table, row)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Println()
	for _, check := range s.prober.clusterChecks() {
		state := "yes"
		if err := check.run(ctx); err != nil {
			state, well = "no: "+err.Error(), false
		}
		fmt.Printf("%s: %s\n", check.name, state)
	}
	if !well {
		fmt.Println("\nrun `localcluster up` to start what does not run")
		return errSilent
	}
	return nil
}

func (s *supervisor) componentRow(ctx context.Context, name string, uptime time.Duration) (row string, ok bool) {
	pid, err := s.find(name)
	if err != nil || pid == 0 {
		return name + "\t-\t-\t-\tdoes not run", false
	}
	stat, err := s.proc.stat(pid)
	if err != nil {
		return name + "\t-\t-\t-\tdoes not run", false
	}
	state, ok := "well", true
	if err := s.probes[name](ctx); err != nil {
		state, ok = strings.ReplaceAll(err.Error(), "\n", " "), false
	}
	age := uptime - time.Duration(stat.startTicks)*time.Second/100
	return fmt.Sprintf("%s\t%d\t%s\t%d MiB\t%s", name, pid, age.Round(time.Second), stat.residentKB/1024, state), ok
}

// machineUptime is the time since boot, from which process ages are counted.
func machineUptime() (time.Duration, error) {
	content, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	var seconds float64
	if _, err := fmt.Sscan(string(content), &seconds); err != nil {
		return 0, fmt.Errorf("read /proc/uptime: %w", err)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
