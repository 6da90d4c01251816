// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// AmountOf returns a quantity in the unit in which the resource is counted: cpu in thousandths of a core, everything else in its
// base unit. Fractions of the unit are rounded up. Negative quantities are 0; those beyond the range are quota.MaxAmount.
func AmountOf(name string, q resource.Quantity) int64 {
	switch {
	case q.Sign() <= 0:
		return 0
	case q.Cmp(*Quantity(name, quota.MaxAmount)) >= 0: // its own conversions overflow
		return quota.MaxAmount
	case name == string(corev1.ResourceCPU):
		return q.MilliValue()
	}
	return q.Value()
}

// Quantity is the inverse of AmountOf. It prints the way Kubernetes prints quantities: cpu 600m, memory 2688Mi.
func Quantity(name string, amount int64) *resource.Quantity {
	switch {
	case name == string(corev1.ResourceCPU):
		return resource.NewMilliQuantity(amount, resource.DecimalSI)
	case isBytes(name):
		return resource.NewQuantity(amount, resource.BinarySI)
	}
	return resource.NewQuantity(amount, resource.DecimalSI)
}

func isBytes(name string) bool {
	return name == string(corev1.ResourceMemory) || name == string(corev1.ResourceStorage) ||
		name == string(corev1.ResourceEphemeralStorage) || strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}

// text is an amount for messages.
func text(name string, amount int64) string {
	if amount == quota.Unlimited {
		return "without limit"
	}
	return Quantity(name, amount).String()
}
