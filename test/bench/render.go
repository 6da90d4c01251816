// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// submitCPU is how many seconds of CPU time one spark-submit takes to send the same objects, recorded of Spark 4.1.4 on two cores.
const submitCPU = 4.6

// rendering is the cost of building the objects of one attempt.
type rendering struct {
	// perSecond is the number built per second of CPU time on one core.
	perSecond float64
	// bytes and allocations are those of one attempt.
	bytes, allocations float64
}

// measureRender runs the benchmark of package render, which is internal to its module. It needs no API server.
func (b *bench) measureRender(ctx context.Context) error {
	b.progress("rendering")
	command := exec.CommandContext(ctx, "go", "test", "./internal/spark/render", "-run", "^$", "-bench", "^BenchmarkBuild$", "-cpu", "1",
		"-count", strconv.Itoa(b.rounds))
	command.Dir = ".."
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("run the benchmark of package render: %w\n%s", err, out)
	}
	rounds := parseRenderings(string(out))
	if len(rounds) == 0 {
		return fmt.Errorf("the benchmark of package render has no figures:\n%s", out)
	}
	var perSecond []float64
	for _, r := range rounds {
		perSecond = append(perSecond, r.perSecond)
	}
	fmt.Fprintf(b.out, "\nRendering the objects of an attempt, one core\n")
	fmt.Fprintf(b.out, "  a second of CPU time (goal 20000)       %s\n", spread("%.0f", perSecond))
	fmt.Fprintf(b.out, "  KB each (goal 60), allocations          %.1f, %.0f\n", rounds[0].bytes/1000, rounds[0].allocations)
	fmt.Fprintf(b.out, "  ratio to the %.1f s of one spark-submit   %.0f\n", submitCPU, submitCPU*median(perSecond))
	return nil
}

// parseRenderings parses the output of a benchmark: figures, each followed by its unit.
func parseRenderings(out string) []rendering {
	var rounds []rendering
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "BenchmarkBuild") {
			continue
		}
		var r rendering
		for i, unit := range fields {
			into := map[string]*float64{"renders/cpu-s": &r.perSecond, "B/op": &r.bytes, "allocs/op": &r.allocations}[unit]
			if value, err := strconv.ParseFloat(fields[max(i-1, 0)], 64); into != nil && err == nil {
				*into = value
			}
		}
		rounds = append(rounds, r)
	}
	return rounds
}
