// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"regexp"
	"slices"
	"strings"
)

const (
	causedBy = "Caused by: "
	// jvmStack is what PySpark writes between an exception of Java and its stack.
	jvmStack = "JVM stacktrace:"
)

// inTask begins the cause of a failure on an executor.
const inTask = "in a task on an executor: "

var (
	// exceptionLine matches the last line of a Python traceback, or the first of a Java exception: a class and usually a message.
	exceptionLine = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_.$<>]*(: .*|:)?$`)
	// above matches what Python prints between an exception and the one that it caused.
	above = regexp.MustCompile(`^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$`)
	// fromWorker matches what PySpark writes before an exception of a task in Python.
	fromWorker = regexp.MustCompile(`^ +An exception was thrown from the Python worker`)
	// fromJava matches Python exceptions that only pass on an exception of Java.
	fromJava = regexp.MustCompile(`^py4j\.protocol\.Py4J[A-Za-z]*Error: `)
	// wrapper matches a Java exception whose message is nothing but another exception.
	wrapper = regexp.MustCompile(`^[\w.$]+: $`)
	// bars match what stands before a line of an exception group.
	bars = regexp.MustCompile(`^[ |+]*\| `)
	// stage and query match what Spark puts before the cause that ended a job or a query.
	stage = regexp.MustCompile(`^.*?Job aborted due to stage failure: (?:Task \S+ in stage .*?most recent failure: Lost task .*?\(TID \d+\) \(\S+ executor (\w+)\): )?`)
	query = regexp.MustCompile(`\[STREAM_FAILED\] Query \[.*?\] terminated with exception: `)
	// bare matches an exception without a message, hollow one that is so and says nothing by its class either.
	bare   = regexp.MustCompile(`^[\w.$]+(?:: Exception thrown in awaitResult)?:?$`)
	hollow = regexp.MustCompile(`\.(?:EOFException|ClosedChannelException|TimeoutException|InvocationTargetException|UndeclaredThrowableException|ExecutionException|ExceptionInInitializerError)$`)
	// names matches one of Spark's error classes, whose message says all.
	names = regexp.MustCompile(`^\S+: \[[A-Z][A-Z_.]+\] `)
	// wraps matches those whose message only says what was done.
	wraps = regexp.MustCompile(`\[(?:FAILED_EXECUTE_UDF|FAILED_READ_FILE|TASK_WRITE_FAILED|FOREACH_|STREAM_FAILED|INTERNAL_ERROR|CANNOT_)[A-Z_.]*\]`)
)

// ofPython returns the exception of a block that begins with a traceback, and those that caused it. If it only passes on
// one of Java, that is it.
func ofPython(b []string) []string {
	var chain []string
	last := 0
	for i, line := range b {
		if !isTraceback(line) {
			continue
		}
		if j := raisedAt(b, i); j >= 0 {
			chain, last = append([]string{textAt(b, j)}, chain...), j
			if line == group {
				chain = append(chain[:1:1], memberOf(b[j+1:])...)
			}
		}
	}
	if len(chain) == 0 {
		return nil
	}
	if slices.ContainsFunc(b, fromWorker.MatchString) { // the first traceback only passes on the next ones
		chain = append([]string{inTask + chain[0]}, chain[1:len(chain)-1]...)
	}
	if i := slices.Index(b, jvmStack); i >= 0 && i+1 < len(b) {
		return append(chain[:1:1], ofJava(b, i+1)[1:]...)
	}
	if fromJava.MatchString(chain[0]) {
		if i := slices.IndexFunc(b[last:], func(line string) bool { return strings.HasPrefix(line, ": ") }); i >= 0 {
			return ofJava(b, last+i)
		}
	}
	return chain
}

// raisedAt returns the line with the exception of the traceback that begins at a line; -1 if there is none.
func raisedAt(b []string, begin int) int {
	for j := begin + 1; j < len(b); j++ {
		if strings.HasPrefix(b[j], "  | ") && b[begin] == group && exceptionLine.MatchString(b[j][4:]) {
			return j
		}
		if !strings.HasPrefix(b[j], " ") && exceptionLine.MatchString(b[j]) {
			return j
		}
	}
	return -1
}

// memberOf returns the first exception of a group.
func memberOf(b []string) []string {
	for _, line := range b {
		if text := bars.ReplaceAllString(line, ""); text != line && exceptionLine.MatchString(text) && text != traceback {
			return []string{text}
		}
	}
	return nil
}

// textAt returns the exception at a line. If its message is a traceback of Python, it is the exception of that; if the
// message begins on the next line, that follows.
func textAt(b []string, i int) string {
	text := strings.TrimPrefix(bars.ReplaceAllString(b[i], ""), causedBy)
	if before, python := strings.CutSuffix(text, traceback); python {
		if j := raisedAt(b, i); j >= 0 {
			if task := stage.FindString(before); task != "" {
				return task + textAt(b, j)
			}
			return textAt(b, j)
		}
	}
	if strings.HasSuffix(text, ":") && i+1 < len(b) && !frame.MatchString(b[i+1]) {
		text += " " + strings.TrimSpace(b[i+1])
	}
	return text
}

// ofJava returns the Java exception at a line of a block, and its causes.
func ofJava(b []string, i int) []string {
	text := textAt(b, i)
	if _, thrown, found := strings.Cut(text, inThread); found {
		_, text, _ = strings.Cut(thrown, `" `)
	}
	chain := []string{strings.TrimPrefix(text, ": ")}
	for j := i + 1; j < len(b); j++ {
		if strings.HasPrefix(b[j], causedBy) {
			chain = append(chain, textAt(b, j))
		}
	}
	return chain
}

// told returns what a chain of exceptions says. An exception gives way to the one that it wraps, and a cause that carries
// nothing to the exception that it caused.
func told(chain []string) []string {
	var out []string
	task := false
	for i, text := range chain {
		if found := stage.FindStringSubmatch(text); found != nil {
			task = task || found[1] != "" && found[1] != "driver"
			text = text[len(found[0]):]
		}
		text = stage.ReplaceAllString(query.ReplaceAllString(text, ""), "")
		root := i == len(chain)-1
		if carriesNothing(text, root) && (!root || len(out) > 0) {
			continue
		}
		out = below(out, text)
		if names.MatchString(text) && !wraps.MatchString(text) {
			break
		}
	}
	if task && len(out) > 0 {
		out[0] = inTask + out[0]
	}
	return out
}

// carriesNothing reports whether an exception has no message, and, as the root of a chain, no class that says something.
func carriesNothing(text string, root bool) bool {
	return bare.MatchString(text) && (!root || hollow.MatchString(text))
}

// below adds a cause to a chain. If an exception repeats it, as clients of object stores do, one of the two says all: the
// cause, if the exception adds nothing or is Spark's, which adds more than can be quoted.
func below(chain []string, cause string) []string {
	_, message, _ := strings.Cut(cause, ": ")
	for i, text := range chain {
		before, _, repeats := strings.Cut(text, cause)
		switch {
		case repeats && (wrapper.MatchString(before) || strings.HasPrefix(text, "org.apache.spark.")):
			chain[i] = cause
			return chain
		case repeats, message != "" && strings.Contains(text, message):
			return chain
		}
	}
	return append(chain, cause)
}
