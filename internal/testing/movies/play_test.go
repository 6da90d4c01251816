// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// echo says what it is given.
type echo struct{ out io.Writer }

func (e echo) Play(verb, rest string) bool {
	fmt.Fprintf(e.out, "  %s\n", rest)
	return verb == "say"
}

func TestPlay(t *testing.T) {
	t.Parallel()
	out := &strings.Builder{}
	if err := play("# A story.\n\n$ say one\n  an earlier outcome\n$ say two\n", out, echo{out}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# A story.\n\n$ say one\n  one\n$ say two\n  two\n", out.String()); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if err := play("$ sing\n", out, echo{out}); err == nil {
		t.Error("an unknown command is played")
	}
}
