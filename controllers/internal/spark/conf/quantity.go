// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/controllers/internal/spark/strict"
)

// ParseQuantity reads a quantity of Kubernetes as properties have them. One with an absurd exponent is an error: nothing with it comes to
// an end.
func ParseQuantity(text string) (resource.Quantity, error) {
	if strict.Endless(text) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(strings.TrimSpace(text))
}
