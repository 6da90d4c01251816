// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// load describes arrivals in the way of Kueue's performance test: cohorts of equal queues, and the same applications
// for each queue. The queues of a cohort lend each other their unused quota.
type load struct {
	cohorts, queues int
	// nominal is the number of cores of each queue, and borrowing how many it may borrow.
	nominal, borrowing int64
	classes            []class
}

// class describes the applications of one kind in one queue. The first one arrives after one pause, the second after
// two, and so on.
type class struct {
	name          string
	count         int
	pause, runFor time.Duration
	cores         int64
	priority      int32
}

// loads has the numbers of Kueue's configurations of the same names.
var loads = map[string]load{
	"baseline": {
		cohorts: 5, queues: 6, nominal: 20, borrowing: 100,
		classes: []class{
			{name: "small", count: 350, pause: 100 * time.Millisecond, runFor: 200 * time.Millisecond, cores: 1, priority: 50},
			{name: "medium", count: 100, pause: 500 * time.Millisecond, runFor: 500 * time.Millisecond, cores: 5, priority: 100},
			{name: "large", count: 50, pause: 1200 * time.Millisecond, runFor: time.Second, cores: 20, priority: 200},
		},
	},
	"large-scale": {
		cohorts: 10, queues: 100, nominal: 20, borrowing: 100,
		classes: []class{
			{name: "small", count: 35, pause: 60 * time.Millisecond, runFor: 150 * time.Millisecond, cores: 1, priority: 50},
			{name: "medium", count: 11, pause: 300 * time.Millisecond, runFor: 350 * time.Millisecond, cores: 5, priority: 100},
			{name: "large", count: 4, pause: 700 * time.Millisecond, runFor: 700 * time.Millisecond, cores: 20, priority: 200},
		},
	},
}

// scenario returns the queues and their arrivals. Simultaneous ones are ordered by queue, and then by class.
func (l load) scenario(preemption config.Preemption) Scenario {
	var s Scenario
	for c := range l.cohorts {
		cohort := config.Queue{Name: fmt.Sprintf("cohort-%02d", c)}
		s.Queues = append(s.Queues, cohort)
		for q := range l.queues {
			queue := l.queue(fmt.Sprintf("%s.%03d", cohort.Name, q), cohort.Name)
			queue.Preemption = preemption
			s.Queues = append(s.Queues, queue)
			s.Arrivals = append(s.Arrivals, l.arrivals(queue.Name)...)
		}
	}
	return s
}

func (l load) queue(name, cohort string) config.Queue {
	queue := queueWith(name, cohort, l.nominal)
	borrowing := 1000 * l.borrowing
	queue.Flavors[0].Quotas[0].Borrowing = &borrowing
	return queue
}

// arrivals returns the arrivals of one queue. The namespace is the class.
func (l load) arrivals(queue string) []Arrival {
	var out []Arrival
	for _, c := range l.classes {
		for i := range c.count {
			out = append(out, Arrival{At: time.Duration(i+1) * c.pause, RunFor: c.runFor, Ask: queueing.Ask{
				Key: queueing.Key{Namespace: c.name, Name: fmt.Sprintf("%s.%03d", queue, i)}, Queue: queue, Priority: c.priority,
				PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000 * c.cores}}},
			}})
		}
	}
	return out
}

// coresOf returns the number of cores that an arrival of a load requests.
func coresOf(a *Arrival) int64 { return a.Ask.PodSets[0].Requests["cpu"] / 1000 }

// bounds returns two lower bounds of the makespan: work is the time for all work at full use of the quota, and arriving
// also considers that nothing can run before it has arrived.
func (l load) bounds() (work, arriving Time) {
	all := l.arrivals("")
	for _, a := range all {
		arriving = max(arriving, Time(a.At+a.RunFor), Time(a.At)+l.left(all, a.At))
	}
	return l.left(all, 0), arriving
}

// left returns how long the quota of a queue is busy after a time, if all earlier work had started at once.
func (l load) left(all []Arrival, at time.Duration) Time {
	var sum Time
	for i := range all {
		ran := max(0, at-all[i].At)
		sum += Time(max(0, all[i].RunFor-ran)) * Time(coresOf(&all[i]))
	}
	return sum / Time(l.nominal)
}
