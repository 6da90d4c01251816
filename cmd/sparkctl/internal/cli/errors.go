// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
)

// Exit codes. ExitPlan is that of a plan with an effect that --fail-on lists; the last ones are those of commands that
// wait for a run.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitPlan        = 3
	ExitRunFailed   = 3
	ExitTimeout     = 4
	ExitInterrupted = 130
)

// usageError is the error of a command line that cannot be understood.
type usageError struct{ error }

// UsageErrorf returns the error of a command line that cannot be understood, with a text as of fmt.Errorf.
func UsageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// codedError is an error with its own exit code.
type codedError struct {
	error
	code int
}

// Unwrap returns the error without the exit code.
func (e codedError) Unwrap() error { return e.error }

// WithExitCode returns an error that ends the process with an exit code.
func WithExitCode(code int, err error) error { return codedError{err, code} }

// ExitCode returns the exit code of a process that ends with an error.
func ExitCode(err error) int {
	var coded codedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usageError{}):
		return ExitUsage
	case errors.As(err, &coded):
		return coded.code
	}
	return ExitFailed
}
