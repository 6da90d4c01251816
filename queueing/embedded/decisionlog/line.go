// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// format is the version of the format. It is increased when logs of older programs would be misread.
const format = 1

// header is the first line of a log.
type header struct {
	DecisionLog int    `json:"decisionLog"`
	Version     string `json:"version,omitempty"`
}

// line is one call.
type line struct {
	Call   string          `json:"call"`
	With   json.RawMessage `json:"with,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

// encode returns the JSON of a value on one line, including the newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// encodePart returns the JSON of a part of a line, without a newline, or nil for a nil value.
func encodePart(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	text, err := encode(v)
	return bytes.TrimSuffix(text, []byte("\n")), err
}

// decode decodes exactly one JSON value, and returns an error if it has fields that into does not have.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}
