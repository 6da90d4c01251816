// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"slices"
	"strings"
)

// sensitive matches names whose values must not be shown: Spark's default redaction pattern since 4.0
// (spark.redaction.regex), and other usual names.
const sensitive = `(?:secret|passw(?:or)?[dt]|passphrase|passcode|pwd|(?:\b|[_.-])pass\b|token|credential|creds\b|` +
	`(?:access|account|api|private|shared|session|auth|encryption|storage|master|signing|client|sas|ssh)[._-]?key|x-amz-signature|` +
	`authorization|cookie|session[._-]?id\b|connection[._-]?string|jaas\.config)`

var (
	// secretName matches names that say that their value is secret.
	secretName = regexp.MustCompile(`(?i)` + sensitive)
	// words are the texts of which every such name contains at least one. Searching for them first is twenty times as
	// fast.
	words = []string{"secret", "pass", "pwd", "token", "cred", "key", "x-amz-sig", "authorization", "cookie", "session", "connection", "jaas"}
	// weak matches words that name a secret only if a value with a digit follows: "the password is hunter2".
	weak = regexp.MustCompile(`(?i)(?:passw(?:or)?[dt]|passphrase|pwd|token)$`)
	// separator matches the text between a name and its value, after the closing quote of the name if there is one.
	separator = regexp.MustCompile(`^(?:\\*["'` + "`" + `]|&quot;|%22)?[\])]?[ ]*(?:=>|->|→|:=|==|\\?[=:]|%3[DdAa]|\\u003[dD])[ ]*`)
	// pair matches the separator of two elements of a list.
	pair = regexp.MustCompile(`^\\*["']?, ?`)
	// paired matches the text before a name that is itself a value: "name": "…", "value":
	paired = regexp.MustCompile(`(?i)(?:name|key)\\*["']? ?[=:] ?\\*["']?$`)
	// pairedValue matches the text between such a name and its value.
	pairedValue = regexp.MustCompile(`(?i)^\\*["']?[,;]?\s{0,80}\\*["']?value\\*["']? ?[=:] ?`)
	// harmless matches values that say that there is no secret, or that it is hidden already.
	harmless = regexp.MustCompile(`(?i)^(?:true|false|null|none|nil|undefined|yes|no|\*+(?:\(redacted\))?|[<\[(]redacted[>\])]|\(hidden\)|)$`)
	// numeric matches values that cannot be tokens, but can be counts of tokens.
	numeric = regexp.MustCompile(`^[0-9.,]+[smhd%]?$`)
	// sourceFile matches names that end like a source file.
	sourceFile = regexp.MustCompile(`\.(?:scala|java|py|kt|go|sql|R)$`)
	// className matches names that end like a class. In a log, a class is followed by a colon and a message.
	className = regexp.MustCompile(`[A-Z]\w*(?:Manager|Provider|Exception|Error|Cache|Renewer|Factory|Utils?|Helper|Client|Server|Handler|Service|Filter|Updater|Fetcher|Suite|Store|Reader|Writer|Loader|Parser|Context|Listener|Thread|Backend|Impl|Identifier|Plugin|Interceptor|Validator|Generator|Resolver)\$?$`)
	// sentence matches a text after a colon that talks about a token: no token consists of words.
	sentence    = regexp.MustCompile(`^[a-z']+ [a-z]`)
	aboutTokens = regexp.MustCompile(`(?i)(?:token|credential)s?$`)
	// logger matches the text before the name of a logger.
	logger = regexp.MustCompile(`(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]? +$`)
	// assignment matches a word that starts another value on the same line.
	assignment = regexp.MustCompile(`^(?:-|[\w.$-]+(?:=|:(?: |$)))`)
)

// found is the value of one name; from and to are its place in the text.
type found struct {
	from, to int
	// bare is the value without quotes.
	bare string
}

