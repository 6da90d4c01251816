// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"math"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestHoldsFor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		timeouts *v1alpha1.Timeouts
		want     time.Duration
	}{
		"no timeouts":       {nil, 0},
		"not the run":       {&v1alpha1.Timeouts{DriverStart: seconds(5), Total: seconds(60)}, 0},
		"the run":           {&v1alpha1.Timeouts{Run: seconds(60)}, DefaultDriverStart + time.Minute + DefaultTermination},
		"each of its parts": {&v1alpha1.Timeouts{DriverStart: seconds(1), Run: seconds(20), Termination: seconds(300)}, 321 * time.Second},
		"an end is bounded": {&v1alpha1.Timeouts{Run: seconds(1), Termination: &v1alpha1.Duration{Duration: forEver}}, DefaultDriverStart + time.Second + 10*time.Minute},
		// Added up as they are, the two would come to a bound in the past.
		"longer than time":   {&v1alpha1.Timeouts{DriverStart: &v1alpha1.Duration{Duration: 2 * forEver}, Run: &v1alpha1.Duration{Duration: 2 * forEver}}, math.MaxInt64},
		"no time is a bound": {&v1alpha1.Timeouts{DriverStart: seconds(0), Run: seconds(0), Termination: seconds(0)}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{Timeouts: tc.timeouts}}
			if got := HoldsFor(app, 10*time.Minute); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}
