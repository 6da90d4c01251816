// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
)

func TestWriteAdvice(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		advice advise.Advice
		want   string
	}{
		"nothing": {advise.Advice{Source: "event log a", ApplicationID: "spark-1"}, "Measured by Spark spark-1: event log a\n\nNo change is advised.\n"},
		"all of it": {advise.Advice{Source: "driver pi, which runs", Hints: []string{"h"}, Unknown: []string{"u", "v"}, Changes: []advise.Change{
			{Field: "executor.memory", Current: "4g", Advised: "1280m", Confidence: advise.High, Reason: "because"}}},
			`Measured by Spark: driver pi, which runs

FIELD                  NOW   ADVISED   CONFIDENCE   REASON
spec.executor.memory   4g    1280m     high         because

Also:
- h

Not known:
- u
- v
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := WriteAdvice(&out, tc.advice); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
