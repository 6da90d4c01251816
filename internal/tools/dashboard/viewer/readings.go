// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/client/measured"
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
)

// Reading is what Spark measured during one attempt, or the error when it was read. Both are valid once done is closed.
type Reading struct {
	Done chan struct{}
	Run  *advise.Run
	Err  error
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
func (r *readings) of(key string, begin func(*Reading)) *Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, has := r.all.Get(key); has {
		return known.(*Reading)
	}
	next := &Reading{Done: make(chan struct{})}
	r.all.Add(key, next, readAgain)
	begin(next)
	return next
}

// Measured returns what Spark measured in the last run of an application, which may still be read.
func (v *Viewer) Measured(app *v1alpha1.SparkApplication, from measured.Sources) *Reading {
	stage, _ := status.StageOf(app.Status.Conditions)
	key := fmt.Sprintf("%s/%s/%t", app.UID, app.Status.Driver.ApplicationID, stage.Ended())
	return v.readings.of(key, func(r *Reading) {
		go func() {
			defer close(r.Done)
			if r.Run, r.Err = v.measurements(app, from); r.Err == nil && stage.Ended() {
				v.readings.all.Add(key, r, keepFinal)
			}
		}()
	})
}

// measurements reads what Spark measured, after waiting for its turn.
func (v *Viewer) measurements(app *v1alpha1.SparkApplication, from measured.Sources) (*advise.Run, error) {
	ctx, cancel := context.WithTimeout(v.Context, readWithin)
	defer cancel()
	done, err := turn(ctx, v.ownReadings, v.limits.readings)
	if err != nil {
		return nil, errors.New("the measurements of other applications are being read: load this page again in a minute")
	}
	defer done()
	return from.Read(ctx, app)
}
