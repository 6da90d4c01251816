// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"math"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
)

// TestBar: the parts of a bar fill it and do not overlap.
func TestBar(t *testing.T) {
	t.Parallel()
	quantity := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return ptr.To(resource.MustParse(text))
	}
	for name, tt := range map[string]struct {
		used, nominal, borrowed, lent, reserved string
		own, above, others, kept                float64
		text                                    string
	}{
		"half":         {"4", "8", "", "", "", 50, 0, 0, 0, "4 of 8 used"},
		"borrowed":     {"12", "8", "4", "", "", 67, 33, 0, 0, "12 of 8 used, 4 borrowed"},
		"lent":         {"2", "8", "", "4", "", 25, 0, 50, 0, "2 of 8 used, 4 lent"},
		"no limit":     {"2", "", "", "", "", 0, 0, 0, 0, "2 used, no limit"},
		"nothing":      {"0", "0", "", "", "", 0, 0, 0, 0, "0 of 0 used"},
		"all borrowed": {"2", "0", "2", "", "", 0, 100, 0, 0, "2 of 0 used, 2 borrowed"},
		"reserved":     {"2", "8", "", "2", "4", 25, 0, 25, 50, "2 of 8 used, 4 reserved, 2 lent"},
		"above quota":  {"6", "8", "", "", "4", 60, 0, 0, 40, "6 of 8 used, 4 reserved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := BarOf(v1.Usage{Resource: "cpu", Flavor: "default", Used: *quantity(tt.used), Nominal: quantity(tt.nominal), Borrowed: quantity(tt.borrowed), Reserved: quantity(tt.reserved)}, quantity(tt.lent))
			if math.Round(b.Own) != tt.own || math.Round(b.Borrowed) != tt.above || math.Round(b.Lent) != tt.others || math.Round(b.Reserved) != tt.kept || b.Text != tt.text {
				t.Errorf("%+v", b)
			}
		})
	}
}

// TestHours: amounts keep the digits that say something.
func TestHours(t *testing.T) {
	t.Parallel()
	for amount, want := range map[float64]string{0: "0", 0.0001: "<0.001", 0.0042: "0.004", 1.256: "1.26", 123.44: "123.4", 1234: "1,234", 1234567.8: "1,234,568"} {
		if got := Rounded(amount); got != want {
			t.Errorf("%v becomes %q, want %q", amount, got, want)
		}
	}
}
