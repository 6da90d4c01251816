// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Progress is the progress of the applications of a namespace, as a watch shows it.
type Progress struct {
	watch watch.Interface
	done  chan struct{}

	mu     sync.Mutex
	stages map[types.UID]string
	counts map[string]int
	// granted are the applications that hold a grant, and most the largest number at once.
	granted map[types.UID]bool
	most    int
	// last is the time of the last event.
	last time.Time
}

// Track follows the applications of a namespace that is still empty. It resumes when the API server closes the watch,
// as it does with slow readers.
func Track(ctx context.Context, c client.WithWatch, namespace string) (*Progress, error) {
	w, err := followOn(ctx, c, namespace)
	if err != nil {
		return nil, err
	}
	return track(w), nil
}

// CountGone counts, from now on, the applications of a namespace that are deleted. The caller has to call Wait at once:
// the API server closes the watch of a client that does not read.
func CountGone(ctx context.Context, c client.WithWatch, namespace string) (*Counter, error) {
	w, err := followOn(ctx, c, namespace)
	if err != nil {
		return nil, err
	}
	return &Counter{watch: w, kind: watch.Deleted}, nil
}

// followOn watches the applications of a namespace from now on.
func followOn(ctx context.Context, c client.WithWatch, namespace string) (watch.Interface, error) {
	list := &v1alpha1.SparkApplicationList{}
	if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list applications: %w", err)
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, &v1alpha1.SparkApplicationList{}, &client.ListOptions{Namespace: namespace, Raw: &o})
		},
	})
	if err != nil {
		return nil, fmt.Errorf("watch applications: %w", err)
	}
	return w, nil
}

func track(w watch.Interface) *Progress {
	p := &Progress{watch: w, done: make(chan struct{}),
		stages: map[types.UID]string{}, counts: map[string]int{}, granted: map[types.UID]bool{}}
	go func() {
		defer close(p.done)
		for event := range w.ResultChan() {
			if app, ok := event.Object.(*v1alpha1.SparkApplication); ok {
				p.saw(event.Type, app)
			}
		}
	}()
	return p
}

func (p *Progress) saw(kind watch.EventType, app *v1alpha1.SparkApplication) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	if before, known := p.stages[app.UID]; known {
		p.counts[before]--
	}
	delete(p.stages, app.UID)
	delete(p.granted, app.UID)
	if kind == watch.Deleted {
		return
	}
	stage := StageOf(app)
	p.stages[app.UID] = stage
	p.counts[stage]++
	if app.Status.Grant != nil {
		p.granted[app.UID] = true
		p.most = max(p.most, len(p.granted))
	}
}

// Wait returns when n applications are in a stage, with the time at which the last of them reached it.
func (p *Progress) Wait(ctx context.Context, stage string, n int) (time.Time, error) {
	ended := false
	for {
		p.mu.Lock()
		there, at := p.counts[stage], p.last
		p.mu.Unlock()
		switch {
		case there == n:
			return at, nil
		case ended:
			return at, fmt.Errorf("%d of %d applications were %s when the watch ended", there, n, stage)
		}
		select {
		case <-ctx.Done():
			return at, fmt.Errorf("%d of %d applications are %s: %w", there, n, stage, context.Cause(ctx))
		case <-p.done:
			ended = true
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// MostGranted returns the largest number of applications that held a grant at once.
func (p *Progress) MostGranted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// Stop ends the watch. It may be called again.
func (p *Progress) Stop() {
	p.watch.Stop()
	<-p.done
}
