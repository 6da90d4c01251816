// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// TestText: users read one unit, and what they copy is the same amount.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3584Mi": "3.5Gi", "2688Mi": "2.625Gi", "3Gi": "3Gi", "896Mi": "896Mi", "1000Mi": "1000Mi", "3000Mi": "3000Mi", "1536Ki": "1.5Mi", "1310720Mi": "1.25Ti",
		"1500m": "1.5", "600m": "600m", "2": "2", "1": "1", "20k": "20k", "0": "0", "1234567": "1234567",
	} {
		q := resource.MustParse(text)
		got := Text(q)
		if again := resource.MustParse(got); got != want || again.Cmp(q) != 0 {
			t.Errorf("%s is printed %s, want %s", text, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, text string
		want       int64
		refused    string // a part of the error; empty if there is none
		clamped    int64  // of those that are refused
	}{
		"a core":                     {name: "cpu", text: "1", want: 1000},
		"part of a core":             {name: "cpu", text: "600m", want: 600},
		"a part of a thousandth":     {name: "cpu", text: "1n", want: 1},
		"the most cores":             {name: "cpu", text: "9007199254740992m", want: Max},
		"a thousandth more":          {name: "cpu", text: "9007199254740993m", refused: `value "9007199254740993m" is above 9007199254740992m, the most that is counted: set less`, clamped: Max},
		"cores that wrap":            {name: "cpu", text: "1e16", refused: "is above 9007199254740992m", clamped: Max},
		"memory":                     {name: "memory", text: "2Gi", want: 2 << 30},
		"part of a byte":             {name: "memory", text: "1500m", want: 2},
		"the most memory":            {name: "memory", text: "8Pi", want: Max},
		"a byte more":                {name: "memory", text: "9007199254740993", refused: `value "9007199254740993" is above 8Pi`, clamped: Max},
		"part of a byte more":        {name: "memory", text: "9007199254740992001m", refused: "is above 8Pi", clamped: Max},
		"memory that wraps":          {name: "memory", text: "9223372036854775807", refused: "is above 8Pi", clamped: Max},
		"more than an integer holds": {name: "memory", text: "1e30", refused: "is above 8Pi", clamped: Max},
		"negative memory":            {name: "memory", text: "-8Gi", refused: `value "-8Gi" is negative: set a quantity of zero or more`},
		"a negative part of a byte":  {name: "memory", text: "-1m", refused: "is negative"},
		"negative without end":       {name: "memory", text: "-1e30", refused: "is negative"},
		"none":                       {name: "memory", text: "0"},
		"negative none":              {name: "memory", text: "-0"},
		"huge pages":                 {name: "hugepages-2Mi", text: "1e30", refused: "is above 8Pi", clamped: Max},
		"pieces":                     {name: "nvidia.com/gpu", text: "3", want: 3},
		"too many pieces":            {name: "nvidia.com/gpu", text: "1e16", refused: "is above 9007199254740992,", clamped: Max},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Of(tc.name, resource.MustParse(tc.text))
			clamped := Clamp(tc.name, resource.MustParse(tc.text))
			switch {
			case tc.refused == "":
				if err != nil || got != tc.want || clamped != tc.want {
					t.Errorf("got %d, clamped %d, error %v, want %d", got, clamped, err, tc.want)
				}
			case err == nil || !strings.Contains(err.Error(), tc.refused):
				t.Errorf("error: got %v, want one with %q", err, tc.refused)
			case clamped != tc.clamped:
				t.Errorf("clamped: got %d, want %d", clamped, tc.clamped)
			}
		})
	}
}

// TestEndlessDigits: a pod may have a quantity of a million digits. The error is short, because it is stored while the
// pod waits.
func TestEndlessDigits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("9", 100_000), "-" + strings.Repeat("9", 100_000)} {
		_, err := Of("memory", resource.MustParse(text))
		if err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), text[:60]) {
			t.Errorf("%.300v", err)
		}
	}
}

