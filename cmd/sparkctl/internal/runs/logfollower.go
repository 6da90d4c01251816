// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const (
	// lookEvery is the interval at which pods are listed while one is expected.
	lookEvery = 500 * time.Millisecond
	// lookAtRestEvery is the interval while no pod can appear before the application changes, which the watch reports.
	lookAtRestEvery = time.Minute
	// lookForMoreEvery is the interval once the logs of some executors are followed.
	lookForMoreEvery = 5 * time.Second
	// silence is how long after its start a container that has not written anything yet is taken for one whose first lines
	// are gone: Spark writes within seconds.
	silence = time.Minute
	// maxLastLooks is how often pods are looked for, if they cannot be listed, after the run has ended.
	maxLastLooks = 20
	// AllExecutors stands for all executors in place of the number of one, and AllLines for all
	// lines in place of their number.
	AllExecutors = "all"
	AllLines     = -1
)

// LogFollower prints the logs of an application, and follows them across its attempts.
type LogFollower struct {
	cluster *client.Cluster
	lines   *lineWriter
	notes   io.Writer
	Options client.LogOptions
	// Executor is the number of an executor, "all", or "" for the driver. attempt is 0 for the current attempt and
	// those that follow.
	Executor string
	Attempt  int64

	// Strict makes a log that the user may not read end the command, because the command is about the log.
	Strict bool
	// Unread is set if a log could not be read.
	Unread atomic.Bool

	// stops reports whether the follower is to end at a state of the application before the end of the run. It may be
	// nil.
	stops func(*v1alpha1.SparkApplication) bool

	// opened are the pods whose logs are being copied or were copied. open counts those that are being copied.
	opened map[types.UID]bool
	open   sync.WaitGroup
	// next is the first attempt whose log has not been opened yet.
	next int64
	// failed receives the first error of reading or writing that ends the command.
	failed chan error
	// noted is the last stage that was printed. missed is set once it was printed that the wanted executor has no
	// pod.
	noted  string
	missed bool
	// barred is set once the user turned out to lack the right to list pods. blind is set while they cannot be listed. lastLooks counts how often they were looked for after the run had ended.
	barred, blind bool
	lastLooks     int
}

// NewLogFollower returns a follower of the driver's log, from its first line on.
func NewLogFollower(c *client.Cluster, out, notes io.Writer) *LogFollower {
	return &LogFollower{cluster: c, lines: &lineWriter{out: out}, notes: notes, Options: client.LogOptions{Tail: -1}, opened: map[types.UID]bool{}, failed: make(chan error, 1)}
}

func (l *LogFollower) role() string {
	if l.Executor != "" {
		return v1alpha1.SparkRoleExecutor
	}
	return v1alpha1.SparkRoleDriver
}

// podsOf returns the wanted pods of an attempt, in the order of their numbers.
func (l *LogFollower) podsOf(ctx context.Context, app *v1alpha1.SparkApplication, attempt int64) ([]corev1.Pod, error) {
	wanted := client.SparkPods{Run: app.Status.Run, Attempt: attempt, Role: l.role()}
	if l.Executor != AllExecutors {
		wanted.Executor = l.Executor
	}
	found, err := l.cluster.PodsOf(ctx, app, wanted)
	slices.SortFunc(found, byNumber)
	return found, err
}

// byNumber orders executors by their number. Numbers are compared as text, the shorter one first.
func byNumber(a, b corev1.Pod) int {
	x, y := client.ExecutorID(&a), client.ExecutorID(&b)
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
}

// copy copies the log of a pod to its end. If the connection breaks while the container is running, it reopens the log
// from the time at which it broke.
func (l *LogFollower) copy(ctx context.Context, pod *corev1.Pod) error {
	prefix := ""
	if l.Executor == AllExecutors {
		prefix = "[" + client.ExecutorID(pod) + "] "
	}
	options := l.Options
	l.noteBeginning(ctx, pod)
	for {
		log, err := l.openLog(ctx, pod, options)
		if err != nil {
			return err
		}
		err = l.lines.copy(log, prefix)
		_ = log.Close() // the log was only read, so an error loses nothing
		broke := clock.RealClock{}.Now()
		var broken *brokenOutput
		if errors.As(err, &broken) || !options.Follow || ctx.Err() != nil || !l.cluster.RunsOn(ctx, pod) {
			return err
		}
		fmt.Fprintf(l.notes, "The log of pod %s was interrupted and is reopened: lines may be missing or repeated.\n", pod.Name)
		options.After, options.Tail = broke, AllLines
	}
}

