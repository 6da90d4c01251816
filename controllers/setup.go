// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/notify"
	"github.com/sparkgate/sparkgate/controllers/internal/writemetrics"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// DefaultMaxTermination is the default of Options.MaxTermination.
const DefaultMaxTermination = pods.DefaultMaxTermination

// Options configure the operator's controllers.
type Options struct {
	// Holder identifies this process in the ledgers. It must be unique for each start.
	Holder string
	// Scope is the part of the cluster that the operator manages. It must be the same as in CacheOptions.
	Scope Scope
	// DefaultGate is the gate of applications that name none. Default: Embedded.
	DefaultGate v1alpha1.GateType
	// AllowedGates are the gates that namespaces without such a list of their own may use. Default: AllGatesButNone.
	AllowedGates []v1alpha1.GateType
	// ReferenceTimeout is how long an application waits for a missing reference before it counts as stalled. Default:
	// 10m.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long the termination of an attempt takes, whatever its pods or its spec say. Default:
	// 10m.
	MaxTermination time.Duration
	// HistoryURL is the URL of a job on a Spark history server; it contains v1alpha1.ApplicationIDToken. Empty means
	// that there is no history server.
	HistoryURL string
	// ForbidPodSecurityNone refuses applications with podSecurity None.
	ForbidPodSecurityNone bool
	// UIHosts are the hosts that Ingresses and routes of web interfaces may use. UIAnnotations are the keys of
	// annotations that these and Services may have. Both have the form of the flags --ui-hosts and --ui-annotations.
	UIHosts, UIAnnotations []string
	// Adopt runs SparkApplications of kubeflow's operator in namespaces with the label adopt.Label.
	Adopt bool
	// FewEvents restricts Kubernetes events to failures and warnings, leaving out stages and successes.
	FewEvents bool
	// Concurrent is how many applications are reconciled at the same time. Default: 16.
	Concurrent int
	// QueueInterval is the minimum interval between writes of counts and usage of a queue. Default: 5s.
	QueueInterval time.Duration
	// ExecutorInterval is the minimum interval between status writes that change only executor counts. Default: 10s.
	ExecutorInterval time.Duration
	// GateInterval is the pause before a gate asks again what no watch shows. Whether a batch scheduler has been
	// installed is asked six times less often. Default: 10s.
	GateInterval time.Duration
	// Fenced is called when another process has taken over a ledger. It must end this process without releasing the
	// lease, which the other process may hold by then. Default: the manager stops with an error.
	Fenced func(error)
	// Explain is the listener of the explain endpoint, which the manager closes; nil for none.
	Explain net.Listener
	// DecisionLog receives the calls and answers of the embedded queue; nil for none.
	DecisionLog io.Writer
	// EventsAddr is the address of Flux's notification-controller, to which events are sent; empty for none.
	EventsAddr string
	// Clock gives the time for every decision. Default: the real clock.
	Clock clock.Clock
}

// NewScheme returns a scheme with all kinds that the operator uses.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return scheme, v1alpha1.AddToScheme(scheme)
}

// ClientOptions exclude Secrets, ConfigMaps, Services, nodes, service accounts and pods from the cache; they are read
// from the API server when they are needed. Spark pods have their own store.
func ClientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{
		&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.Pod{}, &corev1.Node{}, &corev1.ServiceAccount{},
	}}}
}

// Scope is the part of a cluster that an operator manages. The zero value is all of it.
type Scope struct {
	// Namespaces are those whose applications, schedules and pods are reconciled. Nothing in other namespaces is listed
	// or watched. Default: all.
	Namespaces namespaces.Set
	// Queues selects the SparkQueues that the operator leads. Others do not exist for it. Default: all.
	Queues labels.Selector
}

// CacheOptions returns the options of a cache that holds only objects in the scope, and of these only what decisions
// read, in bounded memory.
func CacheOptions(scope Scope) cache.Options {
	o := cache.Options{DefaultTransform: cachetransform.Kept, NewInformer: cachetransform.NewInformer}
	for _, namespace := range scope.Namespaces {
		if o.DefaultNamespaces == nil {
			o.DefaultNamespaces = map[string]cache.Config{}
		}
		o.DefaultNamespaces[namespace] = cache.Config{}
	}
	if scope.Queues != nil {
		o.ByObject = map[client.Object]cache.ByObject{&v1alpha1.SparkQueue{}: {Label: scope.Queues}}
	}
	return o
}

// CountWrites makes the metrics count the writes to the API server that use this configuration.
func CountWrites(config *rest.Config) { config.Wrap(writemetrics.Count) }

// AllGatesButNone returns the default of Options.AllowedGates. It excludes None, which asks for no quota.
func AllGatesButNone() []v1alpha1.GateType { return catalog.WithQueues() }

// CheckEventsAddr returns an error if a value of Options.EventsAddr is invalid.
func CheckEventsAddr(address string) error { return notify.CheckURL(address) }

// CheckUI returns an error if values of Options.UIHosts or Options.UIAnnotations are invalid.
func CheckUI(hosts, annotations []string) error {
	return expose.Rules{Hosts: hosts, Annotations: annotations}.Check()
}

// complete sets defaults. It returns an error if a required option is missing.
func (o *Options) complete() error {
	if o.Concurrent == 0 {
		o.Concurrent = 16
	}
	if o.AllowedGates == nil {
		o.AllowedGates = AllGatesButNone()
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Holder == "" {
		return errors.New("set up controllers: no name for the holder of the ledgers")
	}
	return nil
}

// decisionLog returns the options of the decision log. If the log ends early, that is reported in the operator's own
// log, and the queue continues without it.
func decisionLog(mgr ctrl.Manager, o Options) decisionlog.Options {
	log := mgr.GetLogger().WithName("decision-log")
	return decisionlog.Options{Out: o.DecisionLog, Version: decisionlog.ProgramVersion(), Ended: func(why error) {
		log.Error(why, "The decision log ends here, and the queue continues; restart the operator to begin a new log")
	}}
}

// podsGetter returns a client for the pod watch, which bypasses the manager's cache.
func podsGetter(mgr ctrl.Manager) (corev1client.PodsGetter, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c, err := corev1client.NewForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("create pod client: %w", err)
	}
	return c, nil
}

// exposure returns the rules about hosts and annotations of web interfaces.
func (o *Options) exposure() expose.Rules {
	return expose.Rules{Hosts: o.UIHosts, Annotations: o.UIAnnotations}
}

// newSender returns a sender of events to notification-controller, or nil if there is no address.
func newSender(mgr ctrl.Manager, o Options) *notify.Sender {
	if o.EventsAddr == "" {
		return nil
	}
	return notify.New(notify.Options{URL: o.EventsAddr, Instance: o.Holder, Clock: o.Clock, Log: mgr.GetLogger().WithName("notify")})
}
