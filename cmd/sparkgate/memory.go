// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime/debug"
	"strconv"
)

const (
	// containerVariable is the environment variable with the memory limit of the container, in bytes. The Deployment
	// sets it from resources.limits.
	containerVariable = "CONTAINER_MEMORY_LIMIT"
	// goVariable is Go's own environment variable, which takes precedence.
	goVariable = "GOMEMLIMIT"
)

// limitMemory makes Go collect garbage more often once it uses 45 % of the container's memory. The rest is for peaks: the
// collector counts live memory only after it has marked it, and large lists are decoded within seconds. limitMemory does
// nothing if GOMEMLIMIT is set or the memory of the container is not known.
func limitMemory(getenv func(string) string) error {
	text := getenv(containerVariable)
	if text == "" || getenv(goVariable) != "" {
		return nil
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil || bytes <= 0 {
		return fmt.Errorf("invalid environment variable %s %q: set it to a number of bytes above 0, or remove it", containerVariable, text)
	}
	debug.SetMemoryLimit(bytes / 20 * 9)
	return nil
}
