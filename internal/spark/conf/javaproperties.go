// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the properties as a file that Java reads back: one constant comment line, then one property per line in
// ascending order of keys, escaped as java.util.Properties does when it writes text (so that everything beyond ASCII
// stays readable).
func (p Properties) Text() string {
	const comment = "# Properties of one attempt, written by Sparkgate.\n"
	keys, size := make([]string, 0, len(p)), len(comment)
	for key, property := range p {
		const more = 8 // separator, end of line, and some escapes
		keys, size = append(keys, key), size+len(key)+len(property.Value)+more
	}
	slices.Sort(keys)
	var b strings.Builder
	b.Grow(size)
	b.WriteString(comment)
	for _, key := range keys {
		escape(&b, key, true)
		b.WriteByte('=')
		escape(&b, p[key].Value, false)
		b.WriteByte('\n')
	}
	return b.String()
}

// escape writes a key or value. Blanks are escaped everywhere in keys, but only at the beginning of values. What needs
// no escape is written in one piece.
func escape(b *strings.Builder, text string, key bool) {
	written := 0
	for i := range len(text) {
		letter := text[i]
		switch letter {
		case '\t':
			letter = 't'
		case '\n':
			letter = 'n'
		case '\r':
			letter = 'r'
		case '\f':
			letter = 'f'
		case ' ':
			if !key && i > 0 {
				continue
			}
		case '\\', '=', ':', '#', '!':
		default:
			continue
		}
		b.WriteString(text[written:i])
		b.WriteByte('\\')
		b.WriteByte(letter)
		written = i + 1
	}
	b.WriteString(text[written:])
}

// ParseFile reads a file of properties as Spark does: Java's format, of which only keys that begin with "spark." count;
// blanks around values are dropped. A later line replaces an earlier one with the same key.
func ParseFile(text string) map[string]string {
	values := map[string]string{}
	for key, value := range Parse(text) {
		if strings.HasPrefix(key, prefix) {
			values[key] = strings.TrimFunc(value, isBlank)
		}
	}
	return values
}

// isBlank says which characters Spark drops around a value: control characters and the space, but no line ends.
func isBlank(c rune) bool { return c <= ' ' && c != '\n' && c != '\r' }

// Parse reads Java's format of property files: comments begin with # or !, keys end at =, : or a blank, a backslash at
// the end of a line continues it. It accepts everything; a malformed escape stands for itself.
func Parse(text string) map[string]string {
	values := map[string]string{}
	for _, line := range logicalLines(text) {
		end := keyEnd(line)
		values[unescape(line[:end])] = unescape(valueOf(line[end:]))
	}
	return values
}

// logicalLines returns the lines without comments and empty ones, continued lines joined, leading blanks dropped. It
// takes time in proportion to the text, however often a line is continued: tenants write it.
func logicalLines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var lines []string
	var begun strings.Builder // a line that is continued
	continued := false
	for natural := range strings.SplitSeq(text, "\n") {
		natural = strings.TrimLeft(natural, " \t\f")
		if !continued && (natural == "" || natural[0] == '#' || natural[0] == '!') {
			continue
		}
		line, more := cutContinuation(natural)
		if begun.WriteString(line); !more {
			lines = append(lines, begun.String())
			begun.Reset()
		}
		continued = more
	}
	if continued {
		lines = append(lines, begun.String())
	}
	return lines
}

// cutContinuation removes the backslash that continues a line: the last one of an odd number.
func cutContinuation(line string) (string, bool) {
	slashes := len(line) - len(strings.TrimRight(line, `\`))
	if slashes%2 == 0 {
		return line, false
	}
	return line[:len(line)-1], true
}

// keyEnd returns where the key of a line ends: at the first =, : or blank that has no backslash before it.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// valueOf drops the separator: blanks, at most one = or :, blanks.
func valueOf(rest string) string {
	rest = strings.TrimLeft(rest, " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	return rest
}

// unescape resolves backslashes.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		i += writeEscaped(&b, text[i:])
	}
	return b.String()
}

// writeEscaped writes what follows a backslash, and returns how many further bytes it took.
func writeEscaped(b *strings.Builder, text string) int {
	switch text[0] {
	case 't':
		b.WriteByte('\t')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		return writeCode(b, text)
	default:
		b.WriteByte(text[0])
	}
	return 0
}

// codeLength is the length of an escape without its backslash: u and four digits.
const codeLength = 5

// writeCode is writeEscaped for text that begins with the u of a code. Two codes that are the halves of one character
// are that character; half a character alone becomes U+FFFD, since nothing in UTF-8 stands for it.
func writeCode(b *strings.Builder, text string) int {
	first, ok := codeOf(text)
	if !ok {
		b.WriteByte('u')
		return 0
	}
	if next, isEscape := strings.CutPrefix(text[codeLength:], `\`); isEscape {
		second, ok := codeOf(next)
		if whole := utf16.DecodeRune(first, second); ok && whole != utf8.RuneError {
			b.WriteRune(whole)
			return codeLength + codeLength
		}
	}
	b.WriteRune(first)
	return codeLength - 1
}

// codeOf reads u and four hexadecimal digits at the beginning of a text.
func codeOf(text string) (rune, bool) {
	if len(text) < codeLength || text[0] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(text[1:codeLength], 16, 16)
	return rune(code), err == nil
}
