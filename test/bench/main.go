// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// The parts of the benchmark, in the order in which they run.
const (
	partRender      = "render"
	partSubmit      = "submit"
	partDelete      = "delete"
	partWrites      = "writes"
	partAllocations = "allocations"
	partLatency     = "latency"
	partQueue       = "queue"
	partMemory      = "memory"
	partRestart     = "restart"
	partGates       = "gates"
	partElastic     = "elastic"
	partContention  = "contention"
	partSchedules   = "schedules"
	partLarge       = "large"
	partPurge       = "purge"
	partScale       = "scale"
	partSparkctl    = "sparkctl"
	// partPeers needs other operators. It runs only if it is named.
	partPeers = "peers"
)

type options struct {
	program string
	// other is the program of another version of the operator, which is measured in turns with this one; empty for
	// none.
	other string
	crds  string
	// sparkctl is the program of the command-line tool.
	sparkctl string
	// flags are added to those of the operator.
	flags string
	// policy is a file with the admission policy of config/fast; empty for none.
	policy string
	parts  []string
	sizes  []int
	rounds int
	// lives is the number of applications that are followed to their end.
	lives int
	// queued is the number of applications that pass through a queue; the second one is how many of them fit into its
	// quota at a time.
	queued, room int
	// finished is the number of applications in each of the two steps of the memory measurement.
	finished int
	// wide is the number of applications with 100 executors in each of the two steps of the memory measurement.
	wide int
	// large is the number of applications of the largest size that the operator handles; half as many are larger.
	large int
	// pending is the number of waiting applications in each of the two steps of the memory measurement.
	pending int
	// restart is the number of finished applications when the start of an operator is timed.
	restart int
	// through is the number of applications that come to each gate at once.
	through int
	// gated is the number of executors whose scheduling gates are removed.
	gated int
	// flood is the number of applications that one namespace applies at once, beside another one.
	flood int
	// schedules is the number of schedules that are due in the same minute.
	schedules int
	// purge is the number of applications that are deleted at once, most of which wait.
	purge int
	// scale is the number of other applications in the measurement at scale.
	scale int
	// listed is the number of applications that sparkctl lists.
	listed int
	// peerApps is the number of applications for each of the compared operators, and peerDeleted the number of ended
	// ones that are deleted.
	peerApps, peerDeleted int
	// profile is the file for a CPU profile of the operator; that of the API server has the additional ending
	// .apiserver. Empty for none.
	profile    string
	profileFor time.Duration
	// heap is a file for a heap profile; empty for none.
	heap string
	// limit is the time limit of the whole run.
	limit time.Duration
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	log.SetLogger(logr.Discard())
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// allParts are the parts in the order in which they run.
var allParts = []string{partRender, partSubmit, partDelete, partWrites, partAllocations, partLatency, partQueue, partMemory, partRestart, partGates, partElastic, partContention, partSchedules, partLarge, partPurge, partScale, partSparkctl}

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&o.program, "operator", cmp.Or(os.Getenv("SPARKGATE_OPERATOR"), "../bin/sparkgate"), "the operator's program")
	fs.StringVar(&o.other, "other-operator", os.Getenv("SPARKGATE_OTHER_OPERATOR"), "the program of another version of the operator, whose starts are timed in turns with those of this one")
	fs.StringVar(&o.sparkctl, "sparkctl", cmp.Or(os.Getenv("SPARKGATE_CTL"), "../out/sparkctl"), "the program of sparkctl")
	fs.StringVar(&o.flags, "operator-flags", "", "flags to add to those of the operator, such as --stage-events=true, which is its default but not the benchmark's")
	fs.StringVar(&o.policy, "policy", "", "install the admission policy of this file, such as ../config/fast/finalizer.yaml, before anything is measured")
	fs.StringVar(&o.crds, "crds", "../config/crd/bases", "the folder of the CRDs")
	parts := fs.String("parts", strings.Join(allParts, ","), "what to measure")
	sizes := fs.String("sizes", "100,2000", "numbers of applications to submit; half of the last number is deleted")
	fs.IntVar(&o.rounds, "rounds", 3, "how often to take turns between operator and loop")
	fs.IntVar(&o.lives, "lives", 50, "how many applications to follow to their end")
	fs.IntVar(&o.queued, "queue", 2000, "how many applications to send through a queue with limits and through one without")
	fs.IntVar(&o.room, "room", 100, "how many of them the limits let in at a time")
	fs.IntVar(&o.finished, "finished", 1000, "after how many finished applications to measure memory, and again after twice as many")
	fs.IntVar(&o.wide, "wide", 25, "after how many applications with 100 executors to measure memory, and again after twice as many; 0 for none")
	fs.IntVar(&o.pending, "pending", 5000, "after how many waiting applications to measure memory, and again after twice as many; 0 for none")
	fs.IntVar(&o.large, "large", 500, "with how many applications of 256 KiB, and with half as many of 1.4 MB, to measure the peak of memory")
	fs.IntVar(&o.restart, "restart", 10000, "with how many finished applications to time the start of an operator")
	fs.IntVar(&o.through, "through", 300, "how many applications to send through each gate at once")
	fs.IntVar(&o.gated, "gated", 300, "how many executors of one application to let in through their scheduling gates")
	fs.IntVar(&o.flood, "flood", 2000, "how many applications one namespace applies at once beside another one")
	fs.IntVar(&o.schedules, "schedules", 10000, "how many schedules to measure at rest and in the minute in which all are due")
	fs.IntVar(&o.purge, "purge", 5000, "how many applications, 58 % of them waiting and the others finished, to delete at once")
	fs.IntVar(&o.scale, "scale", 10000, "beside how many applications, 96 % of them finished, 3 % waiting and 1 % running with 20 executors, to measure an operator")
	fs.IntVar(&o.listed, "listed", 10000, "how many applications sparkctl lists")
	fs.IntVar(&o.peerApps, "peer-apps", 20, "how many applications to submit to each of the operators that are compared")
	fs.IntVar(&o.peerDeleted, "peer-deleted", 250, "how many applications that have ended to delete with each of them")
	fs.StringVar(&o.profile, "cpuprofile", "", "write CPU profiles of the last submissions to FILE (operator) and FILE.apiserver; of those of -scale to FILE.beside-N and FILE.beside-N.apiserver")
	fs.DurationVar(&o.profileFor, "cpuprofile-time", 20*time.Second, "length of the CPU profiles")
	fs.StringVar(&o.heap, "heapprofile", "", "write a heap profile of the operator with the applications of -wide to FILE, and with those of -pending to FILE.waiting")
	fs.DurationVar(&o.limit, "limit", 3*time.Hour, "give up after this time")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", fs.Arg(0))
	}
	o.parts = strings.Split(*parts, ",")
	return o, o.check(*sizes)
}

