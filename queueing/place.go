// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "time"

// PlaceAnnotation is the annotation by which an object of another queueing system carries the place in line for which
// it was created. Such systems order what waits by the creation time of its object, whatever that object is changed to
// later.
const PlaceAnnotation = "sparkgate.io/queued-at"

// Place returns the value of PlaceAnnotation for the ask.
func (a *Ask) Place() string { return a.QueuedAt.UTC().Format(time.RFC3339) }

// LaterPlace reports whether the object that is wanted has a later place in line than the one that is there, by their
// annotations. It returns false if there is no such annotation, or it cannot be read.
func LaterPlace(is, wanted map[string]string) bool {
	before, err := time.Parse(time.RFC3339, is[PlaceAnnotation])
	if err != nil {
		return false
	}
	now, err := time.Parse(time.RFC3339, wanted[PlaceAnnotation])
	return err == nil && now.After(before)
}
