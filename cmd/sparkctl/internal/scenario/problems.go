// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// maxProblems bounds the number of problems that are listed.
const maxProblems = 20

// problems collects findings about one place of the input. Copies share the list.
type problems struct {
	all *[]offline.Finding
	// object and path are the place. The path is empty or ends with a dot.
	object *offline.Object
	path   string
}

// in returns a collector for an object.
func (p problems) in(o *offline.Object) problems {
	p.object, p.path = o, ""
	return p
}

// at returns a collector for the fields below a path.
func (p problems) at(format string, args ...any) problems {
	p.path += fmt.Sprintf(format, args...) + "."
	return p
}

// add adds a mistake in a field, or in the place itself, with a remedy.
func (p problems) add(field, format string, args ...any) {
	p.put(offline.Finding{Field: field, Message: fmt.Sprintf(format, args...)})
}

// warn adds a warning about something that will not be played as it is written.
func (p problems) warn(field, format string, args ...any) {
	p.put(offline.Finding{Field: field, Message: fmt.Sprintf(format, args...), Warning: true})
}

func (p problems) put(f offline.Finding) {
	f.Field = strings.TrimSuffix(p.path+f.Field, ".")
	*p.all = append(*p.all, p.object.Place([]offline.Finding{f})...)
}

// found reports whether there are mistakes.
func (p problems) found() bool {
	return slices.ContainsFunc(*p.all, func(f offline.Finding) bool { return !f.Warning })
}

// lines returns the warnings, and an error with all mistakes, one per line, in the order of the file.
func (p problems) lines() (warnings []string, err error) {
	var mistakes []string
	slices.SortStableFunc(*p.all, func(a, b offline.Finding) int { return a.Line - b.Line })
	for _, f := range *p.all {
		if f.Warning {
			warnings = append(warnings, f.String())
		} else {
			mistakes = append(mistakes, f.String())
		}
	}
	if n := len(mistakes); n > maxProblems {
		mistakes = append(mistakes[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	if len(mistakes) > 0 {
		err = errors.New(strings.Join(mistakes, "\n"))
	}
	return warnings, err
}

// decode decodes the object strictly, and reports whether it has no mistakes.
func (p problems) decode(into any) bool {
	mistakes := strictdecode.Decode(p.object.JSON, "", into)
	for _, m := range mistakes {
		p.add(strings.TrimPrefix(m.Field, "."), "%s", m.Message)
	}
	return len(mistakes) == 0
}
