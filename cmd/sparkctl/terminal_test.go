// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestTerminal: no command writes control sequences for terminals, whatever their source.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n👍 é\u00a0":              "plain\ttext\n👍 é\u00a0",
		"\x1b]0;title\x07\rx\x7f\u009b2J\x9b": `\x1b]0;title\x07\x0dx\x7f\x9b2J\x9b`,
		"lost \ufffd":                         "lost \ufffd",
	} {
		var out bytes.Buffer
		if n, err := (terminal{&out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q became %q (%d, %v), want %q", text, out.String(), n, err, want)
		}
	}
}

// TestManifestsStayAsTheyAre: the filter does not change output for programs, whatever characters it has.
func TestManifestsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	want := map[string]any{"text": "\x1b[2J \x7f \u0085 \u009b2J é \ufffd 👍"}
	for _, format := range []string{"json", "yaml"} {
		var out bytes.Buffer
		if err := writeObject(terminal{&out}, format, want); err != nil {
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

// TestCommandsOnlyPrint: text from a manifest is never executed by the terminal, in any command's output.
func TestCommandsOnlyPrint(t *testing.T) {
	t.Parallel()
	const manifest = `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "metadata": {"name": "pi\u001b[2J"},
"spec": {"type": "\u001b]0;x\u0007", "sparkConf": {"spark.a\u001b[2J\nspark.master": "\u001b[31m"}, "\u001b[1mfield": "\u009b2J"}}`
	for _, args := range [][]string{{"lint", "-f", "-"}, {"render", "-f", "-"}, {"simulate", "-f", "-"}, {"\x1b[2J"}, {"lint", "-\x1b[2J"}, {"explain", "\x1b[2J"},
		{"from-submit", "--", "--conf", "spark.a\x1b[2J=x", "\x1b[31m.py"}} {
		var out, problems bytes.Buffer
		run(args, streams{in: strings.NewReader(manifest), out: &out, err: &problems})
		for _, text := range []string{out.String(), problems.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool { return controls(r) }); i >= 0 {
				t.Errorf("sparkctl %q writes %q", args, text)
			}
		}
		if out.Len()+problems.Len() == 0 {
			t.Errorf("sparkctl %q writes nothing", args)
		}
	}
}
