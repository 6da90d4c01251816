// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"strconv"
	"strings"

	ctrljson "sigs.k8s.io/json"
)

// without returns a document with null in place of the values that findings are about. Fields of any type accept null,
// and the indexes of list elements stay the same.
func without(text []byte, findings []Finding) []byte {
	var document map[string]any
	if ctrljson.UnmarshalCaseSensitivePreserveInts(text, &document) != nil {
		return text
	}
	for _, f := range findings {
		clearAt(document, stepsOf(f.Field))
	}
	if cleared, err := json.Marshal(document); err == nil {
		return cleared
	}
	return text
}

// clearAt sets the value at a path to null, if there is one.
func clearAt(at any, steps []string) {
	switch group := at.(type) {
	case map[string]any:
		for used := len(steps); used > 0; used-- { // a key may contain dots
			key := strings.Join(steps[:used], ".")
			below, there := group[key]
			if there && used == len(steps) {
				group[key] = nil
			} else if there {
				clearAt(below, steps[used:])
			}
			if there {
				return
			}
		}
	case []any:
		if i, err := strconv.Atoi(steps[0]); err != nil || i < 0 || i >= len(group) {
			return
		} else if len(steps) == 1 {
			group[i] = nil
		} else {
			clearAt(group[i], steps[1:])
		}
	}
}
