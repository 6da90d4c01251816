// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// The defaults of the history limits, as the API documents them.
const (
	defaultSuccessfulHistoryLimit = 3
	defaultFailedHistoryLimit     = 1
)

// HistoryLimits returns how many applications that succeeded, and that failed, are kept.
func HistoryLimits(spec *v1alpha1.ScheduledSparkApplicationSpec) (succeeded, failed int) {
	return int(ptr.Deref(spec.SuccessfulHistoryLimit, defaultSuccessfulHistoryLimit)), int(ptr.Deref(spec.FailedHistoryLimit, defaultFailedHistoryLimit))
}

// Surplus returns the finished applications beyond the history limits, in the order in which their runs ended: an
// application that was run again counts as recent. Those annotated to be kept do not count.
func Surplus(spec *v1alpha1.ScheduledSparkApplicationSpec, children []Child) (surplus []Child) {
	most, mostFailed := HistoryLimits(spec)
	for succeeded, limit := range map[bool]int{true: most, false: mostFailed} {
		var ended []Child
		for _, c := range children {
			if !c.active() && !c.Keep && c.Succeeded == succeeded {
				ended = append(ended, c)
			}
		}
		slices.SortFunc(ended, compareEnds)
		surplus = append(surplus, ended[:max(0, len(ended)-limit)]...)
	}
	slices.SortFunc(surplus, compareEnds)
	return surplus
}

func compareEnds(a, b Child) int {
	return cmp.Or(a.Ended.Compare(b.Ended), a.Created.Compare(b.Created), compareNames(a, b))
}

func compareNames(a, b Child) int { return strings.Compare(a.Name, b.Name) }
