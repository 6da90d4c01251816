// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing"
)

// Max is the largest amount that is taken from outside: 2^53 thousandths of a core, bytes or pieces. Every system that
// reads such a number can hold it exactly, also as a double, and also in thousandths.
const Max = int64(1) << 53

// RangeError is a quantity that is not an amount.
type RangeError struct {
	// Value as it was given, or its beginning.
	Value string
	// Problem says what is wrong, Remedy what to write instead.
	Problem, Remedy string
}

// Error returns value, problem and remedy. It does not name the field: the caller knows it.
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

// shown returns the beginning of a quantity: one may have as many digits as an object has room for, and who keeps the
// error keeps them.
func shown(q resource.Quantity) string {
	const longest = 64
	text := q.String()
	if len(text) > longest {
		return strings.Clone(text[:longest]) + "…"
	}
	return text
}

// Clamp returns a quantity as an amount of a resource: 0 for negative ones, Max for those above it.
func Clamp(name string, q resource.Quantity) int64 {
	switch {
	case q.Sign() <= 0:
		return 0
	case huge(q), q.Cmp(Quantity(name, Max)) >= 0: // the conversions below wrap
		return Max
	case name == string(corev1.ResourceCPU):
		return q.MilliValue()
	}
	return q.Value()
}

// huge reports whether a quantity has more trailing zeros than any amount. To compare it digit by digit, as
// Quantity.Cmp does, takes as long as its exponent says: "1e1000000000" would never end.
func huge(q resource.Quantity) bool {
	const zeros = 30
	digits := q.AsDec()
	return digits.Sign() > 0 && digits.Scale() < -zeros
}

// ClampAll returns the amounts of a list, each as Clamp does; nil for nil.
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

// Quantity returns the inverse of Of, printed the way Kubernetes prints quantities: cpu 600m, memory 2688Mi, 3 pieces.
// It takes any integer.
func Quantity(name string, amount int64) resource.Quantity {
	switch {
	case name == string(corev1.ResourceCPU):
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	case isBytes(name):
		return *resource.NewQuantity(amount, resource.BinarySI)
	}
	return *resource.NewQuantity(amount, resource.DecimalSI)
}

func isBytes(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceMemory, corev1.ResourceStorage, corev1.ResourceEphemeralStorage:
		return true
	}
	return strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}

// Plus returns the sum of two amounts, Max at most. Negative amounts count as 0.
func Plus(a, b int64) int64 {
	a, b = min(max(0, a), Max), min(max(0, b), Max)
	return min(a+b, Max)
}

// Times returns count times an amount, Max at most. Negative operands count as 0.
func Times(count int32, amount int64) int64 {
	if count <= 0 || amount <= 0 {
		return 0
	}
	if amount > Max/int64(count) {
		return Max
	}
	return int64(count) * amount
}
