// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing"
)

// Max is the largest amount accepted from outside: 2^53 thousandths of a core, bytes or pieces. Every system can
// represent such a number exactly, even as a double and in thousandths.
const Max = int64(1) << 53

// RangeError is the error that a quantity is not a valid amount.
type RangeError struct {
	// Value is the quantity as it was given, or the beginning of it.
	Value string
	// Problem says what is wrong, and Remedy what to write instead.
	Problem, Remedy string
}

// Error returns value, problem and remedy. It does not name the field, which the caller knows.
func (e *RangeError) Error() string {
	return fmt.Sprintf("value %q %s: %s", e.Value, e.Problem, e.Remedy)
}

// Of returns a quantity as an amount of a resource. The error is a *RangeError if the quantity is negative or above
// Max.
func Of(name string, q resource.Quantity) (int64, error) {
	amount := Clamp(name, q)
	switch {
	case q.Sign() < 0:
		return 0, &RangeError{Value: shown(q), Problem: "is negative", Remedy: "set a quantity of zero or more"}
	case amount == Max && (huge(q) || q.Cmp(Quantity(name, Max)) > 0):
		most := Quantity(name, Max)
		return 0, &RangeError{Value: shown(q), Problem: "is above " + most.String() + ", the most that is counted", Remedy: "set less"}
	}
	return amount, nil
}

// shown returns the beginning of a quantity. A quantity may have as many digits as fit into an object, and an error
// that is kept would keep them all.
func shown(q resource.Quantity) string {
	const longest = 64
	text := q.String()
	if len(text) > longest {
		return strings.Clone(text[:longest]) + "…"
	}
	return text
}

// Clamp returns a quantity as an amount of a resource: 0 if it is negative, and Max if it is above Max.
func Clamp(name string, q resource.Quantity) int64 {
	switch {
	case q.Sign() <= 0:
		return 0
	case huge(q), q.Cmp(Quantity(name, Max)) >= 0: // the conversions below would overflow
		return Max
	case name == string(corev1.ResourceCPU):
		return q.MilliValue()
	}
	return q.Value()
}

// huge reports whether a quantity has more trailing zeros than any amount. Comparing such a quantity digit by digit, as
// Quantity.Cmp does, takes time proportional to its exponent: "1e1000000000" would practically never end.
func huge(q resource.Quantity) bool {
	const zeros = 30
	digits := q.AsDec()
	return digits.Sign() > 0 && digits.Scale() < -zeros
}

// ClampAll applies Clamp to each quantity of a list. It returns nil for nil.
func ClampAll(list corev1.ResourceList) queueing.Resources {
	if list == nil {
		return nil
	}
	out := make(queueing.Resources, len(list))
	for name, q := range list {
		out[string(name)] = Clamp(string(name), q)
	}
	return out
}

// Quantity is the inverse of Of. The result prints like quantities in Kubernetes: cpu 600m, memory 2688Mi, 3 pieces. It
// accepts any integer.
func Quantity(name string, amount int64) resource.Quantity {
	switch {
	case name == string(corev1.ResourceCPU):
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	case isBytes(name):
		return *resource.NewQuantity(amount, resource.BinarySI)
	}
	return *resource.NewQuantity(amount, resource.DecimalSI)
}

// binaryUnits are the units of bytes, each 1024 times the one before it.
var binaryUnits = []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// Text returns a quantity for users, in the largest unit in which it has at most three decimal places: 3.5Gi and 1.5
// where Kubernetes prints 3584Mi and 1500m. It is a valid quantity of the same amount.
func Text(q resource.Quantity) string {
	text := q.String()
	if milli, ok := strings.CutSuffix(text, "m"); ok {
		if n, err := strconv.ParseInt(milli, 10, 64); err == nil && n > 1000 {
			return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
		}
		return text
	}
	for i, unit := range binaryUnits {
		n, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
		if err != nil || !strings.HasSuffix(text, unit) {
			continue
		}
		for size := int64(1024); i+1 < len(binaryUnits) && n > size && n*1000%size == 0; size *= 1024 {
			i++
			text = strconv.FormatFloat(float64(n)/float64(size), 'f', -1, 64) + binaryUnits[i]
		}
		return text
	}
	return text
}

func isBytes(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceMemory, corev1.ResourceStorage, corev1.ResourceEphemeralStorage:
		return true
	}
	return strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}

// Plus returns the sum of two amounts, capped at Max. Negative amounts count as 0.
func Plus(a, b int64) int64 {
	a, b = min(max(0, a), Max), min(max(0, b), Max)
	return min(a+b, Max)
}

// Times returns count times an amount, capped at Max. Negative operands count as 0.
func Times(count int32, amount int64) int64 {
	if count <= 0 || amount <= 0 {
		return 0
	}
	if amount > Max/int64(count) {
		return Max
	}
	return int64(count) * amount
}
