// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestCommandsOnlyPrint: text from a manifest is never executed by the terminal, in any command's output.
func TestCommandsOnlyPrint(t *testing.T) {
	t.Parallel()
	const manifest = `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "metadata": {"name": "pi\u001b[2J"},
"spec": {"type": "\u001b]0;x\u0007", "sparkConf": {"spark.a\u001b[2J\nspark.master": "\u001b[31m"}, "\u001b[1mfield": "\u009b2J"}}`
	for _, args := range [][]string{{"lint", "-f", "-"}, {"render", "-f", "-"}, {"simulate", "-f", "-"}, {"\x1b[2J"}, {"lint", "-\x1b[2J"}, {"explain", "\x1b[2J"},
		{"from-submit", "--", "--conf", "spark.a\x1b[2J=x", "\x1b[31m.py"}} {
		var out, problems bytes.Buffer
		run(args, cli.Streams{In: strings.NewReader(manifest), Out: &out, Err: &problems})
		for _, text := range []string{out.String(), problems.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool {
				return unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError
			}); i >= 0 {
				t.Errorf("sparkctl %q writes %q", args, text)
			}
		}
		if out.Len()+problems.Len() == 0 {
			t.Errorf("sparkctl %q writes nothing", args)
		}
	}
}
