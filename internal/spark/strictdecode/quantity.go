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

	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// endlessText matches a number with an exponent of three digits or more.
var endlessText = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{2}`)

// Endless reports whether parsing or comparing a text as a quantity would take forever. Kubernetes expands a number
// such as 1e-999999999 to all its digits.
func Endless(text string) bool { return endlessText.MatchString(text) }

var quantityType = reflect.TypeFor[resource.Quantity]()

// amountsType is the type of requests and limits.
var amountsType = reflect.TypeFor[corev1.ResourceList]()

// endless returns findings about such quantities in a document, and about amounts of resources that cannot be counted.
// It must run before the document is decoded into its type.
func endless(p place) []finding.Finding {
	if p.kind = deref(p.kind); p.kind != quantityType {
		var out []finding.Finding
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
	return []finding.Finding{{Field: p.path, Message: fmt.Sprintf("value %s has an exponent of more than two digits: set a quantity such as 500m or 2Gi",
		shorten(p.value))}}
}

// uncountable returns a finding if an amount of a resource cannot be counted. A value that is not a quantity is
// reported when it is decoded.
func uncountable(p place, name string) []finding.Finding {
	var q resource.Quantity
	if q.UnmarshalJSON(p.value) != nil {
		return nil
	}
	if _, err := amounts.Of(name, q); err != nil {
		return []finding.Finding{{Field: p.path, Message: err.Error()}}
	}
	return nil
}
