// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// javaProperties reads a file of properties as the documentation of java.util.Properties.load(Reader) describes it, in Java's own characters of
// sixteen bits. It shares no code with Parse and forgives nothing: what Java would refuse is an error.
type javaProperties struct {
	rest []uint16
}

// javaLoad returns the properties of a file.
func javaLoad(text string) (map[string]string, error) {
	r := &javaProperties{utf16.Encode([]rune(text))}
	values := map[string]string{}
	for len(r.rest) > 0 {
		line, ok := r.logicalLine()
		if !ok {
			continue
		}
		rawKey, rawValue := splitLine(line)
		key, err := javaUnescape(rawKey)
		if err != nil {
			return nil, err
		}
		value, err := javaUnescape(rawValue)
		if err != nil {
			return nil, err
		}
		if _, twice := values[key]; twice {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		values[key] = value
	}
	return values, nil
}

// naturalLine takes the characters up to the next line terminator (\n, \r, or \r\n), and the terminator.
func (r *javaProperties) naturalLine() []uint16 {
	end := slices.IndexFunc(r.rest, func(c uint16) bool { return c == '\n' || c == '\r' })
	if end < 0 {
		line := r.rest
		r.rest = nil
		return line
	}
	line, next := r.rest[:end], end+1
	if r.rest[end] == '\r' && next < len(r.rest) && r.rest[next] == '\n' {
		next++
	}
	r.rest = r.rest[next:]
	return line
}

// logicalLine joins natural lines that end with an odd number of backslashes with what follows; ok is false for comments and blank lines.
func (r *javaProperties) logicalLine() (line []uint16, ok bool) {
	line = dropBlanks(r.naturalLine())
	if len(line) == 0 || line[0] == '#' || line[0] == '!' {
		return nil, false
	}
	for {
		slashes := 0
		for i := len(line) - 1; i >= 0 && line[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return line, true
		}
		line = slices.Concat(line[:len(line)-1], dropBlanks(r.naturalLine()))
	}
}

func javaBlank(c uint16) bool { return c == ' ' || c == '\t' || c == '\f' }

func dropBlanks(line []uint16) []uint16 {
	for len(line) > 0 && javaBlank(line[0]) {
		line = line[1:]
	}
	return line
}

// splitLine divides a line at the first =, : or blank that no backslash stands before. Blanks around the separator belong to neither.
func splitLine(line []uint16) (key, value []uint16) {
	end := 0
	for end < len(line) && line[end] != '=' && line[end] != ':' && !javaBlank(line[end]) {
		if line[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(line))
	key, value = line[:end], dropBlanks(line[end:])
	if len(value) > 0 && (value[0] == '=' || value[0] == ':') {
		value = dropBlanks(value[1:])
	}
	return key, value
}

// javaUnescape resolves backslashes.
func javaUnescape(raw []uint16) (string, error) {
	var out []uint16
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		if i++; i == len(raw) {
			break
		}
		switch raw[i] {
		case 't':
			out = append(out, '\t')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 'f':
			out = append(out, '\f')
		case 'u':
			const digits = 4
			code, err := strconv.ParseUint(string(utf16.Decode(raw[i+1:min(i+1+digits, len(raw))])), 16, 16)
			if err != nil || i+digits >= len(raw) {
				return "", fmt.Errorf("a malformed code in %q", string(utf16.Decode(raw)))
			}
			out, i = append(out, uint16(code)), i+digits
		default:
			out = append(out, raw[i])
		}
	}
	return string(utf16.Decode(out)), nil
}

// The expected values were read by java.util.Properties of Java 17.
func TestJavaReader(t *testing.T) {
	t.Parallel()
	got, err := javaLoad("# c\n  ! c \\\nspark.a 1\r\nspark.b = x\\\n   y\rspark.c\\ d:\\u00e9\\ud83d\\ude00\\q\nspark.e=a\\\\\nspark.f\nspark.g==\\\n# no comment\n")
	want := map[string]string{"spark.a": "1", "spark.b": "xy", "spark.c d": "é😀q", "spark.e": `a\`, "spark.f": "", "spark.g": "=# no comment"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; values (-want +got):\n%s", err, diff)
	}
}

// nasty are the pieces that random names and values are built from.
var nasty = []string{
	"\\", "\\\\", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\u", "u00", "\n", "\r", "\r\n", "\t", "\f", "\v", " ", "  ", "=", ":", "#", "!", "\x00", "\x01", "\x1b[31m", "\x7f", "\u0085",
	"\u00a0", "\u2028", "\u2029", "\ufeff", "\ufffd", "\uffff", "\ud7ff", "\ue000", "é", "e\u0301", "中", "😀", "\U0010ffff", "a", "Z", "0", ".", ",", "\"", "'", "$(X)", "%n",
}

// randomText joins a few pieces.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(nasty[r.IntN(len(nasty))])
	}
	return b.String()
}

// randomProperties are properties with such names and values.
func randomProperties(r *rand.Rand) map[string]string {
	values := map[string]string{}
	for range 1 + r.IntN(6) {
		values["spark."+randomText(r)] = randomText(r)
	}
	return values
}

// TestJavaReadsWhatWasPlanned: whatever the names and values are, Java reads them back to the letter.
func TestJavaReadsWhatWasPlanned(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5000) {
		want := randomProperties(rand.New(rand.NewPCG(seed, 10)))
		text := properties(want).Text()
		got, err := javaLoad(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("seed %d: %v; %q is read back as (-want +got):\n%s", seed, err, text, diff)
		}
		if again := Parse(text); !maps.Equal(again, want) {
			t.Fatalf("seed %d: %q is read as %q here", seed, text, again)
		}
	}
}

// TestParseIsJavas: a file of another author is read here as Java reads it, unless Java refuses it.
func TestParseIsJavas(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 11))
		text := randomText(r) + "\n" + randomText(r) + "=" + randomText(r)
		want, err := javaLoad(text)
		if err != nil {
			continue
		}
		if diff := cmp.Diff(want, Parse(text)); diff != "" {
			t.Fatalf("seed %d: %q is read as (-Java +here):\n%s", seed, text, diff)
		}
	}
}

// FuzzJava is TestJavaReadsWhatWasPlanned for one property.
func FuzzJava(f *testing.F) {
	for _, piece := range nasty {
		f.Add("spark."+piece, piece)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		if refusedName(key) != "" || refusedValue(value) != "" {
			return
		}
		got, err := javaLoad(properties(map[string]string{key: value}).Text())
		if diff := cmp.Diff(map[string]string{key: value}, got); diff != "" || err != nil {
			t.Errorf("%v; read back (-want +got):\n%s", err, diff)
		}
	})
}
