// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// MaxBytes is the maximum length of a cause, in bytes.
const MaxBytes = 512

// maxText bounds what is read of one exception, in bytes. Text is masked before it is cut to MaxBytes, because part of a
// secret would not be recognized.
const maxText = 8 << 10

const (
	traceback = "Traceback (most recent call last):"
	inThread  = "Exception in thread "
	// uncaught is the logger that says on the next line which exception ends a driver or an executor.
	uncaught = " SparkUncaughtExceptionHandler: "
	causedBy = "Caused by: "
	// gaveUp is what Spark logs before it ends because too many executors have failed (ExecutorPodsLifecycleManager). What its
	// other threads say then follows from that.
	gaveUp = "Max number of executor failures ("
)

var (
	// exceptionLine matches the last line of a Python traceback, or the first of a Java exception: a class and usually a message.
	exceptionLine = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.$]*(: .*)?$`)
	// above matches what Python prints between an exception and the one that it caused.
	above = regexp.MustCompile(`^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$`)
	// fromJava matches Python exceptions that only pass on an exception of Java.
	fromJava = regexp.MustCompile(`^py4j\.protocol\.Py4J[A-Za-z]*Error: `)
	// wrapper matches a Java exception whose message is nothing but another exception.
	wrapper = regexp.MustCompile(`^[\w.$]+: $`)
	// refusal matches the API server's answer within an exception of its client: a request is forbidden, a pod is
	// invalid, or a webhook denies it.
	refusal = regexp.MustCompile(`[a-z]+[a-z0-9.]* (?:"[^"]*" )?is forbidden: .*|Pod "[^"]*" is invalid: .*|admission webhook "[^"]*" denied the request.*`)
	// ended matches what spark-submit and Python print about a program that they cannot run, and Python's argparse
	// about arguments.
	ended = regexp.MustCompile(`^(?:Error|\S*python\S*|\S+\.py: error): (.+)$`)
	// unreadable matches what Python prints, without a traceback, about a main program that is not Python.
	unreadable = regexp.MustCompile(`^(?:SyntaxError|IndentationError|TabError): .+$`)
	// silent matches what Kubernetes' Java client says about an API server that does not answer.
	silent = regexp.MustCompile(`KubernetesClientException: .*(?:timeout of \d+ ms has been exceeded|timed out|[Tt]imeout|Failed to connect|Connection refused|UnknownHost)`)
	// client matches what the client's exception adds to the API server's answer.
	client = regexp.MustCompile(`\. Received status: .*|, metadata=ListMeta.*`)
)

// LocalMode says that a program runs without executors.
const LocalMode = `the program runs in Spark's local mode, without executors: remove .master("local…") from it, or ask for none by spark.kubernetes.driver.master: local[…] in spec.sparkConf`

// localExecutor is what Spark logs at the start of a session in local mode (org.apache.spark.executor.Executor).
const localExecutor = "Starting executor ID driver on host "

// IsLocal reports whether a log says that its program runs in local mode. Spark logs that at the start of a session.
func IsLocal(log string) bool { return strings.Contains(log, localExecutor) }

// IsAPIServerSilent reports whether a program failed because the API server did not answer it.
func IsAPIServerSilent(cause string) bool { return silent.MatchString(cause) }

// Find returns why a program failed, according to the end of its log, in one line of at most MaxBytes bytes, with what
// the log itself calls secret masked; empty if the log does not say it. That is the exception of the last traceback of
// Python; where it only passes on an exception of Java, and for programs in Java, the exception that ended the last
// thread; and where Spark has given up, why the API server refused its executors. The exceptions below it follow, each
// after "Caused by: ", the root last.
func Find(log string) string { return strings.Clone(find(log)) } // the log need not stay in memory

func find(log string) string {
	lines := strings.Split(redact.Printable(log), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	chain := refusedExecutor(lines)
	if chain == nil {
		chain = exceptions(lines)
	}
	if chain == nil {
		chain = lastError(lines)
	}
	for i, text := range chain {
		text = redact.First(text, maxText)
		if found := refusal.FindString(text); found != "" {
			return redact.First(redact.Mask(client.ReplaceAllString(found, "")), MaxBytes)
		}
		chain[i] = redact.Mask(strings.TrimSpace(text))
	}
	return join(chain)
}

// join returns the exceptions of a chain in one line. If that is too long, it leaves out those between the first and the
// root, and then cuts the first.
func join(chain []string) string {
	const separator = "; " + causedBy
	if text := strings.Join(chain, separator); len(text) <= MaxBytes || len(chain) < 2 {
		return redact.First(text, MaxBytes)
	}
	first, root := chain[0], chain[len(chain)-1]
	first = redact.First(first, max(MaxBytes-len(separator)-len(root), MaxBytes/3))
	return redact.First(first+separator+root, MaxBytes)
}

// refusedExecutor returns the last line, before Spark gave up, with which the API server refused an executor.
func refusedExecutor(lines []string) []string {
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, gaveUp) })
	for i := at; i >= 0; i-- {
		if refusal.MatchString(lines[i]) {
			return lines[i : i+1]
		}
	}
	return nil
}