// noteBeginning says that the beginning of a log seems to be gone, if all of it was wanted.
func (l *LogFollower) noteBeginning(ctx context.Context, pod *corev1.Pod) {
	if l.Options.Tail != AllLines || l.Options.Since > 0 {
		return
	}
	if after := client.LogBegins(ctx, l.cluster, pod, silence); after >= silence {
		fmt.Fprintf(l.notes, "The log of pod %s begins %s after the start of its container. The kubelet keeps only the end of a long log, so what was written before is probably gone.\n",
			pod.Name, after.Round(time.Second))
	}
}

// openLog opens the log of a pod. If it is followed, outages are survived.
func (l *LogFollower) openLog(ctx context.Context, pod *corev1.Pod, options client.LogOptions) (io.ReadCloser, error) {
	if options.Follow {
		return client.OpenLog(ctx, l.cluster, pod, options)
	}
	return l.cluster.Log(ctx, pod, options)
}

// Follow prints logs as they are written, until the run ends. An empty uid stands for the current application of that
// name.
func (l *LogFollower) Follow(ctx context.Context, name string, uid types.UID) error {
	var watching sync.WaitGroup
	defer watching.Wait() // a goroutine that reports an outage must not print after the end
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	states := make(chan *v1alpha1.SparkApplication)
	ended := make(chan error, 1)
	watching.Go(func() {
		ended <- l.cluster.FollowApplication(ctx, name, uid, func(app *v1alpha1.SparkApplication) (bool, error) {
			select {
			case states <- app:
			case <-ctx.Done():
			}
			return false, ctx.Err()
		})
	})
	return l.loop(ctx, states, ended)
}

// loop looks for pods whenever the application changes, and frequently while a pod is expected.
func (l *LogFollower) loop(ctx context.Context, states <-chan *v1alpha1.SparkApplication, ended <-chan error) error {
	var app *v1alpha1.SparkApplication
	run := int64(0)
	for {
		select {
		case err := <-ended:
			l.open.Wait()
			return cmp.Or(l.broken(), err)
		case err := <-l.failed:
			return err
		case app = <-states:
		case <-clock.RealClock{}.After(l.lookAfter(app)):
		}
		if app == nil {
			continue
		}
		if run == 0 {
			run = app.Status.Run
		}
		l.note(app)
		if end, err := l.look(ctx, app, run); end {
			return err
		}
	}
}

// look opens the logs of new pods, and reports whether no more lines are expected.
func (l *LogFollower) look(ctx context.Context, app *v1alpha1.SparkApplication, run int64) (end bool, err error) {
	if err := l.outage(ctx, l.openNew(ctx, app, run)); err != nil {
		return true, err
	}
	over, err := l.over(app, run)
	switch {
	case over && l.blind && l.lastLooks < maxLastLooks:
		l.lastLooks++
		return false, nil
	case !over && err == nil:
		return false, nil
	}
	l.open.Wait()
	l.rest(app, run)
	return true, cmp.Or(l.broken(), err)
}

// outage notes once that pods cannot be listed, and whether they could be listed last. It returns the errors that end the
// command. Others pass, or FollowApplication ends because the API server does not answer.
func (l *LogFollower) outage(ctx context.Context, err error) error {
	switch {
	case err != nil && (ctx.Err() != nil || l.Strict && client.IsForbidden(err)):
		return err
	case client.IsForbidden(err):
		l.barred = true
		fmt.Fprintf(l.notes, "The log cannot be printed: %v\n", err)
	case err != nil && !l.blind:
		fmt.Fprintf(l.notes, "%v; trying again\n", err)
	}
	l.blind = err != nil && !l.barred
	return nil
}

// broken returns the error that has kept lines of the last logs from being read or written, or nil.
func (l *LogFollower) broken() error {
	select {
	case err := <-l.failed:
		return err
	default:
		return nil
	}
}

// lookAfter returns when to look for pods again if the application does not change. app is nil before it was first
// seen. A longer pause loses no lines of later executors, because their logs are copied from the first line.
func (l *LogFollower) lookAfter(app *v1alpha1.SparkApplication) time.Duration {
	if app != nil && !l.blind {
		if stage, known := status.StageOf(app.Status.Conditions); known && !stage.Active() {
			return lookAtRestEvery
		}
	}
	if l.Executor == AllExecutors && len(l.opened) > 0 {
		return lookForMoreEvery
	}
	return lookEvery
}

