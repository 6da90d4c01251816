// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package finding has the one form in which checks say what has to be changed.
package finding

// Finding is something about a value that cannot work, or had better be changed. It is for people: it names the field,
// what is wrong, and the remedy.
type Finding struct {
	// Field is the full path, such as spec.driver.template.spec.containers[0].imagee; empty if it is about no field.
	Field string
	// Message says what is wrong with the value and what to do, without the field. Values of sensitive properties are
	// hidden.
	Message string
	// Reason is the reason of the condition that reports it; empty where only one is possible.
	Reason string
}

// String returns field and message, as they are reported.
func (f Finding) String() string {
	if f.Field == "" {
		return f.Message
	}
	return f.Field + ": " + f.Message
}
