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

// ParseQuantity reads a quantity of Kubernetes as properties have them. One with an absurd exponent is an error:
// nothing with it comes to an end.
func ParseQuantity(text string) (resource.Quantity, error) {
	if strictdecode.Endless(text) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(strings.TrimSpace(text))
}

// CPU returns the amount of cores that a key is set to: above zero, and not more than can be counted.
func (p Properties) CPU(key string) (resource.Quantity, error) {
	amount, err := ParseQuantity(p.Get(key, ""))
	if err != nil || amount.Sign() <= 0 {
		return resource.Quantity{}, p.Wrong(key, "is not an amount of cores", "set a quantity above zero such as 500m or 2")
	}
	return amount, p.counted(key, corev1.ResourceCPU, amount)
}

// Size returns the size in bytes that a key is set to.
func (p Properties) Size(key string) (resource.Quantity, error) {
	size, err := ParseQuantity(p.Get(key, ""))
	if err != nil {
		return resource.Quantity{}, p.Wrong(key, "is not a size", "set a quantity such as 10Gi")
	}
	return size, p.counted(key, corev1.ResourceStorage, size)
}

// counted refuses what cannot be counted.
func (p Properties) counted(key string, name corev1.ResourceName, q resource.Quantity) error {
	var outside *amounts.RangeError
	if _, err := amounts.Of(string(name), q); errors.As(err, &outside) {
		return p.Wrong(key, outside.Problem, outside.Remedy)
	}
	return nil
}
