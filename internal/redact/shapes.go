// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// rule replaces the matches of an expression.
type rule struct {
	// hints are texts in lower case of which the text must contain at least one; most rules do not apply to most texts.
	hints []string
	find  *regexp.Regexp
	put   string
}

// apply applies the rules whose hints occur in a text.
func apply(rules []rule, text string) string {
	lower := strings.ToLower(text)
	for _, r := range rules {
		for _, hint := range r.hints {
			if strings.Contains(lower, hint) {
				text = r.find.ReplaceAllString(text, r.put)
				break
			}
		}
	}
	return text
}

// shapes hides secrets with a recognizable form, in the order of the rules: those which span lines come first.
func shapes(text string) string { return apply(shapeRules, text) }

var shapeRules = []rule{
	// Private keys, whole, without their beginning, and without their end.
	{[]string{"private key"}, regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)`), Masked},
	{[]string{"private key"}, regexp.MustCompile(`(?s)\A.*-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----`), Masked},
	// Headers that are secrets as a whole. Bearer …, Basic … without a header.
	{[]string{"authorization", "cookie"}, regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(: *)(?:[^\s(][^\n]*|\([^h\n][^\n]*)`), "${1}${2}" + Masked},
	{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(bearer|basic)\s+([a-z._~+/-]*[0-9][a-z0-9._~+/-]{7,}=*|[a-z0-9._~+/-]{8,}=+)`), "${1} " + Masked},
	// scheme://user:password@host
	{[]string{"://"}, addresses, "${1}" + Masked + "@"},
	// jdbc:oracle:thin:user/password@…
	{[]string{"jdbc:oracle"}, regexp.MustCompile(`(?i)(jdbc:oracle:[a-z0-9]+:)[^\s/@"']+/[^\s@"']+@`), "${1}" + Masked + "@"},
	// ?sig=…&key=…
	{[]string{"="}, regexp.MustCompile(`(?i)([?&;](?:sig|signature|code|key|x-goog-signature|x-goog-credential|x-amz-credential)=)[^\s&"'<>;(][^\s&"'<>;]*`), "${1}" + Masked},
	// curl -u user:password
	{[]string{"-u", "--user"}, regexp.MustCompile(`((?:^|\s)(?:-u|--user)[ =]['"]?[\w.@-]+:)[^\s'"(]+`), "${1}" + Masked},
	// CREATE USER … IDENTIFIED BY '…'
	{[]string{"identified by"}, regexp.MustCompile(`(?i)(identified by (?:password |values )?)(?:'[^'\n]*'|"[^"\n]*")`), "${1}" + Masked},
	// <password type="x">…</password>, and the same where it is text in XML
	{[]string{"<"}, regexp.MustCompile(`(?i)(<[\w:.-]*` + sensitive + `[\w:.-]*(?:\s[^<>]*[^/<>])?>)\s*(?:<!\[CDATA\[[^<>]*\]\]>|[^<>\s(][^<>]*)`), "${1}" + Masked},
	{[]string{"&lt;"}, regexp.MustCompile(`(?i)(&lt;[\w:.-]*` + sensitive + `[\w:.-]*&gt;)[^<>&\s(][^<>&]*`), "${1}" + Masked},
	// <name>…</name><value>…</value>; <entry key="…">…</entry>
	{[]string{"<value"}, regexp.MustCompile(`(?i)(<(?:name|key)>[^<>]*` + sensitive + `[^<>]*</(?:name|key)>\s*<value>)(?:<!\[CDATA\[[^<>]*\]\]>|[^<>(][^<>]*)`), "${1}" + Masked},
	{[]string{"="}, regexp.MustCompile(`(?i)(<\w+ +(?:name|key)="[^"<>]*` + sensitive + `[^"<>]*" *>)[^<>(][^<>]*`), "${1}" + Masked},
}
