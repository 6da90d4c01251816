// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"
	"strings"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
)

// WriteAdvice writes advice as text for a terminal. The names of stages come from the user's program; the caller's
// writer has to make them harmless.
func WriteAdvice(out io.Writer, a advise.Advice) error {
	p := &page{}
	p.line("%s", strings.TrimSpace("Measured by Spark "+a.ApplicationID)+": "+a.Source)
	if len(a.Changes) == 0 {
		p.paragraph()
		p.line("No change is advised.")
	} else {
		rows := [][]string{{"FIELD", "NOW", "ADVISED", "CONFIDENCE", "REASON"}}
		for _, c := range a.Changes {
			rows = append(rows, []string{"spec." + c.Field, c.Current, c.Advised, string(c.Confidence), c.Reason})
		}
		p.table(rows)
	}
	p.list("Also:", a.Hints)
	p.list("Not known:", a.Unknown)
	return p.end(out, "")
}

// list writes sentences as a list below a heading; nothing if there are none.
func (p *page) list(head string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.paragraph()
	p.line("%s", head)
	for _, s := range sentences {
		p.line("- %s", s)
	}
}
