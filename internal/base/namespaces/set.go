// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package namespaces has the set of namespaces that an installation of the operator serves: some, or all.
package namespaces

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Set is a list of namespaces; the empty set means all namespaces.
type Set []string

// Has reports whether a namespace belongs to the set.
func (s Set) Has(name string) bool { return len(s) == 0 || slices.Contains(s, name) }

// Scopes returns the namespaces in which to list or watch: each of the set, or only NamespaceAll for the empty set.
func (s Set) Scopes() []string {
	if len(s) == 0 {
		return []string{metav1.NamespaceAll}
	}
	return s
}
