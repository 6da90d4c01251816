// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"math"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// hostile values are within the type of a schema and beyond what a Go type may hold.
func hostile(p place) []any {
	numbers := []any{int64(math.MaxInt32) + 1, int64(math.MinInt32) - 1, int64(math.MaxInt64)}
	texts := []any{"", "1e9999999999", "9999999h", "1h1h1h1h1h1h1h1h1h1h1h", "99999999999999999999999999999999999999", "yesterday"}
	switch {
	case p.schema.XIntOrString:
		return append(numbers, texts...)
	case p.schema.Type == "integer":
		return numbers
	case p.schema.Type == "string":
		return texts
	}
	return nil
}

// TestWhatIsStoredCanBeRead holds off the worst of bad input: an object that the API server stores but the operator's Go types cannot
// read would fail every LIST, and so stop the operator for all namespaces.
func TestWhatIsStoredCanBeRead(t *testing.T) {
	t.Parallel()
	scheme, err := env.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			dangerous := 0
			obj := inNamespace(complete(t, plural))
			for _, p := range places(t, plural) {
				for _, value := range hostile(p) {
					changed, path, err := set(obj, p, value)
					if err != nil {
						t.Error(err)
						continue
					}
					if readable(t, decoder, changed) == nil {
						continue
					}
					dangerous++
					if dryRun(t.Context(), changed) == nil {
						t.Errorf("%s: %v is stored and cannot be read: %v", path, value, readable(t, decoder, changed))
					}
				}
			}
			t.Logf("%d values that cannot be read were tried", dangerous)
		})
	}
}

// readable says how the operator's Go types fail on an object; nil if they do not.
func readable(t *testing.T, decoder runtime.Decoder, obj *unstructured.Unstructured) error {
	t.Helper()
	raw, err := obj.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = decoder.Decode(raw, nil, nil)
	return err
}