// cannotBegin is the error of a run whose spec is wrong.
type cannotBegin struct{ message string }

func (c *cannotBegin) Error() string { return "the run cannot begin: " + c.message }

// note prints the stage when it changes.
func (l *LogFollower) note(app *v1alpha1.SparkApplication) {
	s := status.Summarize(app, clock.RealClock{}.Now())
	text := fmt.Sprintf("run %d, attempt %d: %s", s.Run, s.Attempt, s.Stage)
	if s.Run == 0 {
		text = "waiting for the run to begin: " + s.Stage
	}
	if text != l.noted {
		l.noted = text
		fmt.Fprintf(l.notes, "%s: %s\n", text, s.Detail())
	}
}

// noteMissing prints once that the wanted executor has no pod while others may have one. It may never get one.
func (l *LogFollower) noteMissing(app *v1alpha1.SparkApplication) {
	running := app.Status.Executors != nil && app.Status.Executors.Ready > 0
	if l.missed || !running || l.Executor == "" || l.Executor == AllExecutors {
		return
	}
	l.missed = true
	why := "it has not started, or has ended"
	if f := executorFailure(app, app.Status.Attempt, l.Executor); f != nil {
		why = fmt.Sprintf("it has failed: %s: %s", f.Reason, f.Message)
	}
	fmt.Fprintf(l.notes, "Executor %s has no pod: %s. Its log is printed if it starts before the run ends.\n", l.Executor, why)
}

// over reports whether no more lines are expected. It returns an error if the run cannot begin.
func (l *LogFollower) over(app *v1alpha1.SparkApplication, run int64) (bool, error) {
	stage, _ := status.StageOf(app.Status.Conditions)
	switch {
	case l.stops != nil && l.stops(app):
		return true, nil
	case stage.Blocked() && !stage.Waiting():
		return true, &cannotBegin{status.Summarize(app, clock.RealClock{}.Now()).Message}
	case l.Attempt > 0 && app.Status.Attempt > l.Attempt:
		return true, nil
	}
	return stage.Ended() || app.Status.Run != run, nil
}

// rest prints what the status says of an attempt, if its driver pod was gone before its log could be opened.
func (l *LogFollower) rest(app *v1alpha1.SparkApplication, run int64) {
	attempt := cmp.Or(l.Attempt, app.Status.Attempt)
	stage, _ := status.StageOf(app.Status.Conditions)
	if l.blind || l.barred {
		l.Unread.Store(true)
	}
	if run == 0 || app.Status.Run != run || l.Executor != "" || l.next > attempt || !stage.Ended() {
		return
	}
	fmt.Fprintln(l.notes, gone(app, attempt))
}

// openNew opens the logs of pods that have started: those of the wanted attempt, or of all attempts since the first one
// that was seen.
func (l *LogFollower) openNew(ctx context.Context, app *v1alpha1.SparkApplication, run int64) error {
	if run == 0 || app.Status.Run != run || l.barred {
		return nil
	}
	last := cmp.Or(l.Attempt, app.Status.Attempt)
	l.next = cmp.Or(l.next, last)
	for attempt := l.next; attempt <= last; attempt++ {
		found, err := l.podsOf(ctx, app, attempt)
		if err != nil {
			return err
		}
		opened := 0
		if len(found) == 0 {
			l.noteMissing(app)
		}
		for i := range found {
			if client.HasLog(&found[i]) {
				l.start(ctx, &found[i])
				opened++
			}
		}
		if attempt < app.Status.Attempt || opened > 0 && l.Executor != AllExecutors {
			l.next = attempt + 1 // nothing more to look for in this attempt
		}
	}
	return nil
}

// start copies the log of a pod in the background, once for each pod.
func (l *LogFollower) start(ctx context.Context, pod *corev1.Pod) {
	if l.opened[pod.UID] {
		return
	}
	l.opened[pod.UID] = true
	l.open.Go(func() {
		err := l.copy(ctx, pod)
		var broken *brokenOutput
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.As(err, &broken), l.Strict && client.IsForbidden(err):
			select {
			case l.failed <- err:
			default: // another log has already reported an error
			}
		default:
			l.Unread.Store(true)
			fmt.Fprintf(l.notes, "The log of pod %s cannot be read: %v\n", pod.Name, err)
		}
	})
}

// LogOutput returns where lines are written: to the unfiltered output, unless that is a terminal and raw is not set.
func LogOutput(s cli.Streams, raw bool) io.Writer {
	if s.Size != nil && !raw {
		return s.Out
	}
	return s.Raw
}