func TestQuantity(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name   string
		amount int64
		want   string
	}{
		"cpu":         {"cpu", 600, "600m"},
		"memory":      {"memory", 2688 << 20, "2688Mi"},
		"storage":     {"storage", 1 << 30, "1Gi"},
		"scratch":     {"ephemeral-storage", 1 << 30, "1Gi"},
		"huge pages":  {"hugepages-2Mi", 4 << 20, "4Mi"},
		"pieces":      {"nvidia.com/gpu", 1 << 20, "1048576"},
		"the largest": {"memory", math.MaxInt64, "9223372036854775807"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if q := Quantity(tc.name, tc.amount); q.String() != tc.want {
				t.Errorf("got %s, want %s", q.String(), tc.want)
			}
		})
	}
}

func TestPlusAndTimes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want int64 }{
		{Plus(1, 2), 3}, {Plus(Max, 1), Max}, {Plus(math.MaxInt64, math.MaxInt64), Max}, {Plus(-5, 3), 3},
		{Times(3, 4), 12}, {Times(math.MaxInt32, Max), Max}, {Times(math.MaxInt32, math.MaxInt64), Max}, {Times(-1, 4), 0}, {Times(4, -1), 0},
		{Times(2, Max/2), Max}, {Times(0, Max), 0},
	} {
		if tc.got != tc.want {
			t.Errorf("got %d, want %d", tc.got, tc.want)
		}
	}
}

// names are the resources with random quantities.
var names = []string{"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "nvidia.com/gpu", "pods"}

// units are units of quantities. With the numbers, they exceed the range of integers by far.
var units = []string{"", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e16", "e19", "e30"}

// hostile returns a quantity that could make sums overflow.
func hostile(r *rand.Rand) resource.Quantity {
	numbers := []string{"0", "1", "8", "1.5", "9007199254740992", "9007199254740993", "9223372036854775807", "18446744073709551615", "4611686018427387904"}
	text := numbers[r.IntN(len(numbers))] + units[r.IntN(len(units))]
	if r.IntN(4) == 0 {
		text = "-" + text
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.MustParse("1")
	}
	return q
}

// exact returns a quantity in the unit of its resource, rounded up, as an unbounded integer.
func exact(name string, q resource.Quantity) *big.Int {
	value, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok {
		return new(big.Int)
	}
	if name == string(corev1.ResourceCPU) {
		value.Mul(value, big.NewRat(1000, 1))
	}
	whole, rest := new(big.Int).DivMod(value.Num(), value.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole
}

func TestAmountsAreExactOrRefused(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 2000, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		name, q := names[r.IntN(len(names))], hostile(r)
		got, err := Of(name, q.DeepCopy())
		want := exact(name, q.DeepCopy())
		fits := q.Sign() >= 0 && want.Cmp(big.NewInt(Max)) <= 0 && q.Cmp(Quantity(name, Max)) <= 0
		if fits != (err == nil) {
			t.Fatalf("%s of %s: error %v, but %s is the amount", q.String(), name, err, want)
		}
		if err == nil && want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%s of %s: got %d, want %s", q.String(), name, got, want)
		}
		if c := Clamp(name, q.DeepCopy()); c < 0 || c > Max || err == nil && c != got {
			t.Fatalf("%s of %s: clamped to %d", q.String(), name, c)
		}
	})
}

// A quantity is processed quickly, whatever its exponent.
func TestHugeExponents(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e1410065407", "0.1e1999999999", "9e99"} {
		q := resource.MustParse(text)
		if got := Clamp("memory", q); got != Max {
			t.Errorf("%s counts as %d, want %d", text, got, Max)
		}
		if _, err := Of("cpu", q); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	if got := Clamp("memory", resource.MustParse("-1e1410065407")); got != 0 {
		t.Errorf("a negative one counts as %d, want 0", got)
	}
}
