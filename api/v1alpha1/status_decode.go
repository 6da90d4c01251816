// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// plainStatus is a status that is decoded as it is.
type plainStatus SparkApplicationStatus

// UnmarshalJSON reads a status whose open parts may hold anything. A part that is not what its type says, or larger than
// MaxApplicationSize, is left out, as if it had never been written, and named in Invalid: one status must not keep a whole list from being
// decoded, nor fill the memory. It takes part in decoding any object with such a status, and is safe for concurrent use.
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

// isPart reports whether a field of a status is what its type says.
func isPart(name string, raw json.RawMessage) bool {
	alone, err := json.Marshal(map[string]json.RawMessage{name: raw})
	return err == nil && utiljson.Unmarshal(alone, &plainStatus{}) == nil
}
