// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// known returns what hides some secrets.
func known(t testing.TB, secrets ...string) *Known {
	t.Helper()
	k, ok := NewKnown(secrets)
	if !ok {
		t.Fatal("too much is known")
	}
	return k
}

// TestKnown: a secret that is known is hidden in every form, whatever stands around it.
func TestKnown(t *testing.T) {
	t.Parallel()
	const secret = `pa"ss'w<o>r&d/1+2=3:4 é\x`
	inBase64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, text := range map[string]string{
		"plain":                  secret,
		"JSON":                   `pa\"ss'w<o>r&d/1+2=3:4 é\\x`,
		"JSON of JSON":           `pa\\\"ss'w<o>r&d/1+2=3:4 é\\\\x`,
		"JSON, slashes":          `pa\"ss'w<o>r&d\/1+2=3:4 é\\x`,
		"JSON of Gson":           `pa\"ss\u0027w\u003co\u003er\u0026d/1+2\u003d3:4 é\\x`,
		"JSON, ASCII":            `pa\"ss'w<o>r&d/1+2=3:4 \u00e9\\x`,
		"XML":                    `pa&quot;ss&apos;w&lt;o&gt;r&amp;d/1+2=3:4 é\x`,
		"XML by numbers":         `pa&#34;ss&#39;w&lt;o&gt;r&amp;d/1+2=3:4 é\x`,
		"properties":             `pa"ss'w<o>r&d/1+2\=3\:4 é\\x`,
		"properties, ASCII":      `pa"ss'w<o>r&d/1+2\=3\:4 \\u00e9\\x`,
		"Python":                 `pa"ss\'w<o>r&d/1+2=3:4 é\\x`,
		"shell":                  `pa"ss'\''w<o>r&d/1+2=3:4 é\x`,
		"CSV":                    `pa""ss'w<o>r&d/1+2=3:4 é\x`,
		"SQL":                    `pa"ss''w<o>r&d/1+2=3:4 é\x`,
		"query":                  `pa%22ss%27w%3Co%3Er%26d%2F1%2B2%3D3%3A4+%C3%A9%5Cx`,
		"query, small":           `pa%22ss%27w%3co%3er%26d%2f1%2b2%3d3%3a4+%c3%a9%5cx`,
		"query, spaces":          `pa%22ss%27w%3Co%3Er%26d%2F1%2B2%3D3%3A4%20%C3%A9%5Cx`,
		"hexadecimal":            fmt.Sprintf("%x", secret),
		"hexadecimal, capitals":  fmt.Sprintf("%X", secret),
		"over lines":             "pa\"ss'w<o>r\n    &d/1+2=3:4\n é\\x",
		"colours between":        "pa\"ss'w\x1b[31m<o>r&d/1+2=3\x1b[0m:4 é\\x",
		"base64 over lines":      inBase64(secret)[:20] + "\n" + inBase64(secret)[20:],
		"within another word":    "xx" + secret + "xx",
		"twice":                  secret + secret,
		"base64":                 inBase64(secret),
		"base64, of user and it": inBase64("a:" + secret),
		"base64, of more":        inBase64("ab:" + secret + " more"),
		"base64 for addresses":   base64.URLEncoding.EncodeToString([]byte("u:" + secret)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := known(t, secret)
			got := k.hide(printable("before " + text + " after"))
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || strings.Count(got, Masked) != 1 || len(got) > len("before (hidden) after")+16 {
				t.Errorf("%q became %q", text, got)
			}
			if got = k.Text(got); k.Text(got) != got {
				t.Errorf("scrubbed again it is %q", k.Text(got))
			}
		})
	}
}

func TestKnownWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30)
	for name, tc := range map[string]struct{ secret, text, want string }{
		"a short one as a word":        {"abc1", "it is abc1, not abc12 or xabc1", "it is (hidden), not abc12 or xabc1"},
		"a short one on a line":        {"abc1", "x\nabc1\nx", "x\n(hidden)\nx"},
		"one too short":                {"abc", "abc", "abc"},
		"an ordinary word":             {"spark", "org.apache.spark", "org.apache.spark"},
		"a line of several":            {"the-first-line\n  the-second-line\n", "it read the-second-line.", "it read (hidden)."},
		"several lines":                {"the-first-line\nthe-second-line", "the-first-line\nthe-second-line", "(hidden)"},
		"a password within an address": {"jdbc:x://db/y?user=a&password=hunter2!&z=1", "login of a with hunter2! failed", "login of a with (hidden) failed"},
		"a password within a document": {`{"user": "a", "password": "hunter2!"}`, "login of a with hunter2! failed", "login of a with (hidden) failed"},
		"a long one":                   {long, "a" + long + "b", "a(hidden)b"},
		"a part of a long one":         {long, "a" + long[:70] + "b", "a(hidden)456789b"},
		"nothing":                      {"", "nothing", "nothing"},
		"one that begins with another": {"hunter2-and-more\nhunter2-", "hunter2-and-more", "(hidden)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := known(t, tc.secret).Text(tc.text); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
	if _, ok := NewKnown([]string{strings.Repeat("x", maxKnown), "more"}); ok {
		t.Error("there is no bound on what is known")
	}
	if got := (&Known{}).Text("text"); got != "text" {
		t.Errorf("the zero value makes %q of a text", got)
	}
}

// TestKnownAmongOthers: no random secret is left in a random text, and nothing else is taken.
func TestKnownAmongOthers(t *testing.T) {
	t.Parallel()
	const letters = "aA1 \"'\\/<&=:é\n"
	draw := func(r *rand.Rand, n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune([]rune(letters)[r.IntN(len([]rune(letters)))])
		}
		return b.String()
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		secret := strings.TrimSpace(draw(r, 10+r.IntN(200)))
		if len(secret) < minAnywhere {
			continue
		}
		k := known(t, secret)
		for _, form := range encodings(secret) {
			text := draw(r, r.IntN(20)) + form + draw(r, r.IntN(20))
			line, _ := joined(k.hide(printable(text)))
			if want, _ := joined(printable(form)); strings.Contains(line, want) {
				t.Fatalf("seed %d: %q is left in %q", seed, want, line)
			}
		}
		if got := known(t, "something-else").hide(printable(secret)); got != printable(secret) {
			t.Fatalf("seed %d: %q became %q", seed, secret, got)
		}
	}
}
