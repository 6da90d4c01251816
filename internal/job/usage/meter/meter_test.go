// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/job/usage/meter"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// story is one application, the operator that meters it, and an independent account of what happens.
type story struct {
	t    *testing.T
	m    *meter.Meter
	now  time.Time
	app  *v1alpha1.SparkApplication
	pods []*pods.Record

	// granted and requested are the independent account, in core-seconds.
	granted, requested float64
	// counted is the amount in the metrics.
	counted meter.Count
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{t: t, m: &meter.Meter{}, now: start, app: &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{UID: "app"}}}
	s.app.Status.Run = 1
	return s
}

// wait lets time pass.
func (s *story) wait(d time.Duration) {
	s.now = s.now.Add(d)
	s.granted += usage.OfGrant(s.app.Status.Grant).CPU * d.Seconds()
	for _, r := range s.pods {
		if r.Node != "" && r.Phase == corev1.PodRunning {
			s.requested += float64(r.CPU) / 1000 * d.Seconds()
		}
	}
}

func (s *story) count(c meter.Count) {
	s.counted.Granted, s.counted.Requested = s.counted.Granted.Plus(c.Granted), s.counted.Requested.Plus(c.Requested)
	if c.Ended != "" {
		s.counted.Ended, s.counted.Total = c.Ended, s.counted.Total.Plus(c.Total)
	}
}

// look is a pass without a write.
func (s *story) look() { s.count(s.m.Observe(s.app, s.pods, s.now)) }

// write is a pass that changes the status.
func (s *story) write(change func(*v1alpha1.SparkApplicationStatus)) {
	s.look()
	before, after := s.app.Status, *s.app.Status.DeepCopy()
	change(&after)
	s.m.Stamp(&before, &after, s.now)
	s.app.Status = after
	s.count(s.m.Written(&after))
}

// loseAnswer is a write that reached the API server and whose answer was lost.
func (s *story) loseAnswer(change func(*v1alpha1.SparkApplicationStatus)) {
	s.look()
	before, after := s.app.Status, *s.app.Status.DeepCopy()
	change(&after)
	s.m.Stamp(&before, &after, s.now)
	s.app.Status = after
}

// restart clears what the process remembers.
func (s *story) restart() { s.m = &meter.Meter{} }

func grant(attempt int64, cpu string, executors int32) *v1alpha1.Grant {
	requests := map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("2Gi")}
	return &v1alpha1.Grant{Run: 1, Attempt: attempt, Queue: "team", PodSets: []v1alpha1.PodSetGrant{
		{Name: "driver", Count: 1, Requests: requests}, {Name: "executor", Count: executors, Requests: requests},
	}}
}

func (s *story) admit(attempt int64, executors int32) {
	s.write(func(st *v1alpha1.SparkApplicationStatus) {
		st.Attempt, st.Grant, st.Times.Admitted = attempt, grant(attempt, "1", executors), &metav1.Time{Time: s.now.Truncate(time.Second)}
		st.Driver = &v1alpha1.DriverStatus{PodName: fmt.Sprintf("driver-%d", attempt)}
	})
}

func (s *story) pod(role pods.Role, name string, owner types.UID) *pods.Record {
	r := &pods.Record{Origin: &pods.Origin{OwnerUID: owner, Run: 1, Attempt: s.app.Status.Attempt, CPU: 1000, Memory: 2 << 30},
		Name: name, UID: types.UID(name), Role: role, Node: "node-1", Phase: corev1.PodRunning, BoundAt: uint32(s.now.Unix())}
	s.pods = append(s.pods, r)
	return r
}

func (s *story) drive() {
	s.pod(pods.Driver, s.app.Status.Driver.PodName, "app")
	s.write(func(st *v1alpha1.SparkApplicationStatus) { st.Driver.UID = types.UID(st.Driver.PodName) })
}

func (s *story) executor(number int) *pods.Record {
	return s.pod(pods.Executor, fmt.Sprintf("exec-%d", number), s.app.Status.Driver.UID)
}

// end ends all pods, and then the attempt.
func (s *story) end(outcome v1alpha1.AttemptOutcome, reason v1alpha1.StopReason) {
	for _, r := range s.pods {
		if r.Phase == corev1.PodRunning {
			r.Phase, r.Ended = corev1.PodSucceeded, &pods.Ended{At: s.now.Unix()}
		}
	}
	s.write(func(st *v1alpha1.SparkApplicationStatus) {
		st.Attempts = append(st.Attempts, v1alpha1.AttemptStatus{Run: 1, Attempt: st.Attempt, Outcome: outcome, Reason: string(reason)})
	})
	s.pods = nil
	s.write(func(st *v1alpha1.SparkApplicationStatus) { st.Grant, st.Times.Admitted, st.Driver = nil, nil, nil })
}

func (s *story) want(what string, got, want float64) {
	s.t.Helper()
	// The status has thousandths.
	if math.Abs(got-want) > 0.002*float64(len(s.app.Status.Attempts)+1) {
		s.t.Errorf("%s: got %.3f core-seconds, want %.3f", what, got, want)
	}
}

// check compares status and metrics with the independent account.
func (s *story) check() {
	s.t.Helper()
	var granted, requested usage.Amounts
	for _, r := range usage.RecordsOf(s.app, s.now) {
		granted, requested = granted.Plus(r.Granted), requested.Plus(r.Requested)
	}
	s.want("granted by the status", granted.CPU, s.granted)
	s.want("requested by the status", requested.CPU, s.requested)
}

func (s *story) checkMetrics() {
	s.t.Helper()
	s.want("granted by the metrics", s.counted.Granted.CPU, s.granted)
	s.want("requested by the metrics", s.counted.Requested.CPU, s.requested)
}

