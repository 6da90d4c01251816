// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// Changes writes a line for each application at the start of a watch, and one for each change of its stage or message.
// It is not safe for concurrent use.
type Changes struct {
	Out io.Writer
	// Notes is where outages of the API server are reported.
	Notes io.Writer
	Wants func(*status.Summary) bool
	Clock clock.PassiveClock
	// Broken is called with the error if Out accepts no more lines.
	Broken func(error)

	printed map[types.UID]string
	lost    bool
}

// Replace implements client.Observer.
func (c *Changes) Replace(all []v1alpha1.SparkApplication) {
	c.lost = false
	before := c.printed
	c.printed = map[types.UID]string{}
	for i := range all {
		c.printed[all[i].UID] = before[all[i].UID]
		c.Change(&all[i], false)
	}
	for uid, text := range before {
		if _, still := c.printed[uid]; !still && text != "" {
			name, _, _ := strings.Cut(text, " ")
			c.line("%s deleted", name)
		}
	}
}

// Change implements client.Observer.
func (c *Changes) Change(app *v1alpha1.SparkApplication, deleted bool) {
	s := status.Summarize(app, c.Clock.Now())
	if !c.Wants(&s) {
		c.printed[app.UID] = "" // it still exists, and gets a line again when it is selected again
		return
	}
	text := fmt.Sprintf("%s/%s run %d attempt %d %s: %s", s.Namespace, s.Name, s.Run, s.Attempt, s.Stage, strings.Join(strings.Fields(s.Detail()), " "))
	switch {
	case deleted:
		delete(c.printed, app.UID)
		c.line("%s/%s deleted", s.Namespace, s.Name)
	case c.printed[app.UID] != text:
		c.printed[app.UID] = text
		c.line("%s", text)
	}
}

func (c *Changes) line(format string, args ...any) {
	if _, err := fmt.Fprintf(c.Out, c.Clock.Now().UTC().Format(time.RFC3339)+" "+format+"\n", args...); err != nil {
		c.Broken(err)
	}
}

// Lost implements client.Observer.
func (c *Changes) Lost(why error) {
	if !c.lost {
		c.lost = true
		fmt.Fprintf(c.Notes, "%v; trying again\n", why)
	}
}
