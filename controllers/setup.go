// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
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
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
	"github.com/sparkgate/sparkgate/controllers/internal/notify"
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/controllers/internal/writemetrics"
	"github.com/sparkgate/sparkgate/controllers/schedule"
	"github.com/sparkgate/sparkgate/internal/namespaces"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// DefaultMaxTermination is how long anything may take to end at most, unless a flag of the operator says otherwise.
const DefaultMaxTermination = pods.DefaultMaxTermination

// Options of the operator's controllers.
type Options struct {
	// Holder names this process in the ledgers; unique for each start.
	Holder string
	// Operator is the installation that this process belongs to. Default: there is no other.
	Operator Installation
	// Scope is what the operator deals with; that of CacheOptions.
	Scope Scope
	// DefaultGate of applications that name none. Default: Embedded.
	DefaultGate v1alpha1.GateType
	// AllowedGates may be used in namespaces that do not say which. Default: AllGatesButNone.
	AllowedGates []v1alpha1.GateType
	// ReferenceTimeout is how long a missing reference is waited for before the wait counts as stalled. Default: 10m.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long anything takes to end that has to, whatever its pods or its spec say. Default: 10m.
	MaxTermination time.Duration
	// HistoryURL is the address of a job at a Spark history server, with v1alpha1.ApplicationIDToken; empty if there is none.
	HistoryURL string
	// ForbidPodSecurityNone is the flag --allow-pod-security-none=false.
	ForbidPodSecurityNone bool
	// UIHosts and UIAnnotations say by which hosts web interfaces may be reached, and which annotations an Ingress may have; both as the flags.
	UIHosts, UIAnnotations []string
	// FewEvents records Kubernetes events of what goes wrong, not of every stage and of success.
	FewEvents bool
	// Concurrent applications reconciled at once. Default: 16.
	Concurrent int
	// QueueInterval bounds how often counts and usage of a queue are written. Default: 5s.
	QueueInterval time.Duration
	// ExecutorInterval bounds how often the executor counts of an application are written when nothing else is. Default: 10s.
	ExecutorInterval time.Duration
	// GateInterval is how often a batch scheduler is looked for that is not installed. Default: 10s.
	GateInterval time.Duration
	// Fenced is called when another process has taken a ledger over: this one has to end, and not to give back the lease, which may
	// be the other one's by then. Default: the manager ends with an error, in order.
	Fenced func(error)
	// Explain is where explanations are asked for; nil is nowhere. The manager closes it.
	Explain net.Listener
	// DecisionLog is where the calls and answers of the embedded queue are written; nil is nowhere.
	DecisionLog io.Writer
	// LogTailLines is how many last lines of the log of a failed attempt go into its application's status; 0 is none.
	LogTailLines int
	// EventsAddr is where events are posted for Flux's notification-controller; empty is nowhere.
	EventsAddr string
	// Clock of every decision. Default: the machine's.
	Clock clock.Clock
}

// Installation identifies an operator among those of a cluster, by the lease that its leader holds.
type Installation struct {
	// Namespace of the operator, and of its lease; empty if it has no lease, and then other operators are not heeded.
	Namespace string
	// Lease is its name, the same in every installation.
	Lease string
	// Patience is for how long another operator may leave its lease alone before what it has left is taken over.
	Patience time.Duration
}

// ErrGone is why a manager ends when another operator is gone to which this one has left something: the process has to
// start again.
var ErrGone = operators.ErrGone

// NewScheme returns a scheme with all kinds that the operator deals with.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return scheme, v1alpha1.AddToScheme(scheme)
}

// ClientOptions keep Secrets, ConfigMaps, Services and pods out of the cache: what is needed of them is read live, and pods have a
// store of their own.
func ClientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{
		&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.Pod{}, &corev1.Node{}, &corev1.ServiceAccount{},
	}}}
}

