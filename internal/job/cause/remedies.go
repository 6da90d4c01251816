// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed remedies.txt
var table string

// Remedies returns all rows of remedies.txt, in its order.
var Remedies = sync.OnceValue(func() (all []Remedy) {
	class, says := "", []string(nil)
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if name, begins := strings.CutPrefix(line, "# "); begins {
			class = name
		} else if do, indented := strings.CutPrefix(line, "    "); indented {
			all = append(all, Remedy{class, do, says})
		} else {
			says = strings.Split(line, " | ")
		}
	}
	return all
})

// Remedy says what to change after failures with a certain cause.
type Remedy struct {
	// Class is what the cause is about, in one word.
	Class string
	// Do is what to do. ROLE stands for the role whose container failed, driver or executor.
	Do string
	// Says are texts of which the cause contains one. An ellipsis stands for any text.
	Says []string
}

// Of returns what Do says about a failure in a container of a role.
func (r *Remedy) Of(role string) string { return strings.ReplaceAll(r.Do, "ROLE", role) }

// RemedyOf returns what to do about a cause, for the role whose container failed; empty if that is not known. What failed
// in a task failed on an executor.
func RemedyOf(cause, role string) string {
	if strings.HasPrefix(cause, inTask) {
		role = "executor"
	}
	for _, r := range Remedies() {
		if slices.ContainsFunc(r.Says, func(text string) bool { return matches(cause, text) }) {
			return r.Of(role)
		}
	}
	return ""
}

// matches reports whether a text contains the parts of a pattern, in their order.
func matches(text, pattern string) bool {
	for part := range strings.SplitSeq(pattern, "…") {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// WithRemedy returns a cause and what to do about it, in at most limit bytes. If that is too long, the cause is cut as
// Find cuts it; the remedy is left out if less than half of limit would remain for the cause.
func WithRemedy(cause, role string, limit int) string {
	text := ""
	if remedy := RemedyOf(cause, role); remedy != "" {
		text = "; " + remedy
	}
	room := limit - len(text)
	if room < limit/2 && len(cause) > room {
		room, text = limit, ""
	}
	return join(strings.Split(cause, separator), room) + text
}
