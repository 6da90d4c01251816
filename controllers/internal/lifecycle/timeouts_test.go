// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
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
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{Timeouts: tc.timeouts}}
			if got := HoldsFor(app); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}
