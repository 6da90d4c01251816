// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// observer finds out what a decision depends on.
type observer struct {
	client client.Client
	live   client.Reader
	apps   applications
	record *record
	// since is when this process became the leader.
	since, now time.Time
}

// observed is what a pass has found out about a schedule.
type observed struct {
	o tick.Observation
	// mistake is the error in the spec that keeps the schedule from working; empty if there is none.
	mistake string
	// inTemplate reports whether the mistake is in the template.
	inTemplate bool
}

// observe reads the applications of the schedule and checks its spec.
func (ob observer) observe(ctx context.Context) (observed, error) {
	s, refused := ob.apps.schedule, ob.record.rejected
	seen := observed{o: tick.Observation{
		Schedule: s, Now: ob.now, Since: ob.since, Token: status.ForceToken(s.Annotations, s.Status.LastHandledForceAt),
		Request: s.Annotations[v1alpha1.RunForAnnotation],
		Taken:   map[string]bool{}, Refused: refused.tick, RefusedRequest: refused.request.run,
	}}
	var err error
	if seen.o.Children, err = ob.apps.list(ctx, ob.record.created); err != nil {
		return seen, err
	}
	if stub := s.Stub; stub != nil {
		seen.mistake = fmt.Sprintf("spec: metadata and spec take %d bytes as JSON, of at most %d together: put large files into the image, a volume or a "+
			"ConfigMap, and shorten templates and annotations", stub.Size, v1alpha1.MaxApplicationSize)
		return seen, nil
	}
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		seen.mistake = "spec." + err.Error()
		return seen, nil
	}
	if seen.mistake, err = ob.checkTemplate(ctx); err != nil || seen.mistake != "" {
		seen.inTemplate = seen.mistake != ""
		return seen, err
	}
	seen.o.Times = times
	return seen, nil
}