// check parses the sizes, and refuses settings that cannot be measured.
func (o *options) check(sizes string) error {
	for _, part := range o.parts {
		if !slices.Contains(allParts, part) && part != partPeers {
			return fmt.Errorf("-parts has %q; choose from %v and %s", part, allParts, partPeers)
		}
	}
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			return fmt.Errorf("-sizes has %q; give numbers of 2 or more", text)
		}
		o.sizes = append(o.sizes, n)
	}
	if min(o.rounds, o.lives, o.queued, o.room, o.finished, o.restart, o.through, o.gated-1, o.flood-crowdedRoom, o.schedules, o.listed, o.peerApps, o.peerDeleted) < 1 ||
		min(o.wide, o.pending) < 0 {
		return errors.New("-rounds, -lives, -queue, -room, -finished, -restart, -through, -schedules, -listed, -peer-apps and -peer-deleted are 1 or more, -gated 2 or more, -flood 51 or more, -wide and -pending 0 or more")
	}
	return nil
}

// bench has what all measurements share.
type bench struct {
	options
	server *host.Server
	user   load.User
	out    io.Writer
	sample *load.Sample
	// idle has the costs without any work: the CPU time of an operator's start, and the share of one CPU that
	// kube-apiserver and etcd use.
	idle struct {
		operator time.Duration
		servers  float64
	}
}

func (o *options) wants(part string) bool { return slices.Contains(o.parts, part) }

func run(ctx context.Context, o options, out io.Writer) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("not ready after %s", o.limit))
	defer cancel()
	// The bare loops collect garbage as rarely as the operator.
	debug.SetGCPercent(host.GCPercent)
	b := &bench{options: o, out: out}
	if o.wants(partRender) {
		if err := b.measureRender(ctx); err != nil || len(o.parts) == 1 {
			return err
		}
	}
	b.progress("starting kube-apiserver and etcd")
	if b.server, err = host.StartServer(os.Getenv(env.AssetsVariable), o.crds); err != nil {
		return fmt.Errorf("%w (run it by `make bench`)", err)
	}
	defer func() { err = errors.Join(err, b.server.Stop()) }()
	b.server.OperatorFlags = strings.Fields(o.flags)
	if err := b.prepare(ctx); err != nil {
		return err
	}
	b.printMachine()
	for _, part := range []struct {
		wanted  bool
		measure func(context.Context) error
	}{
		{o.wants(partSubmit) || o.wants(partDelete), b.measureThroughput},
		{o.wants(partWrites), b.measureWrites},
		{o.wants(partAllocations), b.measureAllocations},
		{o.wants(partLatency), b.measureLatency},
		{o.wants(partQueue), b.measureQueue},
		{o.wants(partMemory), b.measureMemory},
		{o.wants(partRestart), b.measureRestart},
		{o.wants(partGates), b.measureGates},
		{o.wants(partElastic), b.measureElastic},
		{o.wants(partContention), b.measureContention},
		{o.wants(partSchedules), b.measureSchedules},
		{o.wants(partLarge), b.measureLarge},
		{o.wants(partPurge), b.measurePurge},
		{o.wants(partScale), b.measureScale},
		{o.wants(partSparkctl), b.measureSparkctl},
		{o.wants(partPeers), b.measurePeers},
	} {
		if !part.wanted {
			continue
		}
		if err := part.measure(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nLoad of the machine at the end: %s\n", host.LoadAverage())
	return nil
}

// prepare creates the objects that all measurements need. It copies the program, so that a build in the meantime
// changes nothing.
func (b *bench) prepare(ctx context.Context) error {
	scheme, err := env.Scheme()
	if err != nil {
		return err
	}
	if b.user.Client, err = client.NewWithWatch(b.server.Config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	if err := b.user.Queue(ctx, queueName); err != nil {
		return err
	}
	if b.policy != "" {
		b.progress("installing %s", b.policy)
		if err := b.user.InstallPolicy(ctx, b.policy); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(b.program)
	if err != nil {
		return fmt.Errorf("read the operator's program (build it by `make build`): %w", err)
	}
	b.program = filepath.Join(b.server.Dir, "sparkgate")
	return os.WriteFile(b.program, data, 0o700)
}

// queueName is the queue of all applications; it has no limits.
const queueName = "default"

// progress writes the current step to standard error.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "    [load %s] %s\n", host.LoadAverage(), fmt.Sprintf(format, args...))
}
