// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// pace is the minimum time between two updates of a page.
	pace = time.Second
	// beat is how often something is sent on an idle stream, because proxies close silent connections after a minute.
	beat = 20 * time.Second
	// writeWithin is how long a browser may take to read an update.
	writeWithin = 30 * time.Second
)

// Stream sends the content of a page whenever it changes, until the browser disconnects.
func (v *Visit) Stream(w http.ResponseWriter, build Builder) {
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	v.ctx = ctx
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer it
	out := &updates{w: w, control: http.NewResponseController(w), visit: v, build: build}
	feed := newLogFeed(v.Viewer, v.request.URL.Query().Get("log") != "")
	defer feed.close()
	if out.show() != nil {
		return
	}
	feed.follow(v.driver)
	heart := v.Clock.NewTimer(beat)
	defer heart.Stop()
	var due <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-v.Viewer.Context.Done():
			return
		case <-v.wake:
			if due == nil {
				due = v.Clock.After(pace)
			}
		case <-due:
			due = nil
			err = out.show()
			feed.follow(v.driver)
		case line := <-feed.lines:
			err = out.send("log", feed.batch(line))
		case <-heart.C():
			heart.Reset(beat)
			err = out.beat()
		}
		if err != nil {
			return // the browser has disconnected
		}
	}
}

// updates sends the events of one stream.
type updates struct {
	w       http.ResponseWriter
	control *http.ResponseController
	visit   *Visit
	build   Builder
	// last is the hash of what was sent last: there may be many streams of large pages.
	last [sha256.Size]byte
}

// errStill ends the stream of a page that does not change.
var errStill = errors.New("the page has no updates")

// show sends the content of the page, unless it is the same as before.
func (u *updates) show() error {
	now := u.visit.view(u.build)
	if now.still {
		return errStill
	}
	body, err := content(u.visit, now)
	if err != nil {
		return err
	}
	next := sha256.Sum256([]byte(body))
	if next == u.last {
		return nil
	}
	u.last = next
	return u.send("view", body)
}

// send sends an event whose data is JSON in one line.
func (u *updates) send(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return u.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

func (u *updates) beat() error { return u.write(": alive\n\n") }

func (u *updates) write(text string) error {
	if err := u.control.SetWriteDeadline(u.visit.Clock.Now().Add(writeWithin)); err != nil {
		return err
	}
	if _, err := u.w.Write([]byte(text)); err != nil {
		return err
	}
	return u.control.Flush()
}
