// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"errors"
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Finding is a mistake that keeps an application from running. Its reason is v1alpha1.InvalidSpecReason or
// v1alpha1.NotYetSupportedReason.
type Finding = finding.Finding

// invalid returns a finding about a value that cannot work.
func invalid(field, format string, args ...any) Finding {
	return Finding{Reason: v1alpha1.InvalidSpecReason, Field: field, Message: fmt.Sprintf(format, args...)}
}

// unsupported returns a finding about a value that only a later version will honour.
func unsupported(field string, value any, remedy string) Finding {
	return Finding{
		Reason:  v1alpha1.NotYetSupportedReason,
		Field:   field,
		Message: fmt.Sprintf("value %s is not honoured by this version yet: %s", shown(value), remedy),
	}
}

// shown formats a value for a message: text in quotes, everything else as it is.
func shown(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(value)
}

// withoutPasswords returns a finding whose message does not repeat a password in the value, such as that of an address:
// the message becomes a condition, an event and output of CI.
func withoutPasswords(f Finding) Finding {
	f.Message = redact.Quoted(f.Message)
	return f
}

// findingsOf converts errors of other packages to findings.
func findingsOf(err error) []Finding {
	var value *conf.ValueError
	var mistake *render.FindingError
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		var findings []Finding
		for _, part := range joined.Unwrap() {
			findings = append(findings, findingsOf(part)...)
		}
		return findings
	case errors.As(err, &value):
		return []Finding{invalid(value.Field, "%s", value.Message())}
	case errors.As(err, &mistake):
		return []Finding{invalid(mistake.Field, "%s", mistake.Message)}
	}
	return []Finding{invalid("spec", "%s", err.Error())}
}
