// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// maxCause is the maximum length of a cause, in bytes.
const maxCause = 256

const (
	traceback = "Traceback (most recent call last):"
	inThread  = "Exception in thread "
	causedBy  = "Caused by: "
	// gaveUp is what Spark logs before it ends because too many executors have failed (ExecutorPodsLifecycleManager). What its
	// other threads say then follows from that.
	gaveUp = "Max number of executor failures ("
)

var (
	// exceptionLine matches the last line of a Python traceback: a class and usually a message.
	exceptionLine = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*(: .*)?$`)
	// fromJava matches Python exceptions that only pass on an exception of Java.
	fromJava = regexp.MustCompile(`^py4j\.protocol\.Py4J[A-Za-z]*Error: `)
	// refusal matches the API server's answer within an exception of its client: a request is forbidden, a pod is
	// invalid, or a webhook denies it.
	refusal = regexp.MustCompile(`[a-z]+[a-z0-9.]* (?:"[^"]*" )?is forbidden: .*|Pod "[^"]*" is invalid: .*|admission webhook "[^"]*" denied the request.*`)
	// ended matches what spark-submit and Python print about a program that they cannot run, and Python's argparse
	// about arguments.
	ended = regexp.MustCompile(`^(?:Error|\S*python\S*|\S+\.py: error): (.+)$`)
	// unreadable matches what Python prints, without a traceback, about a main program that is not Python.
	unreadable = regexp.MustCompile(`^(?:SyntaxError|IndentationError|TabError): .+$`)
	// client matches what the client's exception adds to the API server's answer.
	client = regexp.MustCompile(`\. Received status: .*|, metadata=ListMeta.*`)
)

// causeOf finds the line that says why a program failed, and what it says: the last exception of Python, where that only passes on one of
// Java, and for programs in Java, the innermost cause of the last exception that adds to it; and where Spark has given up, why the API server
// refused its executors. Without one it returns -1.
func causeOf(lines []string) (line int, text string) {
	line, text = lastRefused(lines)
	if line < 0 {
		line, text = lastPython(lines)
	}
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

// lastRefused returns the last line, before Spark gave up, with which the API server refused an executor.
func lastRefused(lines []string) (int, string) {
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, gaveUp) })
	for i := at; i >= 0; i-- {
		if refusal.MatchString(lines[i]) {
			return i, lines[i]
		}
	}
	return -1, ""
}

// lastPython returns the exception of the last traceback of the driver's own Python code. Tracebacks inside of Java
// exceptions do not count; they start after a class name on the same line.
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

// innermost returns the last cause of a Java exception, which either ended a thread or starts after the given line; of
// causes that it repeats, the exception itself.
func innermost(lines []string, after int) (int, string) {
	line, text := -1, ""
	for i := after; i < len(lines); i++ {
		switch _, thrown, found := strings.Cut(lines[i], inThread); {
		case found:
			_, thrown, _ = strings.Cut(strings.TrimPrefix(thrown, `"`), `" `)
			line, text = i, thrown
		case strings.HasPrefix(lines[i], ": ") && line < 0 && after > 0: // passed on by py4j
			line, text = i, strings.TrimPrefix(lines[i], ": ")
		case strings.HasPrefix(lines[i], causedBy) && line >= 0:
			if cause := strings.TrimPrefix(lines[i], causedBy); !repeats(text, cause) {
				line, text = i, cause
			}
		}
	}
	if line >= 0 && strings.HasSuffix(text, traceback) {
		return withinJava(lines, line, text)
	}
	return line, text
}

// repeats reports whether an exception with a location has the message of its cause in its own: clients of object stores
// add what they were doing, and where, to what the store has answered. The exceptions of Spark add more than can be
// quoted.
func repeats(text, cause string) bool {
	_, message, found := strings.Cut(cause, ": ")
	return found && strings.Contains(text, "://") && strings.Contains(text, message) && !strings.HasPrefix(text, "org.apache.spark.")
}

// withinJava returns the exception of a traceback that is the message of a Java exception.
func withinJava(lines []string, line int, text string) (int, string) {
	for j := line + 1; j < len(lines); j++ {
		if !strings.HasPrefix(lines[j], " ") && exceptionLine.MatchString(lines[j]) {
			return j, lines[j]
		}
	}
	return line, strings.TrimSuffix(text, traceback)
}

// lastError returns the last line that shows that the API server refused a request of Spark, or that Spark or Python
// ended without an exception.
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
