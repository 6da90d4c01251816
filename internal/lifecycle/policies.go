// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

// policies is embedded by the parts that make decisions: the state, the draft of the decision, and the policies over
// them. A policy uses only the ones before it.
type policies struct {
	*state
	*draft
	history     history
	deadlines   deadlines
	rerun       rerun
	retries     retries
	place       place
	delegation  delegation
	failures    failures
	health      health
	elastic     elastic
	stopChecks  stopChecks
	termination termination
	retention   retention
}

// newPolicies returns the policies over st, with an empty draft.
func newPolicies(st *state) policies {
	p := policies{state: st, draft: &draft{}}
	p.history, p.deadlines, p.rerun, p.place = history{st}, deadlines{st}, rerun{st}, place{st}
	p.retries = retries{st, p.history}
	p.delegation = delegation{st, p.deadlines}
	p.failures = failures{st}
	p.health = health{st, p.deadlines, p.failures}
	p.elastic = elastic{st, p.draft}
	p.stopChecks = stopChecks{st, p.deadlines, p.rerun, p.delegation, p.health}
	p.termination = termination{st, p.draft, p.deadlines}
	p.retention = retention{st, p.draft, p.history}
	return p
}
