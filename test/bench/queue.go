// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
	"github.com/sparkgate/sparkgate/test/bench/load"
)

// brief is a life of one second. Without limits all applications are admitted at once, and the API server limits how
// fast they come to their end: some ten or twenty per second. The comparison shows the cost of the queue only if the
// API server is the limit in the other run as well. So lives have to be short compared with the time that the API
// server needs for those admitted at a time: with quota for 100 and a second each, 100 per second could pass, many more
// than it can serve. With longer lives, or less quota, the ratio would measure how long drivers run. The quota counts
// two executors, but the node creates none: their writes would be the same in both runs, and would hide what the queue
// adds.
var brief = load.Script{RunFor: time.Second}

// narrowName is the queue with limits.
const narrowName = "narrow"

// journey is a run of applications from apply to succeeded.
type journey struct {
	// elapsed is the time from the first apply to the last end.
	elapsed time.Duration
	writes  host.Count
	// most is the largest number that held a grant at once.
	most int
}

// crossing is one turn: the same applications without limits and with them.
type crossing struct{ free, narrow journey }

// ratio returns the ratio of the times.
func (c *crossing) ratio() float64 { return c.narrow.elapsed.Seconds() / c.free.elapsed.Seconds() }

// extra returns the number of additional writes with limits.
func (c *crossing) extra() int { return c.narrow.writes.Done.Total() - c.free.writes.Done.Total() }

// measureQueue sends applications through a queue that admits a few at a time, and through one without limits.
func (b *bench) measureQueue(ctx context.Context) error {
	if err := b.user.QueueFor(ctx, narrowName, b.room); err != nil {
		return err
	}
	b.progress("rehearsing both queues")
	if _, err := b.cross(ctx, min(b.queued, 50), false); err != nil {
		return err
	}
	var rounds []crossing
	for i := range b.rounds {
		b.progress("sending %d applications through a queue with and without limits, round %d of %d", b.queued, i+1, b.rounds)
		c, err := b.cross(ctx, b.queued, i%2 == 1)
		if err != nil {
			return err
		}
		b.progress("without limits %.1f s, with limits %.1f s", c.free.elapsed.Seconds(), c.narrow.elapsed.Seconds())
		rounds = append(rounds, c)
	}
	b.printQueue(rounds)
	return nil
}

// cross runs one turn. The second run finds a larger database, so the order changes from turn to turn.
func (b *bench) cross(ctx context.Context, n int, narrowFirst bool) (c crossing, err error) {
	if narrowFirst {
		if c.narrow, err = b.travel(ctx, narrowName, n); err != nil {
			return c, err
		}
	}
	if c.free, err = b.travel(ctx, queueName, n); err != nil || narrowFirst {
		return c, err
	}
	c.narrow, err = b.travel(ctx, narrowName, n)
	return c, err
}

// travel sends n applications through a queue, applied as fast as possible.
func (b *bench) travel(ctx context.Context, queue string, n int) (j journey, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, 30*time.Minute, errors.New("not within 30 minutes"))
	defer cancel()
	j.writes, err = b.account(limited, brief, func(operator *host.Operator, namespace string) error {
		progress, err := load.Track(limited, b.user.Client, namespace)
		if err != nil {
			return err
		}
		defer progress.Stop()
		began := time.Now()
		if _, err := b.user.ApplyFrom(limited, namespace, load.Range{N: n, Executors: 2, Queue: queue}); err != nil {
			return err
		}
		end, err := progress.Wait(limited, v1alpha1.SucceededReason, n)
		if err != nil {
			_, ended := operator.CPU()
			return errors.Join(err, ended)
		}
		j.elapsed, j.most = end.Sub(began), progress.MostGranted()
		return operator.WaitIdle(limited)
	})
	return j, err
}

func (b *bench) printQueue(rounds []crossing) {
	pick := func(figure func(c *crossing) float64) []float64 {
		out := make([]float64, len(rounds))
		for i := range rounds {
			out[i] = figure(&rounds[i])
		}
		return out
	}
	n := float64(b.queued)
	t := newTable(b, fmt.Sprintf("%d applications with a life of %s, from apply to succeeded", b.queued, brief.RunFor))
	t.row("seconds, without limits", spread("%.1f", pick(func(c *crossing) float64 { return c.free.elapsed.Seconds() })), "")
	t.row(fmt.Sprintf("seconds, room for %d at a time", b.room), spread("%.1f", pick(func(c *crossing) float64 { return c.narrow.elapsed.Seconds() })), "")
	t.row("ratio", spread("%.2f", pick((*crossing).ratio)), "goal ≤ 1.15")
	t.row("writes an application, without limits", spread("%.2f", pick(func(c *crossing) float64 { return float64(c.free.writes.Done.Total()) / n })), "")
	t.row("writes an application, with limits", spread("%.2f", pick(func(c *crossing) float64 { return float64(c.narrow.writes.Done.Total()) / n })), "")
	t.row("extra writes an application", spread("%.2f", pick(func(c *crossing) float64 { return float64(c.extra()) / n })), "goal ≤ 2.00")
	t.end()
	b.printCrossing(&rounds[len(rounds)-1])
}

// printCrossing compares the writes of one turn by kind.
func (b *bench) printCrossing(c *crossing) {
	per := func(total int) string { return fmt.Sprintf("%.2f", float64(total)/float64(b.queued)) }
	t := newTable(b, "")
	t.row("writes an application, last round", "without limits", "with limits")
	kinds := maps.Clone(c.free.writes.Done)
	maps.Copy(kinds, c.narrow.writes.Done)
	for _, kind := range kinds.Kinds() {
		t.row("  "+kind.String(), per(c.free.writes.Done[kind]), per(c.narrow.writes.Done[kind]))
	}
	t.row("  refused, conflicts among them", per(c.free.writes.Failed.Total()), per(c.narrow.writes.Failed.Total()))
	t.row("most that held a grant at once", fmt.Sprint(c.free.most), fmt.Sprint(c.narrow.most))
	t.end()
}
