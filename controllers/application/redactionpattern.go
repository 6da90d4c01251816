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
	// maxPatternBytes is the maximum length of spark.redaction.regex, in bytes. Eight bytes can take a millisecond to
	// parse: a range of nearly all characters, case-insensitive. The pattern is parsed twice.
	maxPatternBytes = 1 << 10
	// maxPatternSize is the maximum of patternSize. A pattern of this size takes a few megabytes when compiled and
	// matched.
	maxPatternSize = 32 << 10
	// maxMatching bounds the product of the pattern's size and the length of all property names. Matching takes at most
	// that many steps, which is a second or less.
	maxMatching = 32 << 20
)

// userPattern is held while a pattern written by a user is parsed, compiled and matched. However many applications fail
// at once, their patterns together use one core and the memory of one pattern. Applications without a pattern of their
// own do not wait for it.
var userPattern sync.Mutex

// redacted returns the names of the properties that spark.redaction.regex matches. It returns none if the pattern is
// the derived default, which only matches names that are hidden anyway. If matching would take too long, why says so:
// users write both the pattern and the names.
func redacted(properties conf.Properties) (names map[string]bool, why string) {
	text := properties[conf.RedactionRegex]
	if text.Value == "" || text.Origin.Source == conf.Derived {
		return nil, ""
	}
	if len(text.Value) > maxPatternBytes {
		return nil, fmt.Sprintf("%s is longer than %d bytes, and is not matched with the names of properties: shorten it", conf.RedactionRegex, maxPatternBytes)
	}
	length := 0
	for key := range properties {
		length += len(key) + 1 // matching the end of a name is also a step
	}
	userPattern.Lock()
	defer userPattern.Unlock()
	parsed, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return nil, "" // Java accepts patterns that Go does not
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

// patternSize returns an upper bound of the number of instructions in the compiled pattern, plus one for each character
// range in it. It stops counting above maxPatternSize. The length of the text does not bound it: (?:x?){1000} has
// twelve bytes and two thousand instructions.
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
