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

// Text returns the properties as a file in Java's format: a constant comment, then one property per line, sorted by key
// and escaped as java.util.Properties does when it writes text, so that characters beyond ASCII stay readable.
func (p Properties) Text() string {
	const comment = "# Properties of one attempt, written by Sparkgate.\n"
	keys, size := make([]string, 0, len(p)), len(comment)
	for key, property := range p {
		// separator, end of line, and some escapes
		const more = 8
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

// escape writes a key or a value. Blanks are escaped everywhere in a key, but only at the beginning of a value. Text
// without special characters is written in one piece.
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

// ParseFile reads a properties file as Spark does: in Java's format, keeping only keys that begin with "spark." and
// removing blanks around values. If a key occurs several times, the last line wins.
func ParseFile(text string) map[string]string {
	values := map[string]string{}
	for key, value := range Parse(text) {
		if strings.HasPrefix(key, prefix) {
			values[key] = strings.TrimFunc(value, isBlank)
		}
	}
	return values
}

// isBlank reports whether Spark removes a character around a value: control characters and the space, but not line
// ends.
func isBlank(c rune) bool { return c <= ' ' && c != '\n' && c != '\r' }

// Parse reads Java's properties format: comments begin with # or !, keys end at =, : or a blank, and a backslash at the
// end of a line continues it. It has no errors; a malformed escape is taken literally.
func Parse(text string) map[string]string {
	values := map[string]string{}
	for _, line := range logicalLines(text) {
		end := keyEnd(line)
		values[unescape(line[:end])] = unescape(valueOf(line[end:]))
	}
	return values
}

// logicalLines returns the lines without comments, empty lines and leading blanks, with continued lines joined. Tenants
// write the text, so its running time must stay linear however often a line is continued.
func logicalLines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var lines []string
	var begun strings.Builder // the beginning of a line that is continued
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

// cutContinuation removes the backslash that continues a line, which is the last of an odd number of backslashes. It
// reports whether there was one.
func cutContinuation(line string) (string, bool) {
	slashes := len(line) - len(strings.TrimRight(line, `\`))
	if slashes%2 == 0 {
		return line, false
	}
	return line[:len(line)-1], true
}

// keyEnd returns the index at which the key of a line ends: at the first =, : or blank that is not escaped.
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

// valueOf removes the separator before a value: blanks, at most one = or :, blanks.
func valueOf(rest string) string {
	rest = strings.TrimLeft(rest, " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	return rest
}

// unescape replaces the escapes in a key or value.
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

// writeEscaped writes the character that an escape stands for; text follows its backslash. It returns how many bytes
// the escape has after the first one.
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

// codeLength is the length of an escape \uXXXX without its backslash.
const codeLength = 5

// writeCode is writeEscaped for \uXXXX. Two of them that form a surrogate pair become one character; half of a pair
// alone becomes U+FFFD, because UTF-8 cannot represent it.
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
