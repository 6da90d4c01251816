// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// median returns the middle value; of an even number of values, the lower of the two in the middle.
func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// spread formats the median of figures, and all of them if there are several.
func spread(format string, values []float64) string {
	text := fmt.Sprintf(format, median(values))
	if len(values) == 1 {
		return text
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprintf(format, v)
	}
	return text + "  (" + strings.Join(all, ", ") + ")"
}

func (b *bench) printMachine() {
	goVersion := "unknown"
	if info, err := buildinfo.ReadFile(b.program); err == nil {
		goVersion = info.GoVersion
	}
	fmt.Fprintf(b.out, "Machine: %d cores of %s, %s/%s, load %s. Operator: commit %s, %s, %s. %s.\n", runtime.NumCPU(), host.Processor(),
		runtime.GOOS, runtime.GOARCH, host.LoadAverage(), commit(), goVersion, strings.Join(host.Environment, " "), time.Now().Format(time.DateOnly))
	fmt.Fprintf(b.out, "etcd does not wait for the disk. Operator and loop: %d at once, no limit of requests. Figures: median (all rounds).\n", load.Workers)
}

// commit returns the Git commit of the working tree that the program was built from.
func commit() string {
	name, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(name))
}

// pick returns one figure of every round.
func pick(rounds []round, figure func(r *round) float64) []float64 {
	out := make([]float64, len(rounds))
	for i := range rounds {
		out[i] = figure(&rounds[i])
	}
	return out
}

func (b *bench) printSubmissions(rounds []round) {
	n := rounds[0].operator.n
	t := newTable(b, fmt.Sprintf("Submitting %d applications that were applied before (no node takes their pods)", n))
	g, creates := goals{operator: "goal ≤ 4.0", machine: "goal ≤ 30.0"}, "goal ≥ 0.30"
	if b.policy != "" {
		g.machine, creates = "goal ≤ 20.0", "goal ≥ 0.50"
	}
	t.row("operator, applications/s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.operator.rate() })), "")
	t.row("bare loop, same writes, applications/s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.same.rate() })), "")
	t.row("bare loop, three creates, applications/s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.creates.rate() })), "")
	t.row("ratio to the same writes", spread("%.2f", pick(rounds, func(r *round) float64 { return r.operator.rate() / r.same.rate() })), "goal ≥ 0.95")
	t.row("ratio to three creates", spread("%.2f", pick(rounds, func(r *round) float64 { return r.operator.rate() / r.creates.rate() })), creates)
	b.printCosts(t, rounds, g)
	t.end()
	last := &rounds[len(rounds)-1]
	b.printWrites(&last.operator, &last.same)
}

func (b *bench) printDeletions(rounds []round) {
	n := rounds[0].operator.n
	t := newTable(b, fmt.Sprintf("Deleting %d applications, as many others stay (ConfigMap and Service are left to a garbage collector, which does not run)", n))
	t.row("operator, applications/s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.operator.rate() })), "")
	t.row("operator, seconds until the last is gone", spread("%.1f", pick(rounds, func(r *round) float64 { return r.operator.elapsed.Seconds() })), "")
	t.row("bare loop, same writes, applications/s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.same.rate() })), "")
	t.row("ratio to the same writes", spread("%.2f", pick(rounds, func(r *round) float64 { return r.operator.rate() / r.same.rate() })), "goal ≥ 0.40")
	b.printCosts(t, rounds, goals{})
	t.end()
	last := &rounds[len(rounds)-1]
	b.printWrites(&last.operator, &last.same)
}

// goals are the goals for CPU times.
type goals struct{ operator, machine string }

// printCosts prints CPU times per application. Those of the operator and its servers are exact whatever else the
// machine does; that of the machine includes everything.
func (b *bench) printCosts(t *table, rounds []round, g goals) {
	per := func(d time.Duration, n int) float64 { return float64(d) / float64(time.Millisecond) / float64(n) }
	operator := pick(rounds, func(r *round) float64 { return per(r.operator.client-b.idle.operator, r.operator.n) })
	t.row("CPU of the operator, ms an application", spread("%.1f", operator), g.operator)
	t.row("CPU of operator, API server and etcd, ms an application", spread("%.1f", pick(rounds, func(r *round) float64 {
		return per(r.operator.client-b.idle.operator+r.operator.servers, r.operator.n)
	})), g.machine)
	t.row("CPU of loop, API server and etcd, ms an application", spread("%.1f", pick(rounds, func(r *round) float64 {
		return per(r.same.client+r.same.servers, r.same.n)
	})), "")
	if rounds[0].creates.n > 0 {
		t.row("the same with three creates", spread("%.1f", pick(rounds, func(r *round) float64 {
			return per(r.creates.client+r.creates.servers, r.creates.n)
		})), "")
	}
	t.row("CPU of the whole machine, others included, ms an application", spread("%.1f", pick(rounds, func(r *round) float64 {
		return per(r.operator.machine, r.operator.n)
	})), "")
	t.row("start of the operator to its first write, s", spread("%.1f", pick(rounds, func(r *round) float64 { return r.operator.startup.Seconds() })), "")
	t.row("CPU of a start with nothing to do, ms in all", fmt.Sprintf("%.0f", per(b.idle.operator, 1)), "")
}

// printWrites compares the writes of two runs by kind.
func (b *bench) printWrites(operator, loop *figures) {
	per := func(total int) float64 { return float64(total) / float64(operator.n) }
	t := newTable(b, "")
	t.row("writes an application, while timed", "operator", "loop")
	for _, kind := range operator.writes.Done.Kinds() {
		t.row("  "+kind.String(), fmt.Sprintf("%.2f", per(operator.writes.Done[kind])), fmt.Sprintf("%.2f", per(loop.writes.Done[kind])))
	}
	t.row("  all", fmt.Sprintf("%.2f", per(operator.writes.Done.Total())), fmt.Sprintf("%.2f", per(loop.writes.Done.Total())))
	if entries, most := operator.ledger(); entries > 0 {
		t.row("  grants in the ledger, summed over its writes", fmt.Sprintf("%.2f", per(entries)), fmt.Sprintf("at most %d at once", most))
	}
	t.row("  reads", fmt.Sprintf("%.2f", per(operator.writes.Reads.Total())), fmt.Sprintf("%.2f", per(loop.writes.Reads.Total())))
	t.row("  refused, conflicts among them", fmt.Sprintf("%.2f", per(operator.writes.Failed.Total())), fmt.Sprintf("%.2f", per(loop.writes.Failed.Total())))
	t.end()
}

// table prints rows of a name, a figure and a goal.
type table struct{ w *tabwriter.Writer }

func newTable(b *bench, title string) *table {
	fmt.Fprintln(b.out)
	if title != "" {
		fmt.Fprintln(b.out, title)
	}
	return &table{w: tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)}
}

func (t *table) row(cells ...string) { fmt.Fprintf(t.w, "  %s\n", strings.Join(cells, "\t")) }

func (t *table) end() { _ = t.w.Flush() }
