// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// scheme matches the scheme of a URI.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// Characters that java.net.URI accepts unescaped in the parts of a URI, in addition to letters, digits and all
// characters beyond ASCII that are neither blanks nor control characters.
const (
	inPath     = "_-!.~'()*;/:@&=+$,%"
	inQuery    = inPath + "?[]"
	inFragment = inQuery
)

// ErrNoScheme is the error for a URI without a scheme, which spark-submit would take for a local file.
var ErrNoScheme = errors.New("has no scheme")

// Scheme returns the scheme of a URI in lower case. It returns an error for a URI that java.net.URI rejects, because
// Spark takes such text for the name of a local file.
func Scheme(uri string) (string, error) {
	prefix := scheme.FindString(uri)
	if prefix == "" {
		return "", ErrNoScheme
	}
	rest := uri[len(prefix):]
	if rest == "" {
		return "", errors.New("has nothing after its scheme")
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if authority, ok := strings.CutPrefix(path, "//"); ok {
		host, behind, _ := strings.Cut(authority, "/")
		path = strings.NewReplacer("[", "", "]", "").Replace(host) + "/" + behind
	}
	for _, part := range []struct{ text, legal string }{{path, inPath}, {query, inQuery}, {fragment, inFragment}} {
		if err := legal(part.text, part.legal); err != nil {
			return "", err
		}
	}
	return strings.ToLower(strings.TrimSuffix(prefix, ":")), nil
}

// legal returns an error that names the first character of a part of a URI that has to be escaped.
func legal(text, punctuation string) error {
	for i, c := range text {
		switch {
		case c == '%':
			if !isHex(text[i+1:]) {
				return errors.New("has a % that no two hexadecimal digits follow")
			}
		case c > unicode.MaxASCII && !unicode.IsSpace(c) && !unicode.IsControl(c):
		case c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(punctuation, c)):
		default:
			return fmt.Errorf("has the character %q, which is not allowed in a URI", c)
		}
	}
	return nil
}

// isHex reports whether a text begins with two hexadecimal digits.
func isHex(text string) bool {
	const digits = 2
	return len(text) >= digits && strings.Trim(text[:digits], "0123456789abcdefABCDEF") == ""
}
