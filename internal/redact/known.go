// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
)

const (
	// minWhole is the shortest known secret that is hidden, in bytes. Shorter ones are hidden only where their
	// names say that they are secret.
	minWhole = 4
	// minAnywhere is the length from which on a known secret is hidden even inside other words; a shorter one is
	// hidden only as a word of its own.
	minAnywhere = 8
	// piece is the length of the parts into which long secrets are cut, so that searching for them takes time in
	// proportion to the text.
	piece = 64
	// maxKnown is the total size of the known secrets, in bytes before they are encoded.
	maxKnown = 256 << 10
)

// ordinary are values that Secrets may hold but that must not be hidden, because they occur in every log.
var ordinary = []string{"true", "false", "null", "none", "spark", "root", "admin", "user", "default", "localhost", "http", "https", "info", "warn", "error", "debug", "main", "java", "python", "prod", "test"}

// Known are secrets that are known. They are hidden wherever they occur, in every form in which programs print them,
// and across line ends. The zero value and nil know none.
type Known struct {
	// byLength are the texts to search for, by length.
	byLength map[int]map[string]struct{}
	// lengths are the lengths in use, longest first.
	lengths []int
	// first are the first two bytes of each text.
	first map[[2]byte]struct{}
}

// NewKnown returns a Known that hides the given secrets. ok is false if there are too many of them to search for: then
// no text may be shown.
func NewKnown(secrets []string) (k *Known, ok bool) {
	k = &Known{byLength: map[int]map[string]struct{}{}, first: map[[2]byte]struct{}{}}
	size := 0
	for _, secret := range secrets {
		if size += len(secret); size > maxKnown {
			return nil, false
		}
		k.add(secret)
		for _, f := range find(printable(secret)) {
			// A secret may be an address, a file or a list that contains a password.
			k.add(f.bare)
		}
		for line := range strings.Lines(secret) {
			k.add(line)
		}
	}
	for length := range k.byLength {
		k.lengths = append(k.lengths, length)
	}
	slices.SortFunc(k.lengths, func(a, b int) int { return b - a })
	return k, true
}

// Secrets returns the values in a text whose names say that they are secret, such as passwords in a list of arguments
// or in an option of Java.
func Secrets(text string) []string {
	var all []string
	for _, f := range find(text) {
		all = append(all, f.bare)
	}
	return all
}

// add adds a secret in all its forms.
func (k *Known) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < minWhole || slices.Contains(ordinary, strings.ToLower(secret)) {
		return
	}
	for _, form := range encodings(secret) {
		text, _ := joined(printable(form))
		if len(text) < minWhole {
			continue
		}
		for ; len(text) > 2*piece; text = text[piece:] {
			k.word(text[:piece])
		}
		k.word(text)
	}
}

func (k *Known) word(word string) {
	set := k.byLength[len(word)]
	if set == nil {
		set = map[string]struct{}{}
		k.byLength[len(word)] = set
	}
	set[word] = struct{}{}
	k.first[[2]byte{word[0], word[1]}] = struct{}{}
}

// hide hides the known secrets in a text that printable has cleaned.
func (k *Known) hide(text string) string {
	if k == nil || len(k.lengths) == 0 {
		return text
	}
	line, at := joined(text)
	var b strings.Builder
	done := 0
	for i := 0; i+minWhole <= len(line); {
		length := k.match(text, line, at, i)
		if length == 0 {
			i++
			continue
		}
		from, to := at[i], at[i+length-1]+1
		if from > done || done == 0 {
			b.WriteString(text[done:from])
			b.WriteString(Masked)
			// Otherwise it continues where the last one ended.
		}
		done, i = to, i+length
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// match returns the length of the longest known text that starts at index i of the joined line; 0 if none does.
func (k *Known) match(text, line string, at []int, i int) int {
	if _, begins := k.first[[2]byte{line[i], line[i+1]}]; !begins {
		return 0
	}
	for _, length := range k.lengths {
		if i+length > len(line) {
			continue
		}
		if _, known := k.byLength[length][line[i:i+length]]; !known {
			continue
		}
		if length >= minAnywhere || isWord(text, at[i], at[i+length-1]+1) {
			return length
		}
	}
	return 0
}

// isWord reports whether a part of a text is a word of its own.
func isWord(text string, from, to int) bool {
	return (from == 0 || !isAlphanumeric(text[from-1])) && (to == len(text) || !isAlphanumeric(text[to]))
}

func isAlphanumeric(c byte) bool { return classOf(c) != symbol }

// joined returns a text without line ends and blanks, and the index in the text of each of its bytes: a secret may be
// broken over several lines.
func joined(text string) (line string, at []int) {
	bytes := make([]byte, 0, len(text))
	at = make([]int, 0, len(text))
	for i := range len(text) {
		if text[i] != '\n' && text[i] != ' ' {
			bytes, at = append(bytes, text[i]), append(at, i)
		}
	}
	return string(bytes), at
}
