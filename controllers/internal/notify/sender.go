// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
)

const (
	// maxQueued is the maximum number of waiting events.
	maxQueued = 256
	// tries is how often one event is sent at most.
	tries = 4
	// firstPause is the pause before the second try; it doubles for each further one.
	firstPause = time.Second
	// requestTimeout is how long a receiver may take to answer.
	requestTimeout = 5 * time.Second
	// shutdownTimeout is how long the sender continues after shutdown has begun.
	shutdownTimeout = 3 * time.Second
)

// Results of sending an event.
const (
	delivered = "delivered" // accepted, or known already
	refused   = "refused"   // the receiver rejects it for good
	failed    = "failed"    // the last try failed
	dropped   = "dropped"   // dropped from the full queue, or at the end of the operator
)

var notifications = metricseries.NewCounters("sparkgate_notifications_total",
	"Events for Flux's notification-controller, by what became of them.", "result")

func init() { metrics.Registry.MustRegister(notifications) }

// Options configure a Sender.
type Options struct {
	// URL is the http or https URL to which events are posted.
	URL string
	// Instance identifies this process in events.
	Instance string
	// Clock gives the time of events, and measures pauses.
	Clock clock.Clock
	// Log gets one line when events start to be lost, and one when they no longer are.
	Log logr.Logger
	// Transport is the transport to the receiver. Default: http.DefaultTransport.
	Transport http.RoundTripper
}

// Sender sends events one after the other. Notify is safe for concurrent use.
type Sender struct {
	Options
	client http.Client
	// shutdownTimeout is how long to continue after shutdown has begun.
	shutdownTimeout time.Duration
	// losing is true if the last event was not delivered. Only the sending goroutine uses it.
	losing bool

	mu    sync.Mutex
	queue []event
	// filled signals that there may be events to send.
	filled chan struct{}
}

// New returns a Sender. It sends once it is started.
func New(o Options) *Sender {
	for _, result := range []string{delivered, refused, failed, dropped} {
		notifications.Add(0, result)
	}
	return &Sender{Options: o, client: http.Client{Timeout: requestTimeout, Transport: o.Transport}, shutdownTimeout: shutdownTimeout, filled: make(chan struct{}, 1)}
}

// Notify queues an event about an application. It never blocks. If the queue is full, the namespace with the most
// queued events loses its oldest one, so that a namespace whose applications all fail at once cannot displace the
// events of others.
func (s *Sender) Notify(app *v1alpha1.SparkApplication, warning bool, reason, message string) {
	severity := severityInfo
	if warning {
		severity = severityError
	}
	s.put(s.eventOf(subject{app, v1alpha1.SparkApplicationKind, metadataOf(app)}, severity, reason, message))
}

// NotifySchedule queues a warning about a schedule, like Notify.
func (s *Sender) NotifySchedule(schedule *v1alpha1.ScheduledSparkApplication, reason, message string) {
	s.put(s.eventOf(subject{schedule, v1alpha1.ScheduledSparkApplicationKind, metadataOfSchedule(schedule)}, severityError, reason, message))
}

// put queues an event.
func (s *Sender) put(e event) {
	s.mu.Lock()
	if len(s.queue) == maxQueued {
		s.dropOne()
	}
	s.queue = append(s.queue, e)
	s.mu.Unlock()
	select {
	case s.filled <- struct{}{}:
	default:
	}
}

// dropOne drops the oldest event of the namespace with the most queued events. The caller must hold the lock.
func (s *Sender) dropOne() {
	count, most := map[string]int{}, ""
	for i := range s.queue {
		namespace := s.queue[i].InvolvedObject.Namespace
		if count[namespace]++; count[namespace] > count[most] {
			most = namespace
		}
	}
	oldest := slices.IndexFunc(s.queue, func(e event) bool { return e.InvolvedObject.Namespace == most })
	s.queue = slices.Delete(s.queue, oldest, oldest+1)
	notifications.Inc(dropped)
}

// NeedLeaderElection returns false: the sender runs in every replica, and has nothing to send in those that do not
// lead.
func (s *Sender) NeedLeaderElection() bool { return false }

// Start sends events until ctx is done, and then for shutdownTimeout those that are left. It implements
// manager.Runnable.
func (s *Sender) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			s.sendRest(ctx)
			return nil
		case <-s.filled:
		}
		for ctx.Err() == nil {
			e, ok := s.next()
			if !ok {
				break
			}
			s.account(s.deliver(ctx, e))
		}
	}
}

// sendRest tries once to send each remaining event.
func (s *Sender) sendRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.shutdownTimeout)
	defer cancel()
	for {
		e, ok := s.next()
		if !ok {
			return
		}
		if ctx.Err() != nil {
			s.account(dropped, nil)
			continue
		}
		result, err := s.post(ctx, e)
		if result == "" {
			result = dropped
		}
		s.account(result, err)
	}
}

func (s *Sender) next() (event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue = nil
		return event{}, false
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

// deliver sends an event with retries, and returns the result.
func (s *Sender) deliver(ctx context.Context, e event) (result string, err error) {
	pause := firstPause
	for try := 1; ; try++ {
		if result, err = s.post(ctx, e); result != "" {
			return result, err
		}
		if try == tries {
			return failed, err
		}
		select {
		case <-ctx.Done():
			return dropped, err
		case <-s.Clock.After(pause):
			pause *= 2
		}
	}
}

// account counts the result of an event, and logs when deliveries start or stop to fail.
func (s *Sender) account(result string, err error) {
	notifications.Inc(result)
	lost := result == failed || result == refused
	switch {
	case lost && !s.losing:
		s.Log.Error(err, "Notifications are lost until the receiver takes them again; check --events-addr and the receiver", "result", result)
	case result == delivered && s.losing:
		s.Log.Info("Notifications are delivered again")
	case result == dropped:
		return
	}
	s.losing = lost
}
