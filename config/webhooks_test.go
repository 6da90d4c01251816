// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoWebhookIsInstalled: no object waits for a server of ours, so none is refused or half done when that is away.
func TestNoWebhookIsInstalled(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "templates" { // test/integration/chart compares what they render to with the rest of config
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		for _, doc := range documents[struct{ Kind string }](t, path) {
			read++
			if strings.HasSuffix(doc.Kind, "WebhookConfiguration") {
				t.Errorf("%s has a %s", path, doc.Kind)
			}
		}
		for _, c := range documents[struct {
			Spec struct{ Conversion struct{ Strategy string } }
		}](t, path) {
			if strategy := c.Spec.Conversion.Strategy; strategy != "" && strategy != "None" {
				t.Errorf("%s converts by %s", path, strategy)
			}
		}
		return nil
	})
	if err != nil || read == 0 {
		t.Fatalf("%d documents were read: %v", read, err)
	}
}
