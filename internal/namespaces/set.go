// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package namespaces says which namespaces an installation of the operator deals with: some, or all.
package namespaces

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Set names namespaces; the empty set stands for all that there are.
type Set []string

// Has reports whether a namespace belongs to the set.
func (s Set) Has(name string) bool { return len(s) == 0 || slices.Contains(s, name) }

// Scopes returns the namespaces in which to list or watch: each of the set, or NamespaceAll, once.
func (s Set) Scopes() []string {
	if len(s) == 0 {
		return []string{metav1.NamespaceAll}
	}
	return s
}
