// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/advise"
	"github.com/sparkgate/sparkgate/internal/client/measured"
	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	// readWithin bounds how long a driver or a history server is read.
	readWithin = 30 * time.Second
	// readAgain is how long measurements of a run that goes on are shown before they are read again, and an error before
	// it is tried again.
	readAgain = time.Minute
	// mostReadings bounds the measurements that are kept for a viewer.
	mostReadings = 32
	// atOnce is how long a page waits for measurements before it says that they are being read.
	atOnce = time.Second
)

// adviceCard says which memory, cores and executors would do.
type adviceCard struct {
	// Offered: there is something to read. Asked: the viewer wants it read. Reading: that is under way.
	Offered, Asked, Reading bool
	// Problem says why it cannot be read.
	Problem string
	Advice  advise.Advice
	// Patch is the manifest's merge patch, by lines; empty if nothing is to be changed.
	Patch []string
}

// reading is what Spark measured of one attempt, or why that is not known, once done is closed.
type reading struct {
	done chan struct{}
	at   time.Time
	run  *advise.Run
	err  error
	// final: the attempt had ended when it was read.
	final bool
}

// readings are the measurements that were read with the credentials of one viewer. The zero value has none. They are safe
// for concurrent use.
type readings struct {
	mu  sync.Mutex
	all map[string]*reading
}

// of returns the measurements of a key, which are read if need be.
func (r *readings) of(key string, now time.Time, begin func(*reading)) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.all[key]; known != nil && !known.outdated(now) {
		return known
	}
	if r.all == nil || len(r.all) >= mostReadings {
		r.all = map[string]*reading{}
	}
	next := &reading{done: make(chan struct{}), at: now}
	r.all[key] = next
	begin(next)
	return next
}

// outdated reports whether measurements have to be read again.
func (r *reading) outdated(now time.Time) bool {
	select {
	case <-r.done:
	default:
		return false
	}
	return (!r.final || r.err != nil) && now.Sub(r.at) >= readAgain
}

// advise adds the card of advice.
func (p *applicationPage) advise(v *visit, app *v1alpha1.SparkApplication) {
	d := app.Status.Driver
	p.Advice.Offered = d != nil && d.ApplicationID != ""
	p.Advice.Asked = v.request.URL.Query().Get("advice") != ""
	if !p.Advice.Offered || !p.Advice.Asked {
		return
	}
	stage, _ := status.StageOf(app.Status.Conditions)
	key := fmt.Sprintf("%s/%s", app.UID, d.ApplicationID)
	if stage.Ended() {
		key += "/ended"
	}
	known := v.readings.of(key, p.Now, func(r *reading) {
		go func() {
			ctx, cancel := context.WithTimeout(v.viewer.ctx, readWithin)
			defer cancel()
			defer close(r.done)
			r.final = stage.Ended()
			r.run, r.err = v.sources().Read(ctx, app)
		}()
	})
	patience := v.clock.NewTimer(atOnce)
	defer patience.Stop()
	select {
	case <-known.done:
		p.Advice.fill(known, app)
	case <-patience.C():
		p.Advice.Reading = true
		go v.wakeAfter(known.done)
	case <-v.ctx.Done():
	}
}

// sources are where the viewer's credentials find measurements.
func (v *visit) sources() measured.Sources {
	return measured.Sources{Cluster: v.cluster, OfUser: v.local, HistoryServer: v.history}
}

// wakeAfter has the page looked at again when something is done.
func (v *visit) wakeAfter(done <-chan struct{}) {
	select {
	case <-done:
	case <-v.ctx.Done():
		return
	}
	select {
	case v.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// fill writes down what follows from measurements.
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
