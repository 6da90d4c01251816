// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

const (
	// maxPattern is how long the pattern of spark.redaction.regex may be, in bytes. Parsing eight bytes may take a millisecond: a range of nearly all
	// characters, in upper and lower case. It is parsed twice.
	maxPattern = 1 << 10
	// maxPatternSize is how large it may be by patternSize: compiled and matched, it takes some megabytes then.
	maxPatternSize = 32 << 10
	// maxMatching bounds the product of its size and the length of all names of properties: matching takes at most that many steps, a second
	// or less.
	maxMatching = 32 << 20
)

// userPattern is held while a pattern that a user wrote is parsed, compiled and matched. However many applications fail at once, their patterns take
// one core together, and the memory of one pattern. Those without a pattern of their own do not wait for it.
var userPattern sync.Mutex

// redacted returns the names of properties that the pattern of spark.redaction.regex matches; none if the pattern was derived, as it then matches
// nothing that is not hidden anyway. why is not empty if matching would take too long: users write both.
func redacted(properties conf.Properties) (names map[string]bool, why string) {
	text := properties[conf.RedactionRegex]
	if text.Value == "" || text.Origin.Source == conf.Derived {
		return nil, ""
	}
	if len(text.Value) > maxPattern {
		return nil, fmt.Sprintf("%s is longer than %d bytes, and is not matched with the names of properties: shorten it", conf.RedactionRegex, maxPattern)
	}
	length := 0
	for key := range properties {
		length += len(key) + 1 // the end of a name is a step, too
	}
	userPattern.Lock()
	defer userPattern.Unlock()
	parsed, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return nil, "" // Java takes more than Go does
	}
	if size := patternSize(parsed); size > min(maxPatternSize, maxMatching/length) {
		return nil, conf.RedactionRegex + " is too large to match it with the names of all properties: shorten it, or repeat less in it"
	}
	pattern, err := regexp.Compile(text.Value)
	if err != nil {
		return nil, ""
	}
	names = map[string]bool{}
	for key := range properties {
		names[key] = pattern.MatchString(key)
	}
	return names, ""
}

// patternSize returns how many instructions a pattern has at most once it is compiled, and one for each range of characters in it; it stops counting
// above maxPatternSize. The text says little about that: (?:x?){1000} has twelve bytes and two thousand instructions.
func patternSize(pattern *syntax.Regexp) int {
	size := 1
	switch pattern.Op {
	case syntax.OpLiteral:
		size = max(size, len(pattern.Rune))
	case syntax.OpCharClass:
		size = max(size, len(pattern.Rune)/2)
	}
	for _, sub := range pattern.Sub {
		size = min(size+1+patternSize(sub), maxPatternSize+1)
	}
	if pattern.Op == syntax.OpRepeat {
		times := pattern.Max
		if times < 0 { // without an upper bound
			times = pattern.Min + 1
		}
		size *= max(times, 1)
	}
	return min(size, maxPatternSize+1)
}
