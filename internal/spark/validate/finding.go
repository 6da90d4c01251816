// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Finding is something that keeps an application from running.
type Finding struct {
	// Reason is v1alpha1.InvalidSpecReason or v1alpha1.NotYetSupportedReason.
	Reason string
	// Field is the full path, such as spec.driver.template.spec.containers[0].imagee.
	Field string
	// Message says what is wrong with the value and what to do, without the field. Values of sensitive properties are
	// hidden.
	Message string
}

// String returns field and message, as they are reported.
func (f Finding) String() string { return f.Field + ": " + f.Message }

// invalid returns the finding of a value that cannot work.
func invalid(field, format string, args ...any) Finding {
	return Finding{Reason: v1alpha1.InvalidSpecReason, Field: field, Message: fmt.Sprintf(format, args...)}
}

// unsupported returns the finding of a value that a later version will honour.
func unsupported(field string, value any, remedy string) Finding {
	return Finding{
		Reason:  v1alpha1.NotYetSupportedReason,
		Field:   field,
		Message: fmt.Sprintf("value %s is not honoured by this version yet: %s", shown(value), remedy),
	}
}

// shown prints a value for a message: text in quotes, all else as it is.
func shown(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(value)
}

// Warning is something that works but is better changed.
type Warning struct {
	Field   string
	Message string
}

// String returns field and message.
func (w Warning) String() string { return w.Field + ": " + w.Message }
