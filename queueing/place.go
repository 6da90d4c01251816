// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "time"

// PlaceAnnotation is the annotation in which an object of another queueing system records the place in the queue for
// which it was created. Such systems order pending objects by their creation time, even if they are changed later.
const PlaceAnnotation = "sparkgate.io/queued-at"

// Place returns the value of PlaceAnnotation for the ask.
func (a *Ask) Place() string { return a.QueuedAt.UTC().Format(time.RFC3339) }

// LaterPlace reports whether the wanted object has a later place in the queue than the existing one, judging by their
// annotations. It returns false if an annotation is missing or invalid.
func LaterPlace(is, wanted map[string]string) bool {
	before, err := time.Parse(time.RFC3339, is[PlaceAnnotation])
	if err != nil {
		return false
	}
	now, err := time.Parse(time.RFC3339, wanted[PlaceAnnotation])
	return err == nil && now.After(before)
}
