// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// plainStatus is the status without UnmarshalJSON, so that it is decoded in the ordinary way.
type plainStatus SparkApplicationStatus

// UnmarshalJSON decodes a status whose open parts may hold anything. A part that does not have its type, or is larger
// than MaxApplicationSize, is left out as if it had never been written, and named in Invalid: one status must neither
// make the decoding of a whole list fail nor fill the memory. It is called for every object with such a status.
func (s *SparkApplicationStatus) UnmarshalJSON(data []byte) error {
	if len(data) <= MaxApplicationSize {
		var plain plainStatus
		if err := utiljson.Unmarshal(data, &plain); err == nil {
			*s = SparkApplicationStatus(plain)
			return nil
		}
	}
	return s.decodeParts(data)
}

// openParts are the fields of a status that the schema does not check.
var openParts = []string{"ask", "times", "grant", "usage", "executors", "attempts"}

// decodeParts decodes a status without the open parts that are invalid or too large.
func (s *SparkApplicationStatus) decodeParts(data []byte) error {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	var invalid []string
	for _, name := range openParts {
		raw, given := fields[name]
		if given && (len(raw) > MaxApplicationSize || !isPart(name, raw)) {
			delete(fields, name)
			invalid = append(invalid, name)
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var plain plainStatus
	if err := utiljson.Unmarshal(rest, &plain); err != nil {
		return err
	}
	*s = SparkApplicationStatus(plain)
	s.Invalid = invalid
	return nil
}

// isPart reports whether a field of a status can be decoded into its type.
func isPart(name string, raw json.RawMessage) bool {
	alone, err := json.Marshal(map[string]json.RawMessage{name: raw})
	return err == nil && utiljson.Unmarshal(alone, &plainStatus{}) == nil
}
