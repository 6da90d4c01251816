// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package finding defines the form in which all checks report a problem.
package finding

// Finding is a problem with a value: it cannot work, or should be changed. It is written for users: it names the field,
// the problem, and the remedy.
type Finding struct {
	// Field is the full path, such as spec.driver.template.spec.containers[0].imagee; empty if the problem is not about
	// a field.
	Field string
	// Message says what is wrong with the value and what to do, without naming the field. Values of sensitive
	// properties are hidden.
	Message string
	// Reason is the reason of the condition that reports the finding; empty where only one reason is possible.
	Reason string
}

// String returns the finding as it is reported: the field, if there is one, and the message.
func (f Finding) String() string {
	if f.Field == "" {
		return f.Message
	}
	return f.Field + ": " + f.Message
}
