// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/lease"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/options"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/sharedcache"
	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/treeleases"
	"github.com/sparkgate/sparkgate/controllers"
)

// leaders creates the leaders of trees. Each leader is a manager with its own lease that reads from the shared cache of
// the process. It starts and stops like the single leader of a process, and none of its state outlives it.
type leaders struct {
	config *rest.Config
	o      options.Options
	// identity of this process, as the holder of the leases.
	identity string
}

// setUp adds a runnable to the manager of the process that starts and stops the leaders of trees.
func (l leaders) setUp(mgr ctrl.Manager, o controllers.Options) error {
	leases, err := lease.NewClient(l.config, l.identity, l.o.LeaderElection)
	if err != nil {
		return err
	}
	process, err := controllers.NewProcess(mgr, o)
	if err != nil {
		return err
	}
	shared := sharedcache.New(mgr.GetCache())
	return mgr.Add(treeleases.New(treeleases.Options{
		Reader: mgr.GetClient(), Leases: leases, LeaseDuration: l.o.LeaderElection.LeaseDuration, RetryPeriod: l.o.LeaderElection.RetryPeriod,
		Clock: clock.RealClock{}, Log: mgr.GetLogger().WithName("trees"),
		Lead: func(ctx context.Context, tree string, lock resourcelock.Interface, elected func()) error {
			leader, err := l.newManager(mgr, shared, tree, lock)
			if err != nil {
				return err
			}
			ended, err := process.AddLeader(leader, tree)
			defer ended()
			if err != nil {
				return err
			}
			go func() {
				select {
				case <-leader.Elected():
					elected()
				case <-ctx.Done():
				}
			}()
			return leader.Start(ctx)
		},
	}))
}

// newManager returns the manager of one tree.
func (l leaders) newManager(mgr ctrl.Manager, shared *sharedcache.Shared, tree string, lock resourcelock.Interface) (ctrl.Manager, error) {
	election := l.o.LeaderElection
	manager, err := ctrl.NewManager(l.config, ctrl.Options{
		Scheme:                              mgr.GetScheme(),
		Logger:                              mgr.GetLogger().WithValues("tree", tree),
		MapperProvider:                      func(*rest.Config, *http.Client) (apimeta.RESTMapper, error) { return mgr.GetRESTMapper(), nil },
		NewCache:                            func(*rest.Config, cache.Options) (cache.Cache, error) { return shared.View(), nil },
		Client:                              controllers.ClientOptions(),
		Controller:                          config.Controller{CacheSyncTimeout: cacheSyncTimeout, SkipNameValidation: ptr.To(true)},
		Metrics:                             metricsserver.Options{BindAddress: "0"},
		LeaderElection:                      true,
		LeaderElectionID:                    lease.OfTree(tree), // it only names the series of the metric; the lock below is used
		LeaderElectionResourceLockInterface: lock,
		LeaderElectionReleaseOnCancel:       election.ReleaseOnCancel,
		LeaseDuration:                       &election.LeaseDuration,
		RenewDeadline:                       &election.RenewDeadline,
		RetryPeriod:                         &election.RetryPeriod,
	})
	if err != nil {
		return nil, fmt.Errorf("create the manager of tree %s: %w", tree, err)
	}
	return manager, nil
}
