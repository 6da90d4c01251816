// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"time"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/client/measured"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// atOnce is how long a page waits for measurements before it shows that they are being read.
const atOnce = time.Second

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

// advise fills in the card with recommendations.
func (p *applicationPage) advise(v *Visit, app *v1alpha1.SparkApplication) {
	d := app.Status.Driver
	p.Advice.Offered = d != nil && d.ApplicationID != ""
	p.Advice.Asked = v.request.URL.Query().Get("advice") != ""
	if !p.Advice.Offered || !p.Advice.Asked {
		return
	}
	known := v.Measured(app, measured.Sources{Cluster: v.Cluster, OfUser: v.site.Local, HistoryServer: v.site.History})
	timeout := v.Clock.NewTimer(atOnce)
	defer timeout.Stop()
	select {
	case <-known.Done:
		p.Advice.fill(known, app)
	case <-timeout.C():
		p.Advice.Reading = true
		go v.wakeAfter(known.Done)
	case <-v.ctx.Done():
	}
}

// wakeAfter updates the page when done is closed.
func (v *Visit) wakeAfter(done <-chan struct{}) {
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
func (c *adviceCard) fill(r *viewer.Reading, app *v1alpha1.SparkApplication) {
	if r.Err != nil {
		c.Problem = r.Err.Error()
		return
	}
	c.Advice = advise.Advise(r.Run)
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
