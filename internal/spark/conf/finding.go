// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

// Finding is something about the properties that cannot work. It is for people: the controller reports it, nothing
// branches on it.
type Finding struct {
	// Field is the full path of what has to be changed, such as spec.driver.memory.
	Field string
	// Message says what is wrong with the value and what to do, without the field.
	Message string
}

// String returns field and message.
func (f Finding) String() string { return f.Field + ": " + f.Message }