// named hides values whose name says that they are secret.
func named(text string) string {
	var b strings.Builder
	done := 0
	for _, f := range find(text) {
		b.WriteString(text[done:f.from])
		b.WriteString(Masked)
		done = f.to
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// find returns the values with secret names in order; they do not overlap.
func find(text string) []found {
	var all []found
	done := 0
	for _, at := range places(text) {
		if at < done {
			continue
		}
		from, to := around(text, at)
		if !secretName.MatchString(text[max(from, to-maxName):to]) {
			done = max(done, to)
		} else if f, ok := valueOf(text, from, to); ok && f.from >= done {
			all, done = append(all, f), f.to
		} else {
			done = max(done, to)
		}
	}
	return all
}

// maxName is the number of bytes of a name that are checked, from its end.
const maxName = 256

// places returns the places at which words of secret names occur, in order.
func places(text string) []int {
	lower := lowerASCII(text)
	var all []int
	for _, word := range words {
		for from := 0; ; {
			at := strings.Index(lower[from:], word)
			if at < 0 {
				break
			}
			all, from = append(all, from+at), from+at+len(word)
		}
	}
	slices.Sort(all)
	return all
}

// lowerASCII turns ASCII capitals into small letters; every character keeps its place.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, text)
}

// around returns the name around a place.
func around(text string, at int) (from, to int) {
	from, to = at, at
	for from > 0 && inName(text[from-1]) {
		from--
	}
	for to < len(text) && inName(text[to]) {
		to++
	}
	return from, to
}

// inName reports whether a character may occur in a name.
func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.$/-", c) >= 0
}

// valueOf finds the value of the name at text[from:to].
func valueOf(text string, from, to int) (found, bool) {
	name, before, behind := text[from:to], text[lineStart(text, from):from], text[to:]
	v := value{text: text}
	near := head(behind)
	switch loc := separator.FindStringIndex(near); {
	case strings.HasSuffix(name, "."), strings.HasPrefix(near, "://"):
		return found{}, false
	case loc != nil:
		if explains(name, before, near[:loc[1]], near[loc[1]:]) {
			return found{}, false
		}
		v.opener, v.wide = openerOf(before), startsLine(before)
		v.indent = len(before) - len(strings.TrimLeft(before, " "))
		return v.at(to+loc[1], name)
	case paired.MatchString(before):
		if loc := pairedValue.FindStringIndex(near); loc != nil {
			return v.at(to+loc[1], name)
		}
	case inList(name, before):
		if loc := pair.FindStringIndex(near); loc != nil {
			return v.at(to+loc[1], name)
		}
	case strings.HasSuffix(strings.TrimRight(before, " "), "|"):
		if cell := strings.TrimLeft(behind, " "); strings.HasPrefix(cell, "|") {
			v.cell = true
			return v.at(len(text)-len(cell)+1, name)
		}
	}
	return v.word(name, to)
}

// head returns the start of a text, as much of it as the anchored expressions need.
func head(text string) string {
	const near = 512
	return text[:min(len(text), near)]
}

// lineStart returns the start of the line that contains a place; of a long line, at most 256 bytes before the place.
func lineStart(text string, at int) int {
	const near = 256
	first := max(at-near, 0)
	return first + strings.LastIndexByte(text[first:at], '\n') + 1
}

// explains reports whether the text after a colon describes the name and is not its value: in log lines of a class, in
// stack frames, about files.
func explains(name, before, separator, behind string) bool {
	if !strings.HasPrefix(strings.TrimLeft(separator, " "), ":") {
		return false
	}
	return sourceFile.MatchString(name) || className.MatchString(name) || logger.MatchString(before) || strings.HasPrefix(name, "/") ||
		aboutTokens.MatchString(name) && sentence.MatchString(behind) ||
		strings.HasSuffix(strings.TrimRight(before, " "), "://") || strings.HasPrefix(behind, "//")
}

// openerOf returns the quote that encloses both name and value; "" if there is none.
func openerOf(before string) string {
	for _, quote := range []string{`\"`, `"`, `'`} {
		if strings.HasSuffix(before, quote) {
			return quote
		}
	}
	return ""
}

// startsLine reports whether a name is the first word of its line, so that its value may be the rest of the line.
func startsLine(before string) bool {
	switch strings.TrimSpace(before) {
	case "", "-", "+", "export", "#", "//", ">", "<", "*":
		return true
	}
	return false
}

// inList reports whether a name is an element of a list whose next element is its value.
func inList(name, before string) bool {
	open := strings.TrimRight(before, `\"'`)
	return strings.HasPrefix(name, "-") && (open != before || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "[")) ||
		strings.HasSuffix(open, "(") || strings.HasSuffix(open, "[")
}
