// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scrub

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Masked stands where something was hidden.
const Masked = "(hidden)"

// rule replaces what an expression matches.
type rule struct {
	find *regexp.Regexp
	put  string
}

// sensitive are words in names of values that must not be shown: Spark's default redaction pattern from 4.0 on
// (spark.redaction.regex), and other usual names.
const sensitive = `(?:secret|passw(?:or)?d|passphrase|token|credential|(?:access|account|api|private|shared|session|auth|encryption|storage)[._-]?key|x-amz-signature)`

// value is what follows a name: quoted, or up to the next space or separator.
const value = `(?:\\?"(?:[^"\\\n]|\\[^"\n])*\\?"|'[^'\n]*'|[^\s"',;&<>{}\[\]()\\]+)`

// rules are applied in this order: what spans lines first, then what has a name, then what has a shape.
var rules = []rule{
	// Private keys, whole, without their beginning, and without their end.
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`), Masked},
	{regexp.MustCompile(`(?s)\A.*-----END [A-Z ]*PRIVATE KEY-----`), Masked},
	// Authorization: Basic …, Bearer …
	{regexp.MustCompile(`(?i)((?:proxy-)?authorization\\?["']? *[:=] *)[^\n]+`), "${1}" + Masked},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[a-z0-9._~+/-]{8,}=*`), "${1} " + Masked},
	// scheme://user:password@host
	{regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#"'<>]*@`), "${1}" + Masked + "@"},
	// --conf spark.x.password=…, "password": "…", password: …
	{regexp.MustCompile(`(?i)([\w.$/-]*` + sensitive + `[\w.$/-]*\\?["']? *(?:=>|[:=]) *)` + value), "${1}" + Masked},
	// --password …
	{regexp.MustCompile(`(?i)(--?[\w.-]*` + sensitive + `[\w.-]* +)` + value), "${1}" + Masked},
	// ?sig=…&X-Amz-Signature=…
	{regexp.MustCompile(`(?i)([?&](?:sig|signature|code|key|x-goog-signature|x-goog-credential|x-amz-credential)=)[^\s&"'<>]+`), "${1}" + Masked},
	// JSON web tokens.
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?`), Masked},
	// Ids of AWS keys; tokens of GitHub, GitLab, Slack and Databricks; keys of Google.
	{regexp.MustCompile(`\b(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b`), Masked},
	{regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|dapi[0-9a-f]{32}|AIza[\w-]{35})`), Masked},
}

// escapes are the sequences with which programs colour and move on a terminal (ECMA-48), and set its title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Text returns a text without secrets and without characters that do more than print. Tabs become spaces; lines stay lines.
func Text(text string) string {
	text = printable(text)
	for _, r := range rules {
		text = r.find.ReplaceAllString(text, r.put)
	}
	return text
}

// Line is Text of the first line that is not empty, in at most limit bytes. It does not keep the memory of the whole text.
func Line(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return strings.Clone(First(Text(strings.TrimSpace(line)), limit))
}

// First returns the first bytes of a text, cut at the border of a character, with an ellipsis if anything was cut.
func First(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(ellipsis), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// printable removes what is no text: escape sequences, control characters, what is not UTF-8, and invisible characters that change the
// order or the look of others.
func printable(text string) string {
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\r':
			return '\n' // a line that was written over itself
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, text)
}
