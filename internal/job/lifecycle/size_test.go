// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSizeOfAStatus: every byte of a status is decoded and compared several times at each write. The names in this
// world are short; real ones add some 300 bytes.
func TestSizeOfAStatus(t *testing.T) {
	t.Parallel()
	const most = 1700
	w := newWorld(t)
	w.settle()
	w.runsWithExecutors()
	sized(t, w, "runs", most)
	w.endsWithExecutors(0)
	w.settle()
	sized(t, w, "has succeeded", most)
}

func sized(t *testing.T, w *world, stage string, most int) {
	t.Helper()
	text, err := json.Marshal(w.app.Status)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > most {
		t.Errorf("the status of an application that %s has %d bytes, want %d at most:\n%s", stage, len(text), most, strings.ReplaceAll(string(text), ",", ",\n"))
	}
}
