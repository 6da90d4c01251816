// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// twoOwnersReason is the reason of the event about an application that two owners declare differently.
const twoOwnersReason = "TwoOwners"

// ownerOf returns what applies the application, such as "Kustomization team-a/jobs"; empty if that is not known.
func ownerOf(st *state) string {
	if owner := tracker.Of(st.o.App); owner.Known() {
		return redact.First(status.Truncate(owner.String()), status.MaxMessage/4)
	}
	return ""
}

// noteOwner records at the beginning of a run what has applied its template. If that is another owner than that of the
// run before, and the template is another one, both may declare the application: then each of their passes runs it again.
func noteOwner(st *state, changed bool) {
	before, owner := st.s.AppliedBy, ownerOf(st)
	st.s.AppliedBy = owner
	if changed && before != "" && owner != "" && before != owner {
		st.event(true, twoOwnersReason, fmt.Sprintf("run %d has the run template of %s, and run %d had that of %s: if both declare this application, "+
			"it runs again at every pass of each; remove it from one of them", st.s.Run, owner, st.s.Run-1, before))
	}
}

// noteMove records another owner of the same template: the manifest has moved, and nothing runs for that.
func noteMove(st *state) {
	if st.s.AppliedBy != "" && st.o.SameTemplate && st.view.UnknownStage == "" {
		st.s.AppliedBy = ownerOf(st)
	}
}