func noChange(*v1alpha1.SparkApplicationStatus) {}

func TestStories(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*story){
		"a run to its end": func(s *story) {
			s.admit(1, 2)
			s.wait(3500 * time.Millisecond)
			s.drive()
			s.wait(time.Minute)
			s.executor(1)
			s.executor(2)
			s.look()
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeSucceeded, "")
		},
		"never seen by another pass": func(s *story) {
			s.admit(1, 2)
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeFailed, v1alpha1.StopDriverStart)
		},
		"the grant grows and shrinks": func(s *story) {
			s.admit(1, 1)
			s.drive()
			s.wait(time.Hour)
			s.write(func(st *v1alpha1.SparkApplicationStatus) { st.Grant = grant(1, "1", 8) })
			s.wait(time.Hour)
			s.write(func(st *v1alpha1.SparkApplicationStatus) { st.Grant = grant(1, "1", 2) })
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeSucceeded, "")
		},
		"restarted in the middle": func(s *story) {
			s.admit(1, 1)
			s.drive()
			s.executor(1)
			s.look()
			s.wait(time.Hour)
			s.restart()
			s.wait(time.Hour)
			s.look()
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeSucceeded, "")
		},
		"ended, and its pods gone, while no operator ran": func(s *story) {
			s.admit(1, 1)
			s.drive()
			executor := s.executor(1)
			s.write(noChange)
			s.restart()
			s.wait(time.Hour)
			// The driver has removed its executor when it ended.
			s.pods = s.pods[:1]
			s.pods[0].Phase, s.pods[0].Ended = corev1.PodSucceeded, &pods.Ended{At: s.now.Unix()}
			executor.Phase = corev1.PodSucceeded
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeSucceeded, "")
		},
		"an answer lost at the end": func(s *story) {
			s.admit(1, 1)
			s.drive()
			s.wait(time.Hour)
			s.loseAnswer(func(st *v1alpha1.SparkApplicationStatus) {
				st.Attempts = append(st.Attempts, v1alpha1.AttemptStatus{Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeSucceeded})
			})
			s.loseAnswer(func(st *v1alpha1.SparkApplicationStatus) { st.Grant = nil })
			s.pods = nil
			s.look()
		},
		"preempted, and another attempt with the same write": func(s *story) {
			s.admit(1, 1)
			s.drive()
			s.wait(time.Hour)
			s.write(func(st *v1alpha1.SparkApplicationStatus) {
				st.Attempts = append(st.Attempts, v1alpha1.AttemptStatus{Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: string(v1alpha1.StopPreempted)})
				st.Attempt, st.Grant, st.Driver = 2, grant(2, "1", 3), &v1alpha1.DriverStatus{PodName: "driver-2"}
			})
			s.pods = nil
			s.wait(time.Hour)
			s.end(v1alpha1.OutcomeSucceeded, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			play(s)
			s.check()
			s.checkMetrics()
			if s.m.Active() || s.app.Status.Usage != nil {
				t.Errorf("the meter still runs: %+v", s.app.Status.Usage)
			}
		})
	}
}

// TestNotPaidFor: what tenants may write, and changes of the clock, do not affect any sum.
func TestNotPaidFor(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.admit(1, 1)
	s.drive()
	s.write(noChange)
	s.pod(pods.Executor, "labelled", "some-other-owner").CPU = 1 << 40
	s.pod(pods.Driver, "a-second-driver", "app").CPU = 1 << 40
	s.look()
	s.pods = s.pods[:1]
	s.wait(time.Hour)
	s.look()
	s.now = s.now.Add(-30 * time.Minute) // the clock is set back
	s.look()
	s.now = s.now.Add(30 * time.Minute)
	s.requested, s.granted = s.requested+1800, s.granted+3600
	// A user has written it.
	s.app.Status.Usage.Granted.MilliCPUSeconds = -1 << 60
	s.end(v1alpha1.OutcomeSucceeded, "")
	s.check()
}

// TestDeletedWhileRunning: no status has the end of an application that is deleted; metrics count it once.
func TestDeletedWhileRunning(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.admit(1, 1)
	s.drive()
	s.wait(time.Hour)
	s.count(s.m.Gone(s.now))
	s.count(s.m.Gone(s.now))
	s.checkMetrics()
	if s.counted.Ended != usage.Stopped || math.Abs(s.counted.Total.CPU-s.granted) > 0.01 {
		t.Errorf("counted as ended: %+v", s.counted)
	}
}

// TestRandomLives: whatever happens in whatever order, the sums are those of an independent account. Executors do not
// vanish while no operator runs, because the time of their end would be unknown.
func TestRandomLives(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 300, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		s := newStory(t)
		for attempt := range int64(1 + random.IntN(3)) {
			s.admit(attempt+1, int32(random.IntN(5)))
			s.drive()
			down := false
			for step := range 30 {
				s.wait(time.Duration(1+random.IntN(5000)) * time.Second)
				switch random.IntN(7) {
				case 0:
					s.executor(step)
				case 1:
					if n := len(s.pods); n > 1 && !down {
						s.pods = s.pods[:n-1]
						s.write(noChange) // fewer executors are ready
					}
				case 2:
					s.restart()
					down = true
					continue
				case 3:
					s.write(func(st *v1alpha1.SparkApplicationStatus) { st.Grant = grant(attempt+1, "500m", int32(random.IntN(9))) })
				case 4:
					s.loseAnswer(noChange)
				case 5:
					s.write(noChange)
				}
				s.look()
				down = false
			}
			s.end(v1alpha1.OutcomeSucceeded, "")
		}
		s.check()
		s.checkMetrics()
	})
}
