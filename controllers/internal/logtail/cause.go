// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"regexp"
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// maxCause is how long a cause is at most, in bytes.
const maxCause = 256

const (
	traceback = "Traceback (most recent call last):"
	inThread  = "Exception in thread "
	causedBy  = "Caused by: "
)

var (
	// exceptionLine is the last line of a traceback of Python: a class and, mostly, a message.
	exceptionLine = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*(: .*)?$`)
	// fromJava are exceptions of Python that only pass one of Java on.
	fromJava = regexp.MustCompile(`^py4j\.protocol\.Py4J[A-Za-z]*Error: `)
	// refusal is what the API server says within an exception of its client: that a request is forbidden, that a pod is
	// invalid, or that a webhook denies it.
	refusal = regexp.MustCompile(`[a-z]+[a-z0-9.]* (?:"[^"]*" )?is forbidden: .*|Pod "[^"]*" is invalid: .*|admission webhook "[^"]*" denied the request.*`)
	// ended is what spark-submit and Python say of a program that they cannot run, and Python's argparse of its arguments.
	ended = regexp.MustCompile(`^(?:Error|\S*python\S*|\S+\.py: error): (.+)$`)
	// unreadable is what Python says of a main program that is not Python, without a traceback.
	unreadable = regexp.MustCompile(`^(?:SyntaxError|IndentationError|TabError): .+$`)
	// client is what the exception of the client adds to it.
	client = regexp.MustCompile(`\. Received status: .*|, metadata=ListMeta.*`)
)

// causeOf finds the line that says why a program failed, and what it says: the last exception of Python, where that only passes on one of
// Java, and for programs in Java, the innermost cause of the last exception. Without one it returns -1.
func causeOf(lines []string) (line int, text string) {
	line, text = lastPython(lines)
	if line < 0 || fromJava.MatchString(text) {
		if at, cause := innermost(lines, max(line, 0)); at >= 0 {
			line, text = at, cause
		}
	}
	if line < 0 {
		line, text = lastError(lines)
	}
	if found := refusal.FindString(text); found != "" {
		text = client.ReplaceAllString(found, "")
	}
	return line, redact.First(strings.TrimSpace(text), maxCause)
}

// lastPython returns the exception of the last traceback of the driver's own Python. Tracebacks within exceptions of Java begin behind their
// class.
func lastPython(lines []string) (int, string) {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] != traceback {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			if !strings.HasPrefix(lines[j], " ") && exceptionLine.MatchString(lines[j]) {
				return j, lines[j]
			}
		}
	}
	return -1, ""
}

// innermost returns the last cause of an exception of Java: of the one that ended a thread, or that begins after a line.
func innermost(lines []string, after int) (int, string) {
	line, text := -1, ""
	for i := after; i < len(lines); i++ {
		switch _, thrown, found := strings.Cut(lines[i], inThread); {
		case found:
			_, thrown, _ = strings.Cut(strings.TrimPrefix(thrown, `"`), `" `)
			line, text = i, thrown
		case strings.HasPrefix(lines[i], ": ") && line < 0 && after > 0: // what py4j passes on
			line, text = i, strings.TrimPrefix(lines[i], ": ")
		case strings.HasPrefix(lines[i], causedBy) && line >= 0:
			line, text = i, strings.TrimPrefix(lines[i], causedBy)
		}
	}
	if line >= 0 && strings.HasSuffix(text, traceback) {
		return withinJava(lines, line, text)
	}
	return line, text
}

// withinJava returns the exception of a traceback that is the message of an exception of Java.
func withinJava(lines []string, line int, text string) (int, string) {
	for j := line + 1; j < len(lines); j++ {
		if !strings.HasPrefix(lines[j], " ") && exceptionLine.MatchString(lines[j]) {
			return j, lines[j]
		}
	}
	return line, strings.TrimSuffix(text, traceback)
}

// lastError returns the last line in which the API server has refused a request of Spark, or with which Spark or Python has ended without
// an exception.
func lastError(lines []string) (int, string) {
	for i := len(lines) - 1; i >= 0; i-- {
		switch found := ended.FindStringSubmatch(lines[i]); {
		case found != nil:
			return i, found[1]
		case unreadable.MatchString(lines[i]), refusal.MatchString(lines[i]):
			return i, lines[i]
		}
	}
	return -1, ""
}
