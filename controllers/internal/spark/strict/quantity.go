// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"fmt"
	"reflect"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
)

// endlessText is a number with an exponent of three digits or more.
var endlessText = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{2}`)

// Endless says that a text would be a quantity with which nothing comes to an end: to read or compare 1e-999999999 Kubernetes writes it
// out.
func Endless(text string) bool { return endlessText.MatchString(text) }

var quantityType = reflect.TypeFor[resource.Quantity]()

// endless finds the endless quantities in a document. It has to come before the document is read into its type.
func endless(p place) []Mistake {
	if p.kind = deref(p.kind); p.kind != quantityType {
		var out []Mistake
		for _, child := range childrenOf(p) {
			out = append(out, endless(child)...)
		}
		return out
	}
	if !Endless(string(p.value)) {
		return nil
	}
	return []Mistake{{Field: p.path, Message: fmt.Sprintf("value %s has an exponent of more than two digits: set a quantity such as 500m or 2Gi",
		shorten(p.value))}}
}
