// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Operator is one running instance of the operator.
type Operator struct {
	cancel context.CancelFunc
	done   chan error
}

// OperatorOptions are the options of one instance.
type OperatorOptions struct {
	// Network wraps the connection to the API server; nil for one without faults.
	Network func(http.RoundTripper) http.RoundTripper
	// Config is the access to the API server. Default: an administrator's.
	Config *rest.Config
	// Scope has the values of the flags --watch-namespaces and --queue-selector. Default: everything.
	Scope controllers.Scope
	// ReferenceTimeout is the value of the flag. Default: 10m.
	ReferenceTimeout time.Duration
	// MaxTermination is the value of the flag. Default: 10m.
	MaxTermination time.Duration
	// HistoryURL is the value of the flag. Default: none.
	HistoryURL string
	// UIHosts and UIAnnotations are the values of the flags.
	UIHosts, UIAnnotations []string
	// FewEvents sets the flag --stage-events=false.
	FewEvents bool
	// Adopt sets the flag --adopt.
	Adopt bool
	// Clock is used for every decision. Default: the system clock.
	Clock clock.Clock
	// DefaultGate is the value of the flag.
	DefaultGate v1alpha1.GateType
	// AllowedGates is the value of the flag. Default: all.
	AllowedGates []v1alpha1.GateType
	// EventsAddr is the value of the flag.
	EventsAddr string
	// MetricsAddr is the value of the flag. Default: none, because several operators run at the same time.
	MetricsAddr string
	// LeaseNamespace is the namespace of the operator's lease. Default: the operator leads without a lease.
	LeaseNamespace string
	// DecisionLog receives the decisions; nil for no log.
	DecisionLog io.Writer
}

// StartOperator runs the operator until Stop, or until the test ends.
func StartOperator(t *testing.T, o OperatorOptions) *Operator {
	t.Helper()
	operator := launch(t, o)
	t.Cleanup(operator.Stop)
	return operator
}

// launch runs the operator until Stop.
func launch(t *testing.T, o OperatorOptions) *Operator {
	t.Helper()
	config := env.Config()
	if o.Config != nil {
		config = rest.CopyConfig(o.Config)
	}
	manager, err := newManager(config, o)
	if err != nil {
		t.Fatalf("make the operator: %v", err)
	}
	if o.AllowedGates == nil {
		o.AllowedGates = append(controllers.AllGatesButNone(), v1alpha1.GateNone)
	}
	err = controllers.Setup(manager, controllers.Options{
		Holder: "test_" + string(uuid.NewUUID()), ReferenceTimeout: o.ReferenceTimeout, HistoryURL: o.HistoryURL, FewEvents: o.FewEvents, Clock: o.Clock,
		Scope:          o.Scope,
		MaxTermination: o.MaxTermination,
		DecisionLog:    o.DecisionLog,
		UIHosts:        o.UIHosts,
		UIAnnotations:  o.UIAnnotations,
		DefaultGate:    o.DefaultGate,
		AllowedGates:   o.AllowedGates,
		Adopt:          o.Adopt,
		EventsAddr:     o.EventsAddr,
		// Tests wait for these intervals.
		GateInterval:     100 * time.Millisecond,
		QueueInterval:    20 * time.Millisecond,
		ExecutorInterval: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatalf("set up the operator: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	operator := &Operator{cancel: cancel, done: make(chan error, 1)}
	go func() { operator.done <- manager.Start(ctx) }()
	return operator
}

func newManager(c *rest.Config, o OperatorOptions) (ctrl.Manager, error) {
	controllers.CountWrites(c)
	if o.Network != nil {
		c.Wrap(o.Network)
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, err
	}
	return ctrl.NewManager(c, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   controllers.CacheOptions(o.Scope),
		NewCache:                controllers.NewCache,
		Client:                  controllers.ClientOptions(),
		Logger:                  logr.Discard(),
		Metrics:                 controllers.MetricsOptions(cmp.Or(o.MetricsAddr, "0"), false, ""),
		GracefulShutdownTimeout: ptr.To(5 * time.Second),
		Controller:              config.Controller{SkipNameValidation: ptr.To(true)},

		LeaderElection:                o.LeaseNamespace != "",
		LeaderElectionNamespace:       o.LeaseNamespace,
		LeaderElectionID:              "sparkgate-leader",
		LeaderElectionReleaseOnCancel: true,
		// Tests wait for it.
		RetryPeriod: ptr.To(200 * time.Millisecond),
	})
}

// Stop ends the operator and waits for it. It may be called more than once.
func (o *Operator) Stop() {
	o.cancel()
	if err, open := <-o.done; open {
		close(o.done)
		_ = err
	}
}

// HasEnded reports whether the operator has ended without being stopped.
func (o *Operator) HasEnded() bool { return len(o.done) > 0 }

// Ended returns the error with which the operator ended without being stopped.
func (o *Operator) Ended(ctx context.Context) error {
	select {
	case err := <-o.done:
		close(o.done)
		return err
	case <-ctx.Done():
		return fmt.Errorf("the operator goes on: %w", ctx.Err())
	}
}
