// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options defines the operator's flags. They are read only here; other packages get them as struct fields.
// Flags that Flux's controllers also have use the same names.
package options

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers"
)

// Options are the operator's settings.
type Options struct {
	MetricsAddr     string
	MetricsSecure   bool
	MetricsCertPath string
	HealthAddr      string
	ExplainAddr     string
	EventsAddr      string
	Concurrent      int
	WatchNamespaces []string
	// NamespaceSelector selects the namespaces instead of WatchNamespaces; nil if it is not used.
	NamespaceSelector labels.Selector
	// QueueSelector selects the queues; nil selects all.
	QueueSelector        labels.Selector
	DefaultGate          string
	AllowedGates         []string
	ReferenceTimeout     time.Duration
	MaxTermination       time.Duration
	HistoryURL           string
	UIHosts              []string
	AllowPodSecurityNone bool
	UIAnnotations        []string
	StageEvents          bool
	Adopt                bool
	DecisionLog          string
	EnablePprof          bool
	Log                  logger.Options
	LeaderElection       leaderelection.Options
}

// Parse parses the command line. Its error is one line for the user.
func Parse(args []string) (Options, error) {
	var o Options
	fs := pflag.NewFlagSet("sparkgate", pflag.ContinueOnError)
	fs.StringVar(&o.MetricsAddr, "metrics-addr", ":8080", "The address the metric endpoint binds to; 0 switches it off.")
	fs.BoolVar(&o.MetricsSecure, "metrics-secure", false, "Serve metrics over TLS, and only to clients whose token may get the path /metrics.")
	fs.StringVar(&o.MetricsCertPath, "metrics-cert-path", "", "The folder with tls.crt and tls.key for --metrics-secure; empty for a self-signed certificate.")
	fs.StringVar(&o.HealthAddr, "health-addr", ":9440", "The address the health endpoint binds to; 0 switches it off.")
	fs.StringVar(&o.ExplainAddr, "explain-addr", ":9443", "The address of the HTTPS endpoint that explains waits to clients that may read the application; 0 switches it off.")
	fs.StringVar(&o.EventsAddr, "events-addr", "", "The address of Flux's notification-controller, to which events are posted; empty switches it off.")
	fs.IntVar(&o.Concurrent, "concurrent", 16, "The number of applications reconciled at once; of one namespace, a quarter of that.")
	fs.StringSliceVar(&o.WatchNamespaces, "watch-namespaces", nil, "The namespaces whose applications, schedules and pods are managed; nothing is listed or watched in others. Default: all.")
	fs.Var(selectorValue{&o.NamespaceSelector}, "namespace-selector", "A label selector of the namespaces that are managed, instead of --watch-namespaces: those in which the operator has its rights. It restarts when they change.")
	fs.Var(selectorValue{&o.QueueSelector}, "queue-selector", "A label selector of the SparkQueues that this operator leads. It has to select whole trees; other queues do not exist for this operator. Default: all.")
	fs.StringVar(&o.DefaultGate, "default-gate", string(v1alpha1.GateEmbedded), "The gate of applications where neither they nor their namespace name one: Embedded, Kueue, Volcano, YuniKorn or None.")
	fs.StringSliceVar(&o.AllowedGates, "allowed-gates", gateNames(controllers.AllGatesButNone()), "The gates that may be used in namespaces without the annotation sparkgate.io/allowed-gates.")
	fs.DurationVar(&o.ReferenceTimeout, "reference-timeout", 10*time.Minute, "How long an application waits for a missing reference before it counts as stalled; it keeps waiting.")
	fs.DurationVar(&o.MaxTermination, "max-termination", controllers.DefaultMaxTermination, "How long pods may take to end at most, whatever their grace periods and timeouts.termination say; then they are deleted without a grace period if their node answers.")
	fs.StringVar(&o.HistoryURL, "history-server-url", "", "The address of a job at a Spark history server, with {{applicationID}} in the place of Spark's id; empty if there is none.")
	fs.BoolVar(&o.AllowPodSecurityNone, "allow-pod-security-none", true, "Let applications set spec.podSecurity to None, under which no Pod Security Standard is enforced for their pods.")
	fs.StringSliceVar(&o.UIHosts, "ui-hosts", nil, "The hosts, with or without a path, by which web interfaces may be reached from outside, such as {{name}}.{{namespace}}.spark.example.org or spark.example.org/{{namespace}}/{{name}}. If there are none, spec.ui.ingress and spec.ui.route create nothing.")
	fs.StringSliceVar(&o.UIAnnotations, "ui-annotations", nil, "The keys of annotations that spec.ui.ingress, spec.ui.serviceMetadata and Spark's properties may set on Ingresses and Services, or prefixes such as haproxy.org/*.")
	fs.BoolVar(&o.Adopt, "adopt", false, "Run the SparkApplications of kubeflow's operator in namespaces with the label sparkgate.io/adopt: kubeflow. It takes the rights of config/adopt.")
	fs.BoolVar(&o.StageEvents, "stage-events", true, "Record a Kubernetes event for every stage that an application reaches; else of failures and warnings only, not of success.")
	fs.StringVar(&o.DecisionLog, "decision-log", "", "The file to which the decisions of the embedded queue are written, for sparkctl replay; empty switches it off.")
	fs.BoolVar(&o.EnablePprof, "enable-pprof", false, "Serve profiles of the process at the metrics endpoint, without authentication unless --metrics-secure.")
	o.Log.BindFlags(fs)
	o.LeaderElection.BindFlags(fs)
	if err := shortLease(fs); err != nil {
		return o, err
	}
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

// shortLease replaces Flux's defaults with shorter ones: a new leader should take over within seconds, because
// applications wait for quota.
func shortLease(fs *pflag.FlagSet) error {
	for name, value := range map[string]string{
		"leader-election-lease-duration": "10s",
		"leader-election-renew-deadline": "6s",
		"leader-election-retry-period":   "1s",
	} {
		flag := fs.Lookup(name)
		if flag == nil {
			return fmt.Errorf("flag --%s is not known", name)
		}
		if err := flag.Value.Set(value); err != nil {
			return fmt.Errorf("default of --%s: %w", name, err)
		}
		flag.DefValue = value
	}
	return nil
}

func (o *Options) validate() error {
	if o.Concurrent < 1 {
		return fmt.Errorf("--concurrent is %d; set it to 1 or more", o.Concurrent)
	}
	if err := o.validateBounds(); err != nil {
		return err
	}
	if err := controllers.CheckEventsAddr(o.EventsAddr); o.EventsAddr != "" && err != nil {
		return fmt.Errorf("--events-addr: %w", err)
	}
	if err := o.validateDurations(); err != nil {
		return err
	}
	if at, err := url.Parse(o.HistoryURL); o.HistoryURL != "" && (err != nil || at.Host == "" || !strings.Contains(o.HistoryURL, v1alpha1.ApplicationIDToken)) {
		return fmt.Errorf("--history-server-url is %q; set it to an address such as https://history.example.org/history/%s/jobs", o.HistoryURL, v1alpha1.ApplicationIDToken)
	}
	return o.validateMetrics()
}

// validateNamespaces returns an error unless --watch-namespaces has valid names, each once.
func (o *Options) validateNamespaces() error {
	if o.NamespaceSelector != nil && len(o.WatchNamespaces) > 0 {
		return errors.New("--watch-namespaces and --namespace-selector both say which namespaces are managed; leave one of them out")
	}
	for i, name := range o.WatchNamespaces {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("--watch-namespaces has %q, which is not the name of a namespace: %s", name, strings.Join(problems, "; "))
		}
		if slices.Contains(o.WatchNamespaces[:i], name) {
			return fmt.Errorf("--watch-namespaces has %q twice; name each namespace once", name)
		}
	}
	return nil
}

