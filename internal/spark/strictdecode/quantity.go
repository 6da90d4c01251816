// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// endlessText is a number with an exponent of three digits or more.
var endlessText = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{2}`)

// Endless reports whether a text would be a quantity with which nothing comes to an end: to read or compare
// 1e-999999999 Kubernetes writes it out.
func Endless(text string) bool { return endlessText.MatchString(text) }

var quantityType = reflect.TypeFor[resource.Quantity]()

// amountsType is the type of requests and limits.
var amountsType = reflect.TypeFor[corev1.ResourceList]()

// endless finds the endless quantities in a document, and amounts of resources that cannot be counted. It has to come
// before the document is read into its type.
func endless(p place) []Mistake {
	if p.kind = deref(p.kind); p.kind != quantityType {
		var out []Mistake
		for _, child := range childrenOf(p) {
			found := endless(child)
			if len(found) == 0 && p.kind == amountsType {
				found = uncountable(child, strings.TrimPrefix(child.path, p.path+"."))
			}
			out = append(out, found...)
		}
		return out
	}
	if !Endless(string(p.value)) {
		return nil
	}
	return []Mistake{{Field: p.path, Message: fmt.Sprintf("value %s has an exponent of more than two digits: set a quantity such as 500m or 2Gi",
		shorten(p.value))}}
}

// uncountable returns what is wrong with an amount of a resource, if anything is. One that is not a quantity is found
// when it is read.
func uncountable(p place, name string) []Mistake {
	var q resource.Quantity
	if q.UnmarshalJSON(p.value) != nil {
		return nil
	}
	if _, err := amounts.Of(name, q); err != nil {
		return []Mistake{{Field: p.path, Message: err.Error()}}
	}
	return nil
}
