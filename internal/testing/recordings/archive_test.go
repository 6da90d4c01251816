// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{"case.txt": "-- app.yaml --\n", "empty.txtar": "no part\n"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), name+" is not a recording") {
			t.Errorf("%s: error %v, want one that says what a recording is", name, err)
		}
	}
}