// selectorValue is the value of a flag for a label selector. An empty selector is nil, which selects everything.
type selectorValue struct{ into *labels.Selector }

func (v selectorValue) Set(value string) error {
	selector, err := labels.Parse(value)
	if err != nil {
		return fmt.Errorf("%w; set it to a label selector such as team=analytics or team in (ads,etl)", err)
	}
	if selector.Empty() {
		selector = nil
	}
	*v.into = selector
	return nil
}

func (v selectorValue) String() string {
	if v.into == nil || *v.into == nil {
		return ""
	}
	return (*v.into).String()
}

func (v selectorValue) Type() string { return "selector" }

// Scope returns the namespaces and queues of which the operator takes care.
func (o *Options) Scope() controllers.Scope {
	return controllers.Scope{Namespaces: o.WatchNamespaces, Queues: o.QueueSelector}
}

func (o *Options) validateMetrics() error {
	if o.MetricsCertPath != "" && !o.MetricsSecure {
		return fmt.Errorf("--metrics-cert-path is %q, but metrics are not served over TLS; also set --metrics-secure", o.MetricsCertPath)
	}
	return nil
}

// validateBounds validates the flags that restrict applications.
func (o *Options) validateBounds() error {
	if err := o.validateNamespaces(); err != nil {
		return err
	}
	if err := o.validateGates(); err != nil {
		return err
	}
	return controllers.CheckUI(o.UIHosts, o.UIAnnotations)
}

// validateGates returns an error unless all gates exist and the default gate is allowed.
func (o *Options) validateGates() error {
	gates := append(gateNames(controllers.AllGatesButNone()), string(v1alpha1.GateNone))
	if !slices.Contains(gates, o.DefaultGate) {
		return fmt.Errorf("--default-gate is %q; set it to one of %v", o.DefaultGate, gates)
	}
	for _, gate := range o.AllowedGates {
		if !slices.Contains(gates, gate) {
			return fmt.Errorf("--allowed-gates has %q; set it to some of %v", gate, gates)
		}
	}
	if !slices.Contains(o.AllowedGates, o.DefaultGate) {
		return fmt.Errorf("--default-gate is %q, which --allowed-gates leaves out; set --allowed-gates=%s",
			o.DefaultGate, strings.Join(append(o.AllowedGates, o.DefaultGate), ","))
	}
	return nil
}

// Gates returns AllowedGates as API types.
func (o *Options) Gates() []v1alpha1.GateType {
	gates := []v1alpha1.GateType{}
	for _, gate := range o.AllowedGates {
		gates = append(gates, v1alpha1.GateType(gate))
	}
	return gates
}

func gateNames(gates []v1alpha1.GateType) []string {
	var names []string
	for _, gate := range gates {
		names = append(names, string(gate))
	}
	return names
}

func (o *Options) validateDurations() error {
	if o.ReferenceTimeout <= 0 {
		return fmt.Errorf("--reference-timeout is %s; set it above zero", o.ReferenceTimeout)
	}
	if o.MaxTermination < time.Second {
		return fmt.Errorf("--max-termination is %s; set it to 1s or more", o.MaxTermination)
	}
	return nil
}
