// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// Masked replaces text that was hidden.
const Masked = "(hidden)"

// sensitive matches names whose values must not be shown. It includes the default of spark.redaction.regex.
const sensitive = `(?:secret|passw(?:or)?[dt]|passphrase|pwd|token|credential|authorization|cookie|signature|\bsig\b|` +
	`(?:access|account|api|private|shared|session|auth|encryption|storage|master|client|sas)[._-]?key)`

var (
	secretName = regexp.MustCompile(`(?i)` + sensitive)
	// describing matches the end of names whose values say where a secret is or how it is used, but are no secret.
	describing = regexp.MustCompile(`(?i)(?:file|path|dir|location|name|class|provider|type|enabled|algorithm|bits|length|timeout|interval|regex|ratio|wait|mapping)s?$`)
	// assigned matches a name and what stands between it and its value; after an argument, that may be a blank.
	assigned = regexp.MustCompile(`(?i)([\w.$/-]*` + sensitive + `[\w.$/-]*)` +
		`(\\*["'` + "`" + `]?[\])]? *(?:->|=>|:=|==|\\?[=:]|%3D|\\u003d) *|\\*["']?,? +|\\*["'],)`)
	// explained matches names before a colon that the text explains: classes and files.
	explained = regexp.MustCompile(`/|\$|\.[A-Z]\w*$|\.(?:scala|java|kt|py)$|(?:Exception|Error|Manager|Provider|izer)$`)
	// sentence matches the beginning of a text about a token or credentials: neither consists of words.
	sentence = regexp.MustCompile(`(?i)(?:token|credential)s?\\*["']?: [a-z']+ `)
	// next matches the end of a value without quotes: a bracket or comma at the end of a word, or before another name.
	next = regexp.MustCompile(`^[,;&|)\]}>]{1,8}(?:$|\s|["']|[\w.-]{1,64}(?:=|:|->| ->))`)
	// harmless matches values that say that there is no secret, or that it is hidden already.
	harmless = regexp.MustCompile(`(?i)^["']?(?:true|false|null|none|nil|\*+(?:\(redacted\)?)?|[\[<(]redacted[\])>]?|\(hidden\)|)["']?$`)
	count    = regexp.MustCompile(`^\d{1,8}$`)
	// addresses matches user and password in an address.
	addresses = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#"'<>]*@`)
	// headers matches headers that are secret as a whole; a quoted value is masked by its name.
	headers = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(: *)[^\s"'(][^\n]*`)
	bearer  = regexp.MustCompile(`(?i)\b(bearer|basic)\s+(?:[a-z._~+/-]*[0-9][a-z0-9._~+/-]{7,}=*|[a-z0-9._~+/-]{8,}=+)`)
	// quotedValue matches a value in a message of this program.
	quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// SecretName reports whether a name says that its value is secret.
func SecretName(name string) bool {
	return secretName.MatchString(name) && !describing.MatchString(name)
}

// Mask hides the values after names of secrets, user and password in addresses, and what authorizes a request.
func Mask(text string) string {
	text = headers.ReplaceAllString(text, "${1}${2}"+Masked)
	text = bearer.ReplaceAllString(text, "${1} "+Masked)
	return NamedValues(Addresses(text))
}

// Addresses hides user and password in addresses.
func Addresses(text string) string { return addresses.ReplaceAllString(text, "${1}"+Masked+"@") }

// Quoted masks only the values that a message of this program quotes, and keeps everything else.
func Quoted(message string) string { return quotedValue.ReplaceAllStringFunc(message, Mask) }

// NamedValues hides the values after names of secrets.
func NamedValues(text string) string {
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
		if isSecret(text[at[2]:at[3]], text[at[4]:at[5]], text[from:to]) && !sentence.MatchString(text[at[2]:min(to+1, len(text))]) {
			b.WriteString(Masked)
			from = to
		}
		text = text[from:]
	}
}

// isSecret reports whether the value after a name and a separator has to be hidden.
func isSecret(name, separator, value string) bool {
	switch operator := strings.Trim(separator, "\\\"'`]) "); {
	case operator == "" || operator == ",": // --password x; PASSWORD 'x'; ("a.password", "x")
		quoted := strings.ContainsAny(value[:min(len(value), 1)], `"'`) && strings.Contains(strings.ToLower(name), "passw")
		if !quoted && !strings.HasPrefix(name, "-") {
			return false
		}
	case operator == ":" && explained.MatchString(name):
		return false
	}
	counted := strings.HasSuffix(strings.ToLower(name), "tokens") && count.MatchString(value)
	return !counted && !describing.MatchString(name) && !harmless.MatchString(value)
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
