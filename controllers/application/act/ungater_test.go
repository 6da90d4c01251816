// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"errors"
	"testing"
)

// TestFirstOf: of many errors the first is returned, with the number of the others.
func TestFirstOf(t *testing.T) {
	t.Parallel()
	full, away := errors.New("full"), errors.New("away")
	if err := firstOf([]error{nil, nil}); err != nil {
		t.Errorf("no errors: %v", err)
	}
	if err := firstOf([]error{nil, full}); err != full {
		t.Errorf("one error: %v", err)
	}
	if err := firstOf([]error{full, nil, away, away}); !errors.Is(err, full) || err.Error() != "full (and 2 more)" {
		t.Errorf("three errors: %v", err)
	}
}
