// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// encodings returns a secret in all forms in which programs print it: as it is, and escaped or encoded for other
// formats.
func encodings(secret string) []string {
	jsonText := jsonEscaped(secret)
	forms := []string{
		secret,
		jsonText, jsonEscaped(jsonText), strings.ReplaceAll(jsonText, "/", `\/`), jsonHTML(secret),
		html.EscapeString(secret), xmlEscaped(secret), xmlNamed.Replace(secret),
		properties.Replace(secret), properties.Replace(beyondASCII(secret)), beyondASCII(jsonText),
		python.Replace(secret), shell.Replace(secret),
		strings.ReplaceAll(secret, `"`, `""`), strings.ReplaceAll(secret, `'`, `''`), strings.ReplaceAll(secret, `$`, `\$`),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	forms = append(forms, percent(secret)...)
	forms = append(forms, inBase64(secret)...)
	slices.Sort(forms)
	return slices.Compact(forms)
}

var (
	xmlNamed   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	properties = strings.NewReplacer(`\`, `\\`, "=", `\=`, ":", `\:`, "#", `\#`, "!", `\!`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	python     = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	shell      = strings.NewReplacer(`'`, `'\''`)
	percentHex = regexp.MustCompile(`%[0-9A-F]{2}`)
	likeJava   = strings.NewReplacer("%2A", "*", "~", "%7E")
)

func jsonEscaped(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	// It cannot fail: every string can be encoded, and a Builder accepts everything.
	_ = encoder.Encode(text)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// jsonHTML returns a text as Gson and Go write it in JSON: with <, >, & and others as escapes.
func jsonHTML(text string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "=", `\u003d`, "'", `\u0027`).Replace(jsonEscaped(text))
}

func xmlEscaped(text string) string {
	var b strings.Builder
	// A Builder accepts everything.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// beyondASCII writes characters outside ASCII as Java's \u escapes.
func beyondASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// percent returns the percent-encoded forms of a secret, as Go and Java's URLEncoder write them, with hexadecimal
// digits in upper and in lower case.
func percent(secret string) []string {
	query := url.QueryEscape(secret)
	forms := []string{query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(secret), likeJava.Replace(query), url.QueryEscape(query)}
	for _, form := range forms {
		forms = append(forms, percentHex.ReplaceAllStringFunc(form, strings.ToLower))
	}
	return forms
}

// inBase64 returns the part of a secret's base64 form that does not depend on its neighbours, for each of its three
// possible alignments within an encoded text such as user:password. Short results are left out, because a few letters
// occur in many words.
func inBase64(secret string) []string {
	var forms []string
	const bitsOfByte, bitsOfLetter = 8, 6
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
		from := (before*bitsOfByte + bitsOfLetter - 1) / bitsOfLetter
		to := (before + len(secret)) * bitsOfByte / bitsOfLetter
		if certain := encoded[from:to]; len(certain) >= minAnywhere {
			forms = append(forms, certain, strings.NewReplacer("+", "-", "/", "_").Replace(certain), url.QueryEscape(certain))
		}
	}
	return forms
}
