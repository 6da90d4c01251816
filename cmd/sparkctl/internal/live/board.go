// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// Board holds the applications that a watch currently sees. It is safe for concurrent use.
type Board struct {
	wants   func(*status.Summary) bool
	changed chan struct{}

	mu   sync.Mutex
	apps map[types.UID]*v1alpha1.SparkApplication
	lost error
}

// NewBoard returns an empty board, which shows the applications for which wants returns true.
func NewBoard(wants func(*status.Summary) bool) *Board {
	return &Board{wants: wants, changed: make(chan struct{}, 1)}
}

// Replace implements client.Observer.
func (b *Board) Replace(all []v1alpha1.SparkApplication) {
	b.update(func() {
		b.lost, b.apps = nil, map[types.UID]*v1alpha1.SparkApplication{}
		for i := range all {
			b.apps[all[i].UID] = summarized(&all[i])
		}
	})
}

// Change implements client.Observer.
func (b *Board) Change(app *v1alpha1.SparkApplication, deleted bool) {
	b.update(func() {
		if deleted {
			delete(b.apps, app.UID)
			return
		}
		b.apps[app.UID] = summarized(app)
	})
}

// Lost implements client.Observer.
func (b *Board) Lost(why error) { b.update(func() { b.lost = why }) }

// update changes the board and wakes the screen.
func (b *Board) update(change func()) {
	b.mu.Lock()
	change()
	b.mu.Unlock()
	select {
	case b.changed <- struct{}{}:
	default: // a change is already signalled
	}
}

// summarized returns a copy with only those fields that a summary needs, because there may be thousands of
// applications.
func summarized(app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name, UID: app.UID, CreationTimestamp: app.CreationTimestamp},
		Spec:       v1alpha1.SparkApplicationSpec{Queue: app.Spec.Queue},
		Status: v1alpha1.SparkApplicationStatus{
			Queue: app.Status.Queue, Run: app.Status.Run, Attempt: app.Status.Attempt, Conditions: app.Status.Conditions,
			Executors: app.Status.Executors, RunDuration: app.Status.RunDuration, Times: app.Status.Times, Attempts: app.Status.Attempts,
		},
	}
}

// View is the content of a board at one time.
type View struct {
	// Rows are the applications that have not ended, followed by those that have, each with the newest first.
	Rows []status.Summary
	// Lost is the reason why the rows may be outdated, or nil.
	Lost error
	At   time.Time
}

// View returns the current content of the board.
func (b *Board) View(now time.Time) View {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := View{Lost: b.lost, At: now}
	for _, app := range b.apps {
		if row := status.Summarize(app, now); b.wants(&row) {
			v.Rows = append(v.Rows, row)
		}
	}
	slices.SortFunc(v.Rows, func(x, y status.Summary) int {
		return cmp.Or(
			cmp.Compare(ended(&x), ended(&y)), cmp.Compare(x.Age, y.Age),
			cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name),
		)
	})
	return v
}

// ended returns 1 for an application that has ended, and 0 otherwise, as a sort key.
func ended(s *status.Summary) int {
	if status.Stage(s.Stage).Ended() {
		return 1
	}
	return 0
}
