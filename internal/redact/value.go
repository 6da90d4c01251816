// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// value reads what follows a name.
type value struct {
	text string
	// opener is the quote in which the name also stands, if there is one.
	opener string
	// wide values continue over blanks; cells end at a bar.
	wide, cell bool
	// indent of the line with the name.
	indent int
}

// maxValue is how far a value in quotes or brackets goes; an end beyond it is not looked for.
const maxValue = 16 << 10

// quotes that may stand around a value, the longest first.
var quotes = []string{`"""`, `'''`, `\\\"`, `\"`, `"`, `'`, "`", "&quot;", "&#34;", "%22"}

var (
	// wrapper is what languages put around values: Some(…), Optional[…], b'…', SecretStr('…').
	wrapper = regexp.MustCompile(`^(?:\w+[(\[]|[bur]{1,2}["'])`)
	// block is the beginning of text in YAML that follows in the lines below.
	block = regexp.MustCompile(`^[|>][+-]?[0-9]?[ ]*\n`)
	// nested is a value with parts of its own.
	nested = regexp.MustCompile(`^(?:\w*(?:Map|List|Array|Seq|Vector|Set)\(|\{|\[)`)
	// nextName is the beginning of the next value of a list.
	nextName = regexp.MustCompile(`^[,;&|] ?\\?["']?[\w.$-]+\\?["']? ?(?:=|:|->|,)`)
	closing  = regexp.MustCompile(`^[)\]}>,;."'|]*(?:\s|$)`)
	verb     = regexp.MustCompile(`^(?:is|was|to):? `)
	digit    = regexp.MustCompile(`[0-9]`)
	letter   = regexp.MustCompile(`[A-Za-z]`)
)

// at reads the value that begins at a place.
func (v value) at(from int, name string) (found, bool) {
	rest := v.text[from:]
	if start := block.FindString(head(rest)); start != "" {
		return v.lines(from + len(start))
	}
	if trimmed := strings.TrimLeft(rest, " \n"); len(rest)-len(trimmed) > 0 && startsWithQuote(trimmed) {
		from += len(rest) - len(trimmed) // a document that was printed nicely
		rest = trimmed
	}
	if left, hidden := strings.CutPrefix(rest, Masked); hidden {
		more := v.run(left) // of a value that was hidden in part only
		return found{from, from + len(Masked) + more, left[:more]}, more > 0
	}
	end, bare := v.end(rest)
	if harmless.MatchString(bare) || isCount(name, bare) {
		return found{}, false
	}
	return found{from, from + end, bare}, true
}

// isCount reports whether a value is a number of tokens, or how long one is good.
func isCount(name, bare string) bool {
	const longestCount = 8
	return len(bare) <= longestCount && numeric.MatchString(bare) && strings.Contains(strings.ToLower(name), "token") && !strings.Contains(strings.ToLower(name), "secret")
}

// lines reads the lines below that are indented deeper than the name.
func (v value) lines(from int) (found, bool) {
	end := from
	for end < len(v.text) {
		line, _, _ := strings.Cut(v.text[end:], "\n")
		if strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) <= v.indent {
			break
		}
		end = min(end+len(line)+1, len(v.text))
	}
	bare := strings.TrimSpace(v.text[from:end])
	if bare == "" || bare == Masked {
		return found{}, false
	}
	from += strings.Index(v.text[from:end], bare)
	return found{from, from + len(bare), bare}, true
}

func startsWithQuote(text string) bool {
	for _, quote := range quotes {
		if strings.HasPrefix(text, quote) {
			return true
		}
	}
	return false
}

// end returns where a value ends, and the value without what stands around it.
func (v value) end(rest string) (end int, bare string) {
	rest = rest[:min(len(rest), maxValue)]
	if v.cell {
		cell, _, _ := strings.Cut(rest, "|")
		cell, _, _ = strings.Cut(cell, "\n")
		return len(cell), strings.TrimSpace(cell)
	}
	if nested.MatchString(head(rest)) {
		if end := balanced(rest); end > 0 {
			return end, strings.Trim(rest[:end], "[]{} ")
		}
	}
	for _, quote := range quotes {
		if strings.HasPrefix(rest, quote) {
			return quoted(rest, quote)
		}
	}
	if start := wrapper.FindString(head(rest)); start != "" && strings.ContainsAny(start, "'\"") {
		end, bare := quoted(rest[len(start)-1:], start[len(start)-1:])
		return len(start) - 1 + end, bare
	} else if start != "" {
		if end := balanced(rest); end > 0 {
			return end, strings.Trim(rest[len(start):end-1], `"'`)
		}
	}
	end = v.unquoted(rest)
	return end, rest[:end]
}

