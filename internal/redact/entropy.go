// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

var (
	// candidates matches text that may be a secret: base64, or random letters and digits.
	candidates = regexp.MustCompile(`[A-Za-z0-9+/_%=-]{20,}`)
	// request matches the text before a request id, which looks random but which support asks for.
	request = regexp.MustCompile(`(?i)request[ -]?id: $`)
)

// entropy hides texts that look random: those in which capitals, small letters and digits alternate too often for a
// name. Hashes and hexadecimal ids are kept, and with them any keys of the same form.
func entropy(text string) string {
	var b strings.Builder
	done := 0
	for _, at := range candidates.FindAllStringIndex(text, -1) {
		if !looksRandom(text[at[0]:at[1]]) || request.MatchString(text[max(at[0]-len("request id: "), 0):at[0]]) {
			continue
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(Masked)
		done = at[1]
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// looksRandom reports whether a run of characters looks random. The parts of a path are checked one by one.
func looksRandom(run string) bool {
	// In base64, one character in 64 is a slash.
	const perSlash = 16
	if strings.Count(run, "/")*perSlash <= len(run) && alternatesOften(run) {
		return true
	}
	for part := range strings.FieldsFuncSeq(run, func(r rune) bool { return r == '/' || r == '%' || r == '=' }) {
		if len(part) >= minRun && alternatesOften(part) {
			return true
		}
	}
	return false
}

// minRun is the shortest run that can be distinguished from a name.
const minRun = 20

// Classes of characters.
const (
	lower = iota
	upper
	number
	symbol
	classes
)

// alternatesOften reports whether the classes of characters change as often as in random text: in base64 at two of
// three characters, in names of classes at one of four.
func alternatesOften(run string) bool {
	count, changes := census(run)
	if count[number] == 0 || strings.IndexFunc(run, notHex) < 0 {
		return false
	}
	share := float64(changes) / float64(len(run)-1)
	const often, inLowerCase = 0.45, 0.30
	const digits, digitsInLowerCase, shortestInLowerCase = 2, 4, 24
	if count[lower] > 0 && count[upper] > 0 {
		return share >= often && count[number] >= digits
	}
	return count[symbol] == 0 && len(run) >= shortestInLowerCase && share >= inLowerCase && count[number] >= digitsInLowerCase
}

// census counts the characters of each class, and how often a character follows one of another class.
func census(run string) (count [classes]int, changes int) {
	last := classOf(run[0])
	for i := range len(run) {
		class := classOf(run[i])
		count[class]++
		if class != last {
			changes++
		}
		last = class
	}
	return count, changes
}

func classOf(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return lower
	case c >= 'A' && c <= 'Z':
		return upper
	case c >= '0' && c <= '9':
		return number
	}
	return symbol
}

// notHex reports whether a character cannot occur in a hexadecimal id with dashes.
func notHex(c rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEFx-_", c) }