// exceptions returns the exception that ended the program, and its causes.
func exceptions(lines []string) []string {
	at, chain := ofPython(lines)
	if chain == nil || fromJava.MatchString(chain[0]) {
		if java := ofJava(lines, at); java != nil {
			return java
		}
	}
	return chain
}

// ofPython returns the exception of the last traceback of the driver's own Python code, and those that caused it; at is
// its line. Tracebacks inside of Java exceptions do not count; they start after a class name on the same line.
func ofPython(lines []string) (at int, chain []string) {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] != traceback {
			continue
		}
		j := raised(lines, i)
		switch {
		case j < 0:
			continue
		case chain == nil:
			at = j
		case !isCause(lines[j+1:]):
			return at, chain
		}
		chain = append(chain, lines[j])
	}
	return at, chain
}

// raised returns the line with the exception of the traceback that begins at a line; -1 if there is none.
func raised(lines []string, begin int) int {
	for j := begin + 1; j < len(lines); j++ {
		if !strings.HasPrefix(lines[j], " ") && exceptionLine.MatchString(lines[j]) {
			return j
		}
	}
	return -1
}

// isCause reports whether the exception before these lines caused the next one.
func isCause(rest []string) bool {
	for _, line := range rest {
		if above.MatchString(line) || line == traceback {
			return line != traceback
		}
	}
	return false
}

// ofJava returns the last Java exception that either ended a thread or is passed on by the Python exception at a line, and
// its causes.
func ofJava(lines []string, after int) []string {
	var chain []string
	for i := after; i < len(lines); i++ {
		_, thrown, found := strings.Cut(lines[i], inThread)
		switch {
		case found:
			_, thrown, _ = strings.Cut(strings.TrimPrefix(thrown, `"`), `" `)
			chain = []string{withinJava(lines, i, thrown)}
		case strings.Contains(lines[i], uncaught) && i+1 < len(lines) && exceptionLine.MatchString(lines[i+1]):
			chain = []string{withinJava(lines, i+1, lines[i+1])}
		case strings.HasPrefix(lines[i], ": ") && chain == nil && after > 0: // passed on by py4j
			chain = []string{withinJava(lines, i, strings.TrimPrefix(lines[i], ": "))}
		case strings.HasPrefix(lines[i], causedBy) && chain != nil:
			chain = below(chain, withinJava(lines, i, strings.TrimPrefix(lines[i], causedBy)))
		}
	}
	return chain
}

// below adds a cause to a chain. If an exception repeats it, as clients of object stores do, one of the two says all: the
// cause, if the exception adds nothing or is Spark's, which adds more than can be quoted.
func below(chain []string, cause string) []string {
	for i, text := range chain {
		before, _, repeats := strings.Cut(text, cause)
		if !repeats {
			continue
		}
		if wrapper.MatchString(before) || strings.HasPrefix(text, "org.apache.spark.") {
			chain[i] = cause
		}
		return chain
	}
	return append(chain, cause)
}

// withinJava returns the exception of the Python traceback that is the message of a Java exception, else the text of that
// exception.
func withinJava(lines []string, line int, text string) string {
	text, python := strings.CutSuffix(text, traceback)
	if !python {
		return text
	}
	if j := raised(lines, line); j >= 0 {
		return lines[j]
	}
	return text
}

// lastError returns the last line that shows that the API server refused a request of Spark, or that Spark or Python
// ended without an exception.
func lastError(lines []string) []string {
	for i := len(lines) - 1; i >= 0; i-- {
		switch found := ended.FindStringSubmatch(lines[i]); {
		case found != nil:
			return found[1:]
		case unreadable.MatchString(lines[i]), refusal.MatchString(lines[i]):
			return lines[i : i+1]
		}
	}
	return nil
}
