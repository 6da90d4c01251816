// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestTerminal: no command writes control sequences for terminals, whatever their source.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n👍 é\u00a0":              "plain\ttext\n👍 é\u00a0",
		"\x1b]0;title\x07\rx\x7f\u009b2J\x9b": `\x1b]0;title\x07\x0dx\x7f\x9b2J\x9b`,
		"gnp\u202e.exe":                       `gnp\u202e.exe`,
		"lost \ufffd":                         "lost \ufffd",
	} {
		var out bytes.Buffer
		if n, err := (escapingWriter{&out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q became %q (%d, %v), want %q", text, out.String(), n, err, want)
		}
	}
}

// TestManifestsStayAsTheyAre: the filter does not change output for programs, whatever characters it has.
func TestManifestsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	want := map[string]any{"text": "\x1b[2J \x7f \u0085 \u009b2J é \ufffd 👍 \u202e"}
	for _, format := range []string{"json", "yaml"} {
		var out bytes.Buffer
		if err := WriteObject(escapingWriter{&out}, format, want); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := yaml.Unmarshal(out.Bytes(), &got); err != nil || got["text"] != want["text"] {
			t.Errorf("%s: %v, %q of %s", format, err, got["text"], out.String())
		}
		if format == "json" && !json.Valid(out.Bytes()) {
			t.Errorf("this is not JSON: %s", out.String())
		}
	}
}
