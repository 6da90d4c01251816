// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

const (
	// firstWithin is how long a page waits for its first list. After that it shows that it is loading.
	firstWithin = 10 * time.Second
	// wholeWithin is how long a page that can show a part of a list waits for the rest after the list has begun to
	// arrive.
	wholeWithin = 500 * time.Millisecond
)

// view is what a page shows at one moment.
type view struct {
	title string
	// section is the entry of the navigation to which the page belongs.
	section section
	// template is the name of the template that renders data.
	template string
	data     any
	// status is the HTTP status; 0 means 200.
	status int
	// redirect is the path to show instead; empty for none.
	redirect string
	// still reports that the page answers a question and is not updated.
	still bool
}

// Builder returns what a page shows now.
type Builder func(*Visit) (view, error)

// Site is what all pages of a server have in common.
type Site struct {
	// Base is the beginning of all paths: empty, or a slash and a secret.
	Base string
	// Local reports that the pages use a kubeconfig.
	Local bool
	// Prices are used for costs; nil for none.
	Prices *usage.Prices
	// History is the address of the history server for measurements; empty for none.
	History string
}

// Visit is a request for a page or for its stream, which calls the builder repeatedly.
type Visit struct {
	*viewer.Viewer
	ctx     context.Context
	request *http.Request
	site    Site
	// wake receives a value when something that the page shows has changed.
	wake chan struct{}
	used map[string]*viewer.Shared
	// driver is the pod whose log is followed; nil for none.
	driver *corev1.Pod
	// lifetimes are the executors that were seen, of the run and attempt in lifetimesOf.
	lifetimes   lifetimes
	lifetimesOf [2]int64
}

// NewVisit returns a visit, which has to be ended.
func NewVisit(v *viewer.Viewer, site Site, r *http.Request) *Visit {
	return &Visit{Viewer: v, ctx: r.Context(), request: r, site: site, wake: make(chan struct{}, 1), used: map[string]*viewer.Shared{}}
}

// End releases everything that was watched.
func (v *Visit) End() {
	for key, s := range v.used {
		s.Unlisten(v.wake)
		v.Close(key)
	}
}

// watch returns the table of a subject when it is filled. An error says why the viewer may not see it, or why it cannot
// be read.
func watch[T any](v *Visit, s viewer.Subject) (*viewer.Table[T], error) {
	return watchWhen[T](v, s, (*Visit).whole)
}

// watchSome is watch for a page that can show a part of a long list while the rest arrives.
func watchSome[T any](v *Visit, s viewer.Subject) (*viewer.Table[T], error) {
	return watchWhen[T](v, s, (*Visit).some)
}

// watchWhen returns the table of a subject when enough of it has arrived for the page.
func watchWhen[T any](v *Visit, s viewer.Subject, enough func(*Visit, *viewer.Source)) (*viewer.Table[T], error) {
	key := s.Key()
	if v.used[key] == nil {
		t, err := viewer.Open[T](v.Viewer, s)
		if err != nil {
			return nil, err
		}
		t.Listen(v.wake)
		v.used[key] = &viewer.Shared{Table: t, Source: &t.Source}
		enough(v, &t.Source)
	}
	t := v.used[key].Table.(*viewer.Table[T])
	refused, _, _ := t.Standing()
	return t, refused
}

// whole waits until the first list is complete.
func (v *Visit) whole(s *viewer.Source) { v.await(s.First, firstWithin) }

// some waits until the first list is complete, or until a part of it has arrived and the rest takes long.
func (v *Visit) some(s *viewer.Source) {
	v.await(s.Begun, firstWithin)
	v.await(s.First, wholeWithin)
}

// await waits until a channel is closed, but not longer than within.
func (v *Visit) await(closed <-chan struct{}, within time.Duration) {
	timeout := v.Clock.NewTimer(within)
	defer timeout.Stop()
	select {
	case <-closed:
	case <-timeout.C():
	case <-v.ctx.Done():
	}
}

// notices returns what has to be said about the data of a page: that it is loading, or outdated.
func (v *Visit) notices() (loading bool, lost string) {
	for _, s := range v.used {
		_, why, known := s.Standing()
		if !known {
			loading = true
		}
		if why != nil {
			lost = why.Error()
		}
	}
	return loading, lost
}

// buildNothing is the builder for unknown paths.
func buildNothing(*Visit) (view, error) {
	return view{}, &notFound{"page not found: choose one above"}
}

// Builders are the builders of all pages, by path.
var Builders = map[string]Builder{
	"/overview": buildOverview, "/queues": buildQueues, "/queues/{name}": buildQueue, "/applications": buildApplications, "/applications/{namespace}/{name}": buildApplication,
	"/applications/{namespace}/{name}/manifest": buildManifest, "/schedules": buildSchedules, "/usage": buildUsage, "/what-if": buildWhatIf, "/": buildNothing,
}
