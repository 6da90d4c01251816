// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package conf

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSlowJavaReadsWhatWasPlanned: the real java.util.Properties reads back every name and value to the letter. It needs a JDK.
func TestSlowJavaReadsWhatWasPlanned(t *testing.T) {
	t.Parallel()
	const files = 20_000
	var in bytes.Buffer
	write := func(n int) { _ = binary.Write(&in, binary.BigEndian, int32(n)) } // a buffer takes everything
	planned := make([]map[string]string, files)
	write(files)
	for seed := range planned {
		planned[seed] = randomProperties(rand.New(rand.NewPCG(uint64(seed), 12)))
		text := properties(planned[seed]).Text()
		write(len(text))
		in.WriteString(text)
	}
	java := exec.CommandContext(t.Context(), "java", "testdata/ReadBack.java")
	java.Stdin = &in
	var problems bytes.Buffer
	java.Stderr = &problems
	answer, err := java.Output()
	if err != nil {
		t.Fatalf("java: %v\n%s", err, problems.String())
	}
	out := bytes.NewReader(answer)
	for seed, want := range planned {
		got := readProperties(t, out)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: %q is read back as (-want +got):\n%s", seed, properties(want).Text(), diff)
		}
	}
	if out.Len() > 0 {
		t.Errorf("java answers %d bytes more", out.Len())
	}
}

// readProperties takes one file's properties from the answer.
func readProperties(t *testing.T, from io.Reader) map[string]string {
	t.Helper()
	number := func() int32 {
		var n int32
		if err := binary.Read(from, binary.BigEndian, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	text := func() string {
		b := make([]byte, number())
		if _, err := io.ReadFull(from, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	values := map[string]string{}
	for range number() {
		key := text()
		values[key] = text()
	}
	return values
}