// quoted reads a value in quotes. One without an end ends with its line.
func quoted(rest, quote string) (end int, bare string) {
	from := len(quote)
	for i := from; i < len(rest); i++ {
		if strings.HasPrefix(rest[i:], quote) {
			if doubled := i + len(quote); (quote == `"` || quote == `'`) && strings.HasPrefix(rest[doubled:], quote) {
				i = doubled
				continue
			}
			return i + len(quote), rest[from:i]
		}
		if rest[i] == '\\' && (quote == `"` || quote == `'`) {
			i++
		}
	}
	line, _, _ := strings.Cut(rest, "\n")
	return len(line), strings.Trim(line, `"'`)
}

// balanced returns where the first bracket of a text is closed; 0 if it is not.
func balanced(rest string) int {
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// unquoted returns where a value without quotes ends.
func (v value) unquoted(rest string) int {
	end := v.run(rest)
	for end > 0 && v.goesOn(rest[end:]) {
		word := strings.TrimLeft(rest[end:], " ")
		if word == "" || word[0] == '\n' || assignment.MatchString(head(word)) {
			break
		}
		end = len(rest) - len(word)
		end += max(v.run(word), 1)
	}
	return end
}

// goesOn reports whether a value may go on behind a blank: to the end of its line, or of the quotes around name and
// value.
func (v value) goesOn(rest string) bool {
	if !strings.HasPrefix(rest, " ") {
		return false
	}
	if v.opener == "" {
		return v.wide
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Contains(line, v.opener)
}

// run returns how far a word of a value goes: to a blank, a quote, or what ends it in the form that it was written in.
func (v value) run(rest string) int {
	for i := range len(rest) {
		if ends(rest[i:]) {
			return i
		}
	}
	return len(rest)
}

// ends reports whether a value that is not in quotes ends before a text.
func ends(rest string) bool {
	switch rest[0] {
	case ' ', '\n', '"', '\'', '<', '`':
		return true
	case '\\':
		return strings.HasPrefix(rest, `\"`) || strings.HasPrefix(rest, `\n`)
	case '%':
		return strings.HasPrefix(rest, "%26")
	case ',', ';', '&', '|':
		return len(rest) == 1 || strings.IndexByte(" \n\"')]}", rest[1]) >= 0 || nextName.MatchString(head(rest))
	case ')', ']', '}', '>':
		return closing.MatchString(head(rest)) || len(rest) > 1 && nextName.MatchString(head(rest[1:]))
	}
	return false
}

// word reads the value of a name that nothing but a blank separates: of an argument, in quotes, or one that looks like
// a password.
func (v value) word(name string, to int) (found, bool) {
	rest := v.text[to:]
	value := strings.TrimLeft(rest, " ")
	if blanks := len(rest) - len(value); blanks == 0 || value == "" || value[0] == '\n' {
		return found{}, false
	}
	from := len(v.text) - len(value)
	switch {
	case strings.HasPrefix(name, "-"):
		return v.at(from, name)
	case !weak.MatchString(name):
		return found{}, false
	case value[0] == '\'' || value[0] == '"':
		if strings.HasSuffix(strings.ToLower(name), "token") {
			return found{}, false // what a parser did not expect
		}
		return v.at(from, name)
	}
	return v.said(value, name)
}

// said reads the value in a sentence, if it looks like a password.
func (v value) said(value, name string) (found, bool) {
	from := len(v.text) - len(value)
	if said := verb.FindString(head(value)); said != "" {
		from, value = from+len(said), value[len(said):]
	}
	const shortestSaid = 6
	end := v.run(value)
	if word := value[:end]; end < shortestSaid || !digit.MatchString(word) || !letter.MatchString(word) {
		return found{}, false
	}
	return v.at(from, name)
}