// Scope is the part of a cluster that an operator deals with. The zero value is all of it.
type Scope struct {
	// Namespaces are those whose applications, schedules and pods are dealt with; nothing is listed or watched in
	// others. Default: all.
	Namespaces namespaces.Set
	// Queues are the SparkQueues that are led; others do not exist for this operator. Default: all.
	Queues labels.Selector
	// LeaseNamespace is where leases are read from the cache; empty where none are.
	LeaseNamespace string
}

// CacheOptions drop what no decision reads from every cached object, bound what is kept of each, and leave out what is
// not in the scope.
func CacheOptions(scope Scope) cache.Options {
	o := cache.Options{DefaultTransform: cachetransform.Kept, NewInformer: cachetransform.NewInformer}
	for _, namespace := range scope.Namespaces {
		if o.DefaultNamespaces == nil {
			o.DefaultNamespaces = map[string]cache.Config{}
		}
		o.DefaultNamespaces[namespace] = cache.Config{}
	}
	o.ByObject = map[client.Object]cache.ByObject{}
	if scope.Queues != nil {
		o.ByObject[&v1alpha1.SparkQueue{}] = cache.ByObject{Label: scope.Queues}
	}
	if scope.LeaseNamespace != "" {
		o.ByObject[&coordinationv1.Lease{}] = cache.ByObject{Namespaces: map[string]cache.Config{scope.LeaseNamespace: {}}}
	}
	return o
}

// CountWrites counts, in the metrics, what is written to the API server with this configuration.
func CountWrites(config *rest.Config) { config.Wrap(writemetrics.Count) }

// logReader reads ends of logs; nil where none are kept, so that nothing is read for their sake.
func logReader(client corev1client.PodsGetter, o Options) application.LogReader {
	if o.LogTailLines == 0 {
		return nil
	}
	return logtail.New(client, o.LogTailLines, o.Clock)
}

// MaxLogTailLines bounds Options.LogTailLines.
const MaxLogTailLines = logtail.MaxLines

// AllGatesButNone returns the default of Options.AllowedGates: None requests no quota.
func AllGatesButNone() []v1alpha1.GateType { return catalog.WithQueues() }

// CheckEventsAddr returns what is wrong with Options.EventsAddr; nil if nothing is.
func CheckEventsAddr(address string) error { return notify.CheckURL(address) }

// CheckUI returns what is wrong with Options.UIHosts and Options.UIAnnotations; nil if nothing is.
func CheckUI(hosts, annotations []string) error {
	return expose.Rules{Hosts: hosts, Annotations: annotations}.Check()
}

// complete fills in defaults.
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
		return fmt.Errorf("set up controllers: no name for the holder of the ledgers")
	}
	return nil
}

// Setup adds everything to the manager: one leader decides on all.
func Setup(mgr ctrl.Manager, o Options) error {
	p, err := NewProcess(mgr, o)
	if err != nil {
		return err
	}
	_, err = p.addLeader(mgr, nil)
	return err
}

type runnable interface {
	Start(ctx context.Context) error
}

func addAll(mgr ctrl.Manager, all []runnable) error {
	for _, r := range all {
		if err := mgr.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// decisionLog returns the options of the decision log. Its end is reported in the operator's own log; the queue continues
// without it.
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

// exposure says by which hosts web interfaces may be reached.
func (o *Options) exposure() expose.Rules {
	return expose.Rules{Hosts: o.UIHosts, Annotations: o.UIAnnotations}
}

// newSender returns nil if events are posted nowhere.
func newSender(mgr ctrl.Manager, o Options) *notify.Sender {
	if o.EventsAddr == "" {
		return nil
	}
	return notify.New(notify.Options{URL: o.EventsAddr, Instance: o.Holder, Clock: o.Clock, Log: mgr.GetLogger().WithName("notify")})
}

func newSchedules(mgr ctrl.Manager, startup *leaderStartup, p *Process) *schedule.Reconciler {
	return schedule.New(schedule.Options{
		Series: p.series,
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder("sparkgate"), Clock: p.o.Clock, Ready: startup.wait,
		Operators: p.operators,
	})
}
