// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/advise"
	"github.com/sparkgate/sparkgate/internal/client/measured"
	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	// readWithin limits the time in which a driver or a history server has to answer.
	readWithin = 30 * time.Second
	// readAgain is how long the measurements of a running application are shown before they are read again, and an
	// error before it is tried again.
	readAgain = time.Minute
	// keepFinal is how long the measurements of a run that has ended are kept.
	keepFinal = time.Hour
	// maxReadings is the maximum number of measurements that are kept for a viewer.
	maxReadings = 32
	// atOnce is how long a page waits for measurements before it shows that they are being read.
	atOnce = time.Second
)

// adviceCard recommends values for memory, cores and executors.
type adviceCard struct {
	// Offered reports that there are measurements to read, Asked that the viewer wants them to be read, and Reading
	// that they are being read.
	Offered, Asked, Reading bool
	// Problem is why they cannot be read.
	Problem string
	Advice  advise.Advice
	// Patch is the merge patch for the manifest, by lines; empty if nothing should be changed.
	Patch []string
}

// reading is what Spark measured during one attempt, or the error when it was read. Both are valid once done is closed.
type reading struct {
	done chan struct{}
	run  *advise.Run
	err  error
}

// readings are the measurements that were read with the credentials of one viewer. They are safe for concurrent use.
type readings struct {
	mu  sync.Mutex
	all *cache.LRUExpireCache // of *reading
}

func newReadings(clock cache.Clock) *readings {
	return &readings{all: cache.NewLRUExpireCacheWithClock(maxReadings, clock)}
}

// of returns the reading for a key. If there is none, or it has expired, it calls begin, which has to start reading.
func (r *readings) of(key string, begin func(*reading)) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, has := r.all.Get(key); has {
		return known.(*reading)
	}
	next := &reading{done: make(chan struct{})}
	r.all.Add(key, next, readAgain)
	begin(next)
	return next
}

// advise fills in the card with recommendations.
func (p *applicationPage) advise(v *visit, app *v1alpha1.SparkApplication) {
	d := app.Status.Driver
	p.Advice.Offered = d != nil && d.ApplicationID != ""
	p.Advice.Asked = v.request.URL.Query().Get("advice") != ""
	if !p.Advice.Offered || !p.Advice.Asked {
		return
	}
	stage, _ := status.StageOf(app.Status.Conditions)
	ended := stage.Ended()
	key := fmt.Sprintf("%s/%s/%t", app.UID, d.ApplicationID, ended)
	known := v.readings.of(key, func(r *reading) {
		go func() {
			defer close(r.done)
			if r.run, r.err = v.measurements(app); r.err == nil && ended {
				v.readings.all.Add(key, r, keepFinal)
			}
		}()
	})
	timeout := v.clock.NewTimer(atOnce)
	defer timeout.Stop()
	select {
	case <-known.done:
		p.Advice.fill(known, app)
	case <-timeout.C():
		p.Advice.Reading = true
		go v.wakeAfter(known.done)
	case <-v.ctx.Done():
	}
}

// measurements reads what Spark measured, after waiting for its turn.
func (v *visit) measurements(app *v1alpha1.SparkApplication) (*advise.Run, error) {
	ctx, cancel := context.WithTimeout(v.viewer.ctx, readWithin)
	defer cancel()
	if v.limits.readings.Acquire(ctx, 1) != nil {
		return nil, errors.New("the measurements of other applications are being read: load this page again in a minute")
	}
	defer v.limits.readings.Release(1)
	return v.sources().Read(ctx, app)
}

// sources returns where measurements are looked for, with the viewer's credentials.
func (v *visit) sources() measured.Sources {
	return measured.Sources{Cluster: v.cluster, OfUser: v.local, HistoryServer: v.history}
}

// wakeAfter updates the page when done is closed.
func (v *visit) wakeAfter(done <-chan struct{}) {
	select {
	case <-done:
	case <-v.ctx.Done():
		return
	}
	select {
	case v.wake <- struct{}{}:
	default: // it is already going to be updated
	}
}

// fill fills in the card from measurements.
func (c *adviceCard) fill(r *reading, app *v1alpha1.SparkApplication) {
	if r.err != nil {
		c.Problem = r.err.Error()
		return
	}
	c.Advice = advise.Advise(r.run)
	patch := advise.Patch(c.Advice, app)
	if patch["spec"] == nil {
		return
	}
	text, err := yaml.Marshal(patch)
	if err != nil {
		c.Problem = err.Error()
		return
	}
	c.Patch = lines(string(text))
}
