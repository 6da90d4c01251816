// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
)

// Remedies for a rejection, of a run that has ended and of one that has not begun.
const (
	RunAgain = "; correct the application, which starts the next run, or have that rule changed and set another spec.runID"
	tryAgain = "; correct the application, or have that rule changed: the operator tries again"
)

// RejectionOf returns a message that the API server rejects an object, with the remedy. Secrets are redacted, because
// the API server repeats values.
func RejectionOf(obj client.Object, err error, remedy string) string {
	const reserved = 400 // for the remedy, and for the text before the message in a condition
	return fmt.Sprintf("the API server refuses %s: %s%s", render.Describe(obj), redact.First(redact.Text(err.Error()), status.MaxMessage-reserved), remedy)
}

const (
	// rejectionTTL is how long a rejection is remembered. During that time a start with the same content asks for no
	// quota, unless a dry run shows that the API server accepts it by now.
	rejectionTTL = time.Hour
	// firstRejectionPause is the pause between dry runs of the same content. It doubles up to maxRejectionPause.
	firstRejectionPause = 10 * time.Second
	maxRejectionPause   = 5 * time.Minute
)

// content is the run template of an application, without spec.runID, in a namespace. Applications with the same
// content, such as the runs of a schedule, have objects that differ in little but their names.
type content struct{ namespace, template string }

// contentOf is the content of one application.
type contentOf struct {
	content
	uid types.UID
}

func newContent(app *v1alpha1.SparkApplication) (contentOf, error) {
	spec := app.Spec
	spec.RunID = ""
	template, err := templatehash.Of(&spec)
	return contentOf{content{app.Namespace, template}, app.UID}, err
}

// startOf is what a start is derived from. A start of another run or with other inputs is tried immediately, because a
// user has asked for it.
type startOf struct {
	run    int64
	inputs string
}

// rejection is the last answer of the API server to the objects of a start. They are not tried again before until.
type rejection struct {
	startOf
	message string
	until   time.Time
	pause   time.Duration
}

// Rejections remembers the content that the API server has rejected recently. It is safe for concurrent use.
type Rejections struct {
	clock clock.Clock
	known *cache.Expiring
	// pausedUntil is when dry runs of pods resume after one has timed out, in Unix nanoseconds.
	pausedUntil atomic.Int64
}

// NewRejections returns an empty record.
func NewRejections(c clock.Clock) *Rejections {
	return &Rejections{clock: c, known: cache.NewExpiringWithClock(c)}
}

// none reports whether nothing was rejected recently.
func (rj *Rejections) none() bool { return rj.known.Len() == 0 }

// of returns the last rejection of an application, and whether its content was rejected recently. The rejection is zero
// if only another application with the same content was rejected.
func (rj *Rejections) of(c contentOf) (last rejection, rejected bool) {
	if known, ok := rj.known.Get(c); ok {
		return known.(rejection), true
	}
	_, rejected = rj.known.Get(c.content)
	return rejection{}, rejected
}

// Note records that the API server has rejected the attempt in the status of an application, built from these inputs.
func (rj *Rejections) Note(app *v1alpha1.SparkApplication, inputs, message string) {
	if key, err := newContent(app); err == nil {
		rj.note(key, startOf{app.Status.Run, inputs}, message)
	}
}

// note records a rejection and returns it. The pause doubles if the same start was rejected before.
func (rj *Rejections) note(c contentOf, start startOf, message string) rejection {
	noted := rejection{startOf: start, message: message, pause: firstRejectionPause}
	if last, _ := rj.of(c); last.startOf == start {
		noted.pause = min(2*last.pause, maxRejectionPause)
	}
	noted.until = rj.clock.Now().Add(noted.pause)
	rj.known.Set(c.content, nil, rejectionTTL)
	rj.known.Set(c, noted, rejectionTTL)
	return noted
}

// forget drops a rejection, because the API server accepts the content by now.
func (rj *Rejections) forget(c contentOf) {
	rj.known.Delete(c.content)
	rj.known.Delete(c)
}
