// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package templatehash computes the hash of an application's run template: all fields marked `sparkgate:"run"`, as the
// user wrote them. Fields of spec.server that may change at any time are left out.
//
// A stored hash may be older than the operator that compares it. Its prefix v<N> names the rule by which it was
// computed. Every released rule is kept, and a stored hash is compared by its own rule, so an upgrade alone never
// starts a run.
package templatehash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const current = "v1"

// rules are all rules that were ever released. Never change one; add another.
var rules = map[string]func(*v1alpha1.SparkApplicationSpec) (string, error){
	"v1": hashV1,
}

// Of returns the hash of the run template by the newest rule.
func Of(spec *v1alpha1.SparkApplicationSpec) (string, error) {
	return byRule(current, spec)
}

// Matches reports whether spec has the run template whose hash is stored. A hash by an unknown rule, from a newer
// operator, counts as a match, because a mismatch would run the job again.
func Matches(spec *v1alpha1.SparkApplicationSpec, stored string) (bool, error) {
	rule, _, _ := strings.Cut(stored, ":")
	if _, known := rules[rule]; !known {
		return stored != "", nil
	}
	hash, err := byRule(rule, spec)
	return hash == stored, err
}

func byRule(rule string, spec *v1alpha1.SparkApplicationSpec) (string, error) {
	sum, err := rules[rule](spec)
	if err != nil {
		return "", fmt.Errorf("hash run template: %w", err)
	}
	return rule + ":" + sum, nil
}

// hashV1 returns the SHA-256 of the canonical JSON of all run fields: keys sorted, numbers as written, absent fields
// left out.
func hashV1(spec *v1alpha1.SparkApplicationSpec) (string, error) {
	raw, err := json.Marshal(spec)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return "", err
	}
	run := make(map[string]any, len(fields))
	for _, name := range runFields() {
		if value, set := fields[name]; set && !empty(value) {
			run[name] = value
		}
	}
	if server, serves := run["server"].(map[string]any); serves {
		for _, name := range liveOfServer() {
			delete(server, name)
		}
	}
	canonical, err := json.Marshal(run) // encoding/json sorts the keys of maps
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// empty reports whether a top-level field has no content: `driver: {}` means the same as no driver.
func empty(value any) bool {
	m, isMap := value.(map[string]any)
	return isMap && len(m) == 0
}

// runFields returns the JSON names of the run fields; liveOfServer those of spec.server that are none.
var (
	runFields    = sync.OnceValue(func() []string { return marked(reflect.TypeFor[v1alpha1.SparkApplicationSpec](), "run") })
	liveOfServer = sync.OnceValue(func() []string { return marked(reflect.TypeFor[v1alpha1.Server](), "live") })
)

// marked returns the JSON names of the fields that are marked `sparkgate:"mark"`.
func marked(of reflect.Type, mark string) []string {
	var names []string
	for i := range of.NumField() {
		field := of.Field(i)
		if field.Tag.Get("sparkgate") == mark {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}
