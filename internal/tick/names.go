// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Name returns the name of the application of a tick. Ticks are at least a minute apart, so no two ticks have the same
// name.
func Name(schedule string, at time.Time) string { return fmt.Sprintf("%s-%d", schedule, at.Unix()/60) }

// RequestedName returns the name of the application for a run that a user requested with a token.
func RequestedName(schedule, token string) string {
	sum := sha256.Sum256([]byte(token))
	return schedule + "-m-" + hex.EncodeToString(sum[:4])
}
