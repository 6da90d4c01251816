// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// ParseQuantity parses a Kubernetes quantity in a property. It refuses absurd exponents, because calculations with them
// would not end.
func ParseQuantity(text string) (resource.Quantity, error) {
	if strictdecode.Endless(text) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(strings.TrimSpace(text))
}

// CPU returns a number of cores. It is an error if it is not above zero, or too large to be counted.
func (p Properties) CPU(key string) (resource.Quantity, error) {
	amount, err := ParseQuantity(p.Get(key, ""))
	if err != nil || amount.Sign() <= 0 {
		return resource.Quantity{}, p.Wrong(key, "is not an amount of cores", "set a quantity above zero such as 500m or 2")
	}
	return amount, p.counted(key, corev1.ResourceCPU, amount)
}

// Size returns a size in bytes. It is an error if it is too large to be counted.
func (p Properties) Size(key string) (resource.Quantity, error) {
	size, err := ParseQuantity(p.Get(key, ""))
	if err != nil {
		return resource.Quantity{}, p.Wrong(key, "is not a size", "set a quantity such as 10Gi")
	}
	return size, p.counted(key, corev1.ResourceStorage, size)
}

// counted returns an error for an amount that is too large to be counted, or negative.
func (p Properties) counted(key string, name corev1.ResourceName, q resource.Quantity) error {
	var outside *amounts.RangeError
	if _, err := amounts.Of(string(name), q); errors.As(err, &outside) {
		return p.Wrong(key, outside.Problem, outside.Remedy)
	}
	return nil
}
