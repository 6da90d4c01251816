// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
)

// registry holds the askers by key, and the keys whose verdict has changed.
type registry struct {
	apps    map[queueing.Key]*app
	changed map[queueing.Key]bool
}

func (rg *registry) sortedKeys() []queueing.Key {
	keys := make([]queueing.Key, 0, len(rg.apps))
	for key := range rg.apps {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// setVerdict sets the verdict of a pending asker, and records its key if the verdict has changed.
func (rg *registry) setVerdict(a *app, v *queueing.Verdict) {
	if a.verdict == nil || *a.verdict != *v {
		rg.changed[a.key] = true
	}
	a.verdict = v
}
