// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

// complete makes up for times and attempts that are missing in a status, so that no decision has to expect that: an operator always writes them, but
// another client may have removed them, or has written what could not be read.
func (st *state) complete() {
	for i := range st.s.Attempts {
		if a := &st.s.Attempts[i]; a.FinishedAt == nil {
			a.FinishedAt = st.nowPtr()
		}
	}
	if len(st.s.Attempts) == 0 {
		st.s.Times.Retry = nil
	}
	if st.was.Active() && st.s.Times.Admitted == nil {
		st.s.Times.Admitted = st.nowPtr()
	}
}
