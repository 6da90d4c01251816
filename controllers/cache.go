// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
)

// NewCache creates a cache that its manager does not wait for. Each controller waits for the kinds that it watches, and
// each read for its kind, so that the first decisions need not wait for applications that have ended.
func NewCache(config *rest.Config, o cache.Options) (cache.Cache, error) {
	c, err := cache.New(config, o)
	if err != nil {
		return nil, fmt.Errorf("create cache: %w", err)
	}
	return &unawaitedCache{c}, nil
}

// unawaitedCache reports that it has synced as soon as it has started.
type unawaitedCache struct{ cache.Cache }

// startPoll is how often WaitForCacheSync checks whether the cache has started.
const startPoll = 10 * time.Millisecond

// WaitForCacheSync returns once the cache has started.
func (c *unawaitedCache) WaitForCacheSync(ctx context.Context) bool {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return wait.PollUntilContextCancel(ctx, startPoll, true, func(context.Context) (bool, error) {
		var notStarted *cache.ErrCacheNotStarted
		return !errors.As(c.List(ended, &v1alpha1.SparkFlavorList{}), &notStarted), nil
	}) == nil
}

// newPrelisted returns an empty list for applications that are reconciled before the manager's cache has synced.
func newPrelisted(mgr ctrl.Manager) (*application.Prelisted, error) {
	informer, err := mgr.GetCache().GetInformer(context.Background(), &v1alpha1.SparkApplication{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("find the cache of applications: %w", err)
	}
	return application.NewPrelisted(informer.HasSynced), nil
}
