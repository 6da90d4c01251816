// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"slices"
	"strings"
)

// Masked replaces text that was hidden.
const Masked = "(hidden)"

// sensitive matches names whose values must not be shown. It includes the default of spark.redaction.regex.
const sensitive = `(?:secret|passw(?:or)?[dt]|passphrase|pwd|token|credential|authorization|cookie|signature|\bsig\b|` +
	`(?:access|account|api|private|shared|session|auth|encryption|storage|master|client|sas)[._-]?key)`

var (
	secretName = regexp.MustCompile(`(?i)` + sensitive)
	// assigned matches a name, perhaps the word before it, and what stands between the name and its value; after an
	// argument, that may be a blank.
	assigned = regexp.MustCompile(`(?i)(?:\b[a-z]+ )?([\w.$/-]*` + sensitive + `[\w.$/-]*)` +
		`(\\*["'` + "`" + `]?[\])]? *(?:->|=>|:=|==|\\?[=:]|%3D|\\u003d) *|\\*["']?,? +|\\*["'],)`)
	// next matches the end of a value without quotes: a bracket or comma at the end of a word, or before another name.
	next = regexp.MustCompile(`^[,;&|)\]}>]{1,8}(?:$|\s|["']|[\w.-]{1,64}(?:=|:|->| ->))`)
	// quotedValue matches a value in a message of this program.
	quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// spared are the names whose values are shown nevertheless. What a row matches is the word before the name, the name and
// the separator, a new line, the value, and a blank if one follows.
var spared = []*regexp.Regexp{
	describing,
	// the value says that there is no secret, or that it is hidden already
	regexp.MustCompile(`(?i)\n["']?(?:true|false|null|none|nil|\*+(?:\(redacted\)?)?|[\[<(]redacted[\])>]?|\(hidden\)|)["']? ?$`),
	// a number of tokens
	regexp.MustCompile(`(?i)tokens\W*\n\d{1,8} ?$`),
	// a class or a file that a text explains
	regexp.MustCompile(`^(?:\w+ )?[\w.-]*(?:[/$][\w.$/-]*|\.[A-Z]\w*|\.(?:scala|java|kt|py)|Exception|Error|Manager|Provider|izer): *\n`),
	// words about a token or a Secret, and what the kubelet says of a volume
	regexp.MustCompile(`(?i)(?:(?:\bsecret|PullSecret|token|credential)s?\\*["']?:|" :) \n[a-z']+ $`),
	// one word about it, after another word: Syntax error near token: 'FROM'
	regexp.MustCompile(`(?i)^[a-z]+ (?:imagePull)?(?:secret|token|credential): \n["']?[a-z_]{1,16}["']? ?$`),
}

// describing matches names whose values say where a secret is or how it is used, but are no secret.
var describing = regexp.MustCompile(`(?i)^(?:[a-z]+ )?[\w.$/-]*(?:file|path|dir|location|name|class|provider|type|enabled|algorithm|bits|length|` +
	`timeout|interval|regex|ratio|wait|mapping)s?(?:[^\w.$/-]|$)`)

// SecretName reports whether a name says that its value is secret.
func SecretName(name string) bool {
	return secretName.MatchString(name) && !describing.MatchString(name)
}

// masks are what is hidden apart from values after names, and what stands there instead.
var masks = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	// headers that are secret as a whole; a quoted value is masked by its name
	{regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(: *)[^\s"'(][^\n]*`), "${1}${2}" + Masked},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+(?:[a-z._~+/-]*[0-9][a-z0-9._~+/-]{7,}=*|[a-z0-9._~+/-]{8,}=+)`), "${1} " + Masked},
	// user and password in an address, or a token in one of the web; in abfss://container@account nothing is secret
	{regexp.MustCompile(`(?i)\b(?:(https?://)[^\s/?#"'<>]*|([a-z][a-z0-9+.-]*://)[^\s/?#"'<>:]*:[^\s/?#"'<>]*)@`), "${1}${2}" + Masked + "@"},
}

// Mask hides the values after names of secrets, user and password in addresses, and what authorizes a request.
func Mask(text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.replacement)
	}
	return namedValues(text)
}

// Quoted masks only the values that a message of this program quotes, and keeps everything else.
func Quoted(message string) string { return quotedValue.ReplaceAllStringFunc(message, Mask) }

// namedValues hides the values after names of secrets.
func namedValues(text string) string {
	var b strings.Builder
	for {
		at := assigned.FindStringSubmatchIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String()
		}
		from := at[1]
		to := from + valueEnd(text[from:])
		b.WriteString(text[:from])
		entry := text[at[0]:from] + "\n" + text[from:to]
		if strings.HasPrefix(text[to:], " ") {
			entry += " "
		}
		if isAssignment(text[at[2]:at[3]], text[at[4]:at[5]], text[from:]) &&
			!slices.ContainsFunc(spared, func(row *regexp.Regexp) bool { return row.MatchString(entry) }) {
			b.WriteString(Masked)
			from = to
		}
		text = text[from:]
	}
}

// isAssignment reports whether what follows a name and a separator is its value. After a blank or a comma, it is so for
// an argument, as in --password x, and for quoted text after a password, as in PASSWORD 'x'.
func isAssignment(name, separator, value string) bool {
	operator := strings.Trim(separator, "\\\"'`]) ")
	return operator != "" && operator != "," || strings.HasPrefix(name, "-") ||
		strings.ContainsAny(value[:min(len(value), 1)], `"'`) && strings.Contains(strings.ToLower(name), "passw")
}

// valueEnd returns the index at which the value at the beginning of a text ends.
func valueEnd(text string) int {
	if strings.HasPrefix(text, Masked) {
		return len(Masked)
	}
	for _, quote := range []string{`\"`, `"`, `'`} {
		if inner, quoted := strings.CutPrefix(text, quote); quoted {
			return len(quote) + quoteEnd(inner, quote)
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte(" \n\"'`<", c) >= 0, strings.IndexByte(",;&|)]}>", c) >= 0 && next.MatchString(text[i:]):
			return i
		}
	}
	return len(text)
}

// quoteEnd returns the index after the closing quote; without one, the value ends with its line.
func quoteEnd(text, quote string) int {
	for i := 0; i < len(text) && text[i] != '\n'; i++ {
		if strings.HasPrefix(text[i:], quote) {
			return i + len(quote)
		}
		if text[i] == '\\' {
			i++
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return len(line)
}
