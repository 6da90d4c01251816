// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// normalize removes from a time what cannot be encoded: the time zone and the monotonic clock reading.
func normalize(t time.Time) time.Time { return t.Round(0).UTC() }

// change is a new verdict of one or more askers, which are ordered by key.
type change struct {
	Keys []queueing.Key `json:"keys"`
	report
}

// report is what is recorded of a verdict.
type report struct {
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// PreemptedBy is the asker that preempts them.
	PreemptedBy queueing.Key `json:"by,omitzero"`
	// Why is the reason why a holder does not have all the pods that it wants. GivesBack is how many pods above its
	// base gang it must release.
	Why       string `json:"why,omitempty"`
	GivesBack int32  `json:"givesBack,omitempty"`
}

// changesOf groups askers by their verdicts, in the order of the first asker of each group.
func changesOf(e *embedded.Engine, keys []queueing.Key) []change {
	out := []change{}
	at := map[report]int{}
	for _, k := range keys {
		v := e.Verdict(k)
		t := report{State: v.State.String(), Reason: v.Reason, Message: v.Message}
		if v.Grant != nil {
			if why := e.Eviction(k, v.Grant.Run, v.Grant.Attempt); why != nil {
				t.Reason, t.Message, t.PreemptedBy = why.Reason, why.Message, why.By
			}
			allocation := e.Allocation(k, v.Grant.Run, v.Grant.Attempt)
			t.Why = allocation.Why
			for _, g := range allocation.Reclaims {
				t.GivesBack += g.Count
			}
		}
		i, known := at[t]
		if !known {
			i = len(out)
			at[t] = i
			out = append(out, change{report: t})
		}
		out[i].Keys = append(out[i].Keys, k)
	}
	return out
}
