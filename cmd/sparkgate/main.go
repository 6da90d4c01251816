// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/fluxcd/pkg/runtime/pprof"
	"github.com/fluxcd/pkg/runtime/probes"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/apiserver"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/dashboard"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/labelled"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/options"
	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "dashboard" {
		if err := dashboard.Run(ctrl.SetupSignalHandler(), os.Args[2:]); err != nil && !errors.Is(err, pflag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "sparkgate dashboard: %v\n", err)
			os.Exit(1)
		}
		return
	}
	o, err := options.Parse(os.Args[1:])
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(o)
	}
	if errors.Is(err, labelled.ErrChanged) {
		err = restart(err)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sparkgate: %v\n", err)
		os.Exit(1)
	}
}

// restart executes the program again in this process, so that the kubelet does not count a crash. It returns only if
// that fails.
func restart(why error) error {
	ctrl.Log.Info("Starting again", "reason", why.Error())
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("%w (restart: %w)", why, err)
	}
	return fmt.Errorf("%w (restart: %w)", why, syscall.Exec(path, os.Args, os.Environ()))
}

// run sets up the operator and runs it until it is stopped, or until it has lost its lease or a ledger.
func run(o options.Options) error {
	restConfig, err := ctrl.GetConfig() // before the logger is set, because the library would log the same error
	logger.SetLogger(logger.NewLogger(o.Log))
	if err != nil {
		return fmt.Errorf("find the cluster: %w; set KUBECONFIG to the path of a kubeconfig, or run in a pod with a service account", err)
	}
	if err := limitMemory(os.Getenv); err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	installation, err := installationOf(o)
	if err != nil {
		return err
	}
	namespaces, err := await(ctx, restConfig, &o, installation)
	if err != nil || ctx.Err() != nil {
		return err
	}
	identity := newIdentity()
	manager, err := newManager(restConfig, o, identity, installation)
	if err != nil {
		return err
	}
	if err := errors.Join(namespaces.AddTo(manager), manager.AddReadyzCheck("installation", installation.Ready)); err != nil {
		return err
	}
	go apiserver.Report(restConfig, manager.GetLogger().WithName("apiserver"))
	probes.SetupChecks(manager, manager.GetLogger())
	explain, err := listen(o.ExplainAddr)
	if err != nil {
		return err
	}
	decisions, err := decisionLog(o.DecisionLog)
	if err != nil {
		return err
	}
	settings := settingsOf(o)
	settings.Holder, settings.Explain, settings.DecisionLog, settings.Fenced = identity, explain, decisions, exit
	if err := controllers.Setup(manager, settings); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// settingsOf returns the settings of the controllers that follow from the flags.
func settingsOf(o options.Options) controllers.Options {
	return controllers.Options{
		Scope:                 o.Scope(),
		DefaultGate:           v1alpha1.GateType(o.DefaultGate),
		AllowedGates:          o.Gates(),
		ReferenceTimeout:      o.ReferenceTimeout,
		MaxTermination:        o.MaxTermination,
		HistoryURL:            o.HistoryURL,
		ForbidPodSecurityNone: !o.AllowPodSecurityNone,
		UIHosts:               o.UIHosts,
		UIAnnotations:         o.UIAnnotations,
		FewEvents:             !o.StageEvents,
		Adopt:                 o.Adopt,
		Concurrent:            o.Concurrent,
		EventsAddr:            o.EventsAddr,
	}
}

// installationOf returns the installation that this process belongs to, or nil without leader election.
func installationOf(o options.Options) (*lease.Installation, error) {
	if !o.LeaderElection.Enable {
		return nil, nil
	}
	namespace, err := lease.Namespace()
	if err != nil {
		return nil, err
	}
	return &lease.Installation{Namespace: namespace, Queues: o.QueueSelector, Clock: clock.RealClock{}, Log: ctrl.Log.WithName("installation")}, nil
}

// await waits until the operator may start, or is stopped: until the API server serves everything that it needs, there
// is a namespace that its selector selects, and no other installation covers the same. With a namespace selector it sets
// o.WatchNamespaces, and returns the runnable that follows the selected namespaces.
func await(ctx context.Context, restConfig *rest.Config, o *options.Options, in *lease.Installation) (*labelled.Namespaces, error) {
	stop, err := apiserver.Alive(o.HealthAddr, in.Ready)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := apiserver.Wait(ctx, restConfig, ctrl.Log.WithName("apiserver")); err != nil {
		return nil, unlessStopped(ctx, err)
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, fmt.Errorf("create scheme: %w", err)
	}
	c, err := client.New(restConfig, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("create client for the start: %w", err)
	}
	var namespaces *labelled.Namespaces
	if o.NamespaceSelector != nil {
		namespaces = labelled.New(o.NamespaceSelector, c, clock.RealClock{}, ctrl.Log.WithName("namespaces"))
		if o.WatchNamespaces, err = namespaces.Wait(ctx); err != nil {
			return nil, unlessStopped(ctx, err)
		}
	}
	if in != nil {
		in.Namespaces, in.Client = o.WatchNamespaces, c
		err = in.Wait(ctx)
	}
	return namespaces, unlessStopped(ctx, err)
}

// unlessStopped returns err, or nil if the operator is being stopped.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// cacheSyncTimeout is how long a controller waits for its caches. Restarting the process would not help while a CRD or
// a permission is missing; every failed list is logged.
const cacheSyncTimeout = 24 * time.Hour

func newManager(restConfig *rest.Config, o options.Options, identity string, in *lease.Installation) (ctrl.Manager, error) {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, fmt.Errorf("create scheme: %w", err)
	}
	controllers.CountWrites(restConfig)
	restConfig.QPS = -1 // no limit on the client's side: the API server's priority and fairness applies
	var lock resourcelock.Interface
	if in != nil {
		if lock, err = lease.NewLock(restConfig, identity, o.LeaderElection, in); err != nil {
			return nil, err
		}
	}
	metrics := controllers.MetricsOptions(o.MetricsAddr, o.MetricsSecure, o.MetricsCertPath)
	if o.EnablePprof {
		metrics.ExtraHandlers = pprof.GetHandlers()
	}
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Scheme:                              scheme,
		Controller:                          config.Controller{CacheSyncTimeout: cacheSyncTimeout},
		Cache:                               controllers.CacheOptions(o.Scope()),
		NewCache:                            controllers.NewCache,
		Client:                              controllers.ClientOptions(),
		Metrics:                             metrics,
		HealthProbeBindAddress:              o.HealthAddr,
		LeaderElection:                      lock != nil,
		LeaderElectionResourceLockInterface: lock,
		LeaderElectionReleaseOnCancel:       o.LeaderElection.ReleaseOnCancel,
		LeaseDuration:                       &o.LeaderElection.LeaseDuration,
		RenewDeadline:                       &o.LeaderElection.RenewDeadline,
		RetryPeriod:                         &o.LeaderElection.RetryPeriod,
	})
	if err != nil {
		return nil, fmt.Errorf("create manager: %w", err)
	}
	return manager, nil
}

// listen opens the address of the explain endpoint. It returns nil if the endpoint is switched off.
func listen(address string) (net.Listener, error) {
	if address == "" || address == "0" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("open --explain-addr: %w", err)
	}
	return l, nil
}

// decisionLog creates the file of the decision log. It returns nil if the log is switched off.
func decisionLog(path string) (io.Writer, error) {
	if path == "" {
		return nil, nil
	}
	file, err := decisionlog.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--decision-log: %w", err)
	}
	return file, nil
}

// exit ends the process at once and does not release the lease: the process that has taken over the ledger holds the
// lease, or is about to acquire it.
func exit(why error) {
	fmt.Fprintf(os.Stderr, "sparkgate: %v\n", why)
	os.Exit(1)
}

// newIdentity returns a name for this start of the process, as the holder of leases and ledgers.
func newIdentity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "_" + string(uuid.NewUUID())
}
