// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// value reads the value that follows a name.
type value struct {
	text string
	// opener is the quote that encloses both name and value; empty if there is none.
	opener string
	// wide values continue after blanks; cell values end at a bar.
	wide, cell bool
	// indent is the indentation of the line with the name.
	indent int
}

// maxValue is the largest size of a value in quotes or brackets, in bytes; an end beyond it is not searched for.
const maxValue = 16 << 10

// quotes are the quotes that may enclose a value, longest first.
var quotes = []string{`"""`, `'''`, `\\\"`, `\"`, `"`, `'`, "`", "&quot;", "&#34;", "%22"}

var (
	// wrapper matches what languages put around values: Some(…), Optional[…], b'…', SecretStr('…').
	wrapper = regexp.MustCompile(`^(?:\w+[(\[]|[bur]{1,2}["'])`)
	// block matches the start of a YAML block scalar, whose text is on the lines below.
	block = regexp.MustCompile(`^[|>][+-]?[0-9]?[ ]*\n`)
	// nested matches the start of a value that has parts of its own.
	nested = regexp.MustCompile(`^(?:\w*(?:Map|List|Array|Seq|Vector|Set)\(|\{|\[)`)
	// nextName matches the start of the next value of a list.
	nextName = regexp.MustCompile(`^[,;&|] ?\\?["']?[\w.$-]+\\?["']? ?(?:=|:|->|,)`)
	closing  = regexp.MustCompile(`^[)\]}>,;."'|]*(?:\s|$)`)
	verb     = regexp.MustCompile(`^(?:is|was|to):? `)
	digit    = regexp.MustCompile(`[0-9]`)
	letter   = regexp.MustCompile(`[A-Za-z]`)
)

// at reads the value that starts at index from.
func (v value) at(from int, name string) (found, bool) {
	rest := v.text[from:]
	if start := block.FindString(head(rest)); start != "" {
		return v.lines(from + len(start))
	}
	if trimmed := strings.TrimLeft(rest, " \n"); len(rest)-len(trimmed) > 0 && startsWithQuote(trimmed) {
		// A pretty-printed document.
		from += len(rest) - len(trimmed)
		rest = trimmed
	}
	if left, hidden := strings.CutPrefix(rest, Masked); hidden {
		// The rest of a value that was hidden only in part.
		more := v.run(left)
		return found{from, from + len(Masked) + more, left[:more]}, more > 0
	}
	end, bare := v.end(rest)
	if harmless.MatchString(bare) || isCount(name, bare) {
		return found{}, false
	}
	return found{from, from + end, bare}, true
}

// isCount reports whether a value is a number of tokens, or the lifetime of one.
func isCount(name, bare string) bool {
	const maxCount = 8
	return len(bare) <= maxCount && numeric.MatchString(bare) && strings.Contains(strings.ToLower(name), "token") && !strings.Contains(strings.ToLower(name), "secret")
}

// lines reads the lines below the name that are indented deeper than it.
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

// end returns the index at which a value ends, and the value without quotes or brackets.
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

// quoted reads a value in quotes. A value without a closing quote ends with its line.
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

// balanced returns the index after the bracket that closes the first bracket of a text; 0 if it is not closed.
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

// unquoted returns the index at which a value without quotes ends.
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

// goesOn reports whether a value may continue after a blank: to the end of its line, or of the quotes around name and
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

// run returns the length of a word of a value: up to a blank, a quote, or whatever ends a value in the format that it
// is written in.
func (v value) run(rest string) int {
	for i := range len(rest) {
		if ends(rest[i:]) {
			return i
		}
	}
	return len(rest)
}

// ends reports whether a value without quotes ends where the given text starts.
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

// word reads a value that only a blank separates from its name: that of an argument, one in quotes, or one that looks
// like a password.
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
			// Text of a parser about an unexpected token.
			return found{}, false
		}
		return v.at(from, name)
	}
	return v.inSentence(value, name)
}

// inSentence reads the value in a sentence, if it looks like a password.
func (v value) inSentence(value, name string) (found, bool) {
	from := len(v.text) - len(value)
	if verbText := verb.FindString(head(value)); verbText != "" {
		from, value = from+len(verbText), value[len(verbText):]
	}
	const minPassword = 6
	end := v.run(value)
	if word := value[:end]; end < minPassword || !digit.MatchString(word) || !letter.MatchString(word) {
		return found{}, false
	}
	return v.at(from, name)
}
