// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/usage"
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
	// still reports that the page answers a question and is not updated.
	still bool
}

// builder returns what a page shows now.
type builder func(*visit) (view, error)

// visit is a request for a page or for its stream, which calls the builder repeatedly.
type visit struct {
	*viewer
	ctx     context.Context
	request *http.Request
	// base is the beginning of all paths.
	base string
	// local reports that the page uses a kubeconfig.
	local bool
	// prices are used for costs; nil for none.
	prices *usage.Prices
	// history is the address of the history server for measurements; empty for none.
	history string
	// wake receives a value when something that the page shows has changed.
	wake chan struct{}
	used map[string]*shared
	// driver is the pod whose log is followed; nil for none.
	driver *corev1.Pod
	// lifetimes are the executors that were seen, of the run and attempt in lifetimesOf.
	lifetimes   lifetimes
	lifetimesOf [2]int64
}

// end releases everything that was watched.
func (v *visit) end() {
	for key, s := range v.used {
		s.unlisten(v.wake)
		v.close(key)
	}
}

// watch returns the table of a subject when it is filled. An error says why the viewer may not see it, or why it cannot
// be read.
func watch[T any](v *visit, s subject, uid func(*T) types.UID) (*table[T], error) {
	return watchWhen(v, s, uid, (*visit).whole)
}

// watchSome is watch for a page that can show a part of a long list while the rest arrives.
func watchSome[T any](v *visit, s subject, uid func(*T) types.UID) (*table[T], error) {
	return watchWhen(v, s, uid, (*visit).some)
}

// watchWhen returns the table of a subject when enough of it has arrived for the page.
func watchWhen[T any](v *visit, s subject, uid func(*T) types.UID, enough func(*visit, *source)) (*table[T], error) {
	key := s.key()
	if v.used[key] == nil {
		t, err := open(v.viewer, s, uid)
		if err != nil {
			return nil, err
		}
		t.listen(v.wake)
		v.used[key] = &shared{table: t, source: &t.source}
		enough(v, &t.source)
	}
	t := v.used[key].table.(*table[T])
	refused, _, _ := t.standing()
	return t, refused
}

// whole waits until the first list is complete.
func (v *visit) whole(s *source) { v.await(s.first, firstWithin) }

// some waits until the first list is complete, or until a part of it has arrived and the rest takes long.
func (v *visit) some(s *source) {
	v.await(s.begun, firstWithin)
	v.await(s.first, wholeWithin)
}

// await waits until a channel is closed, but not longer than within.
func (v *visit) await(closed <-chan struct{}, within time.Duration) {
	timeout := v.clock.NewTimer(within)
	defer timeout.Stop()
	select {
	case <-closed:
	case <-timeout.C():
	case <-v.ctx.Done():
	}
}

// notices returns what has to be said about the data of a page: that it is loading, or outdated.
func (v *visit) notices() (loading bool, lost string) {
	for _, s := range v.used {
		_, why, known := s.standing()
		if !known {
			loading = true
		}
		if why != nil {
			lost = why.Error()
		}
	}
	return loading, lost
}
