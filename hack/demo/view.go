// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// heartbeat is how often, at least every ten seconds, a line says that all continues while nothing changes and there is no terminal to draw on.
const heartbeat = 9 * time.Second

// view prints steps, and below them on a terminal what is going on.
type view struct {
	out      io.Writer
	terminal bool
	begin    time.Time
	drawn    bool      // the live line stands on the terminal
	lastLine time.Time // when something was last printed
}

func newView(out *os.File, begin time.Time) *view {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	return &view{out: out, terminal: terminal, begin: begin, lastLine: begin}
}

// erase takes the live line away.
func (v *view) erase() {
	if v.drawn {
		fmt.Fprint(v.out, "\r\x1b[K")
		v.drawn = false
	}
}

// say prints a line that stays.
func (v *view) say(format string, args ...any) {
	v.erase()
	fmt.Fprintf(v.out, format+"\n", args...)
}

// step prints that an application has reached a stage.
func (v *view) step(now time.Time, name string, s step) {
	v.lastLine = now
	v.say("%7s  %-12s %s", elapsed(now.Sub(v.begin)), name, strings.TrimSpace(fmt.Sprintf("%-10s %s", s.stage, s.note)))
}

// live draws what is going on, or says it now and then where there is no terminal.
func (v *view) live(now time.Time, apps []*progress) {
	text := fmt.Sprintf("%7s  %s", elapsed(now.Sub(v.begin)), summary(apps))
	switch {
	case v.terminal:
		v.erase()
		fmt.Fprint(v.out, text)
		v.drawn = true
	case now.Sub(v.lastLine) >= heartbeat:
		v.lastLine = now
		v.say("%s", text)
	}
}

// summary returns the state of all applications in one line.
func summary(apps []*progress) string {
	parts := make([]string, 0, len(apps))
	for _, p := range apps {
		text := p.name + " " + p.reached.String()
		if e := p.last.Status.Executors.Summary; e != "" && p.reached == running {
			text += ", executors " + e
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " | ")
}

func elapsed(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
