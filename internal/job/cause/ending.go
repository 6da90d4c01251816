// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"regexp"
	"slices"
	"strings"
)

const (
	traceback = "Traceback (most recent call last):"
	// group begins the traceback of an ExceptionGroup.
	group    = "  + Exception Group " + traceback
	inThread = `Exception in thread "`
	// ofWorkers is the file in which the processes begin that PySpark starts for tasks. Their ends are not the program's.
	ofWorkers = "/pyspark/daemon.py"
	// uncaught is the logger that says on the next line which exception ends a driver or an executor.
	uncaught = "SparkUncaughtExceptionHandler: "
)

var (
	// record matches a line of a log: Spark's, or of a logger with a date or the level first. Its groups are the level and
	// the text. A line of Spark's structured log has none of them.
	record = regexp.MustCompile(`^ ?(?:\{"ts":|(?:[\[(]?\d{2,4}[/-]\d\d[/-]?\d*.{0,60}? )?[\[(]?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b` +
		`(?: +[A-Z][\w.$]*:|:[\w.]+:|[\])|: -]*)(.*))`)
	severe = regexp.MustCompile(`^(?:ERROR|FATAL|CRITICAL)$`)
	// ofSpark matches a line of the log of Spark, or of a program in Java that uses Spark's logger.
	ofSpark = regexp.MustCompile(`^ ?\d\d/\d\d/\d\d `)
	// starts and stops match what a SparkContext logs at its beginning, and when it stops because the program has ended.
	starts = regexp.MustCompile(` SparkContext: Running Spark version `)
	stops  = regexp.MustCompile(` SparkContext: (?:SparkContext is stopping with exitCode -?\d+ from (?:stop at SparkSubmit|run at Executors)|Invoking stop\(\) from shutdown hook)| Shutdown hook called`)
	// survived matches what Python prints before a traceback that does not end the program.
	survived = regexp.MustCompile(`^(?:Exception ignored in|Exception in thread [^"]|Task exception was never retrieved|future: <|--- Logging error ---)`)
	// frame matches a line of a stack of Java.
	frame = regexp.MustCompile(`^\s+(?:at \S|\.\.\. \d+ (?:more|common frames))`)
	// effect matches exceptions that follow from an end that has another cause.
	effect = regexp.MustCompile(`Spark context stopped while waiting for backend|cancelled because SparkContext was shut down|Py4JNetworkError|^ConnectionRefusedError: |` +
		`^ConnectionResetError: |SparkContext has been shutdown|Answer from Java side is empty|SparkUserAppException|` +
		`Py4JError: An error occurred while calling \S+$|^Exception while sending command`)
)

// ending is what a log says about the end of its program, as far as it was read.
type ending struct {
	chain []string
	rank  rank
	// stopping reports that Spark has begun to shut down. What it logs then is an effect.
	stopping bool
	// local reports that the program has no executors.
	local bool
}

// rank orders what may end a program. What is above what comes later is kept.
type rank int

const (
	// said is the last line of the program itself.
	said rank = iota + 1
	// logged is an error that Spark logged, or that ended a thread of Java.
	logged
	// raised is the exception of a traceback, which later words of the program show to have been survived.
	raised
	// thrown is the exception that ended the main thread of Java, or all.
	thrown
)

// note replaces what is known of the end by what stands below it in the log.
func (e *ending) note(r rank, chain []string) {
	switch {
	case len(chain) == 0 || e.rank == thrown && r < raised:
	case slices.ContainsFunc(chain, effect.MatchString):
		if e.rank == said || e.rank == raised {
			e.chain, e.rank = nil, 0
		}
	case r == logged && e.rank == raised:
	default:
		if e.chain, e.rank = told(chain), r; e.local {
			e.chain[0] = strings.TrimPrefix(e.chain[0], inTask)
		}
	}
}

// take reads a block: lines up to the next that begins one.
func (e *ending) take(b []string) {
	switch first := b[0]; {
	case survived.MatchString(first), isTraceback(first) && len(b) > 1 && strings.Contains(b[1], ofWorkers):
		if i := slices.IndexFunc(b, isTraceback); i >= 0 {
			b = b[raisedAt(b, i)+1:]
		}
		e.say(b)
	case isTraceback(first):
		e.note(raised, ofPython(b))
	case strings.Contains(first, inThread):
		_, rest, _ := strings.Cut(first, inThread)
		thread, _, _ := strings.Cut(rest, `" `)
		switch {
		case e.stopping:
		case thread == "main":
			e.note(thrown, ofJava(b, 0))
		default:
			e.note(logged, ofJava(b, 0))
		}
		e.say(b[stackEnd(b):])
	default:
		e.takeRecord(b)
	}
}

// takeRecord reads a line of a log and what stands below it, or the beginning of the log.
func (e *ending) takeRecord(b []string) {
	found, end := record.FindStringSubmatch(b[0]), stackEnd(b)
	e.local = e.local || IsLocal(b[0])
	switch {
	case found == nil:
		e.takeBeginning(b[:end])
	case starts.MatchString(b[0]):
		e.stopping = false
	case stops.MatchString(b[0]):
		e.stopping = true
	case strings.Contains(b[0], uncaught) && len(b) > 1:
		e.note(thrown, ofJava(b, 1))
	case severe.MatchString(found[1]):
		e.takeError(b, found[2], end > 1)
	case found[1] != "WARN" && end > 1 && isJava(b[1]): // printed by the program
		e.note(said, ofJava(b, 1))
	}
	if found != nil {
		end = max(end, 1)
	}
	e.say(b[end:])
}

// takeError reads an error of a log, and the exception below it.
func (e *ending) takeError(b []string, text string, hasStack bool) {
	chain, r := []string{text}, said
	if hasStack && isJava(b[1]) {
		chain = append(chain, ofJava(b, 1)...)
	}
	if ofSpark.MatchString(b[0]) {
		r = logged
	}
	if !e.stopping {
		e.note(r, chain)
	}
}

// takeBeginning reads a stack at the beginning of a log, which may be cut.
func (e *ending) takeBeginning(b []string) {
	if i := slices.IndexFunc(b, isJava); i >= 0 {
		e.note(logged, ofJava(b, i))
	} else if slices.ContainsFunc(b, isResolving) {
		e.note(logged, []string{unresolved})
	}
}

// say notes the last words of the program among lines that are neither a log nor a stack.
func (e *ending) say(lines []string) {
	if chain := words(lines); chain != nil && !e.stopping {
		e.note(said, chain)
	}
}

// split divides a log into blocks. Each begins with a line of a log, a traceback, or an exception that ended a thread.
func split(lines []string) [][]string {
	var blocks [][]string
	begin, before := 0, ""
	for i, line := range lines {
		if i > begin && begins(line, before) {
			blocks = append(blocks, lines[begin:i])
			begin = i
		}
		if line != "" {
			before = line
		}
	}
	return append(blocks, lines[begin:])
}

// begins reports whether a line begins a block. A traceback does not if it belongs to what stands before it.
func begins(line, before string) bool {
	if isTraceback(line) {
		return !above.MatchString(before) && !fromWorker.MatchString(before) && !survived.MatchString(before)
	}
	return strings.Contains(line, inThread) || survived.MatchString(line) && !survived.MatchString(before) || record.MatchString(line)
}

func isTraceback(line string) bool { return line == traceback || line == group }

// isJava reports whether a line is the first of a Java exception, or of one that it was caused by.
func isJava(line string) bool {
	return strings.HasPrefix(line, causedBy) || exceptionLine.MatchString(line) && strings.Contains(line, ".")
}

// unresolved is the cause of an executor that does not find its driver. Kubernetes keeps so little of its log that the
// exception has no beginning, but a frame of Netty where it looks the name up.
const unresolved = "java.net.UnknownHostException: the name of the driver's Service has no address"

func isResolving(line string) bool {
	return strings.Contains(line, "AbstractChannel$AbstractUnsafe.register0(")
}

// stackEnd returns the index after the last line of a stack of Java.
func stackEnd(b []string) int {
	for i := len(b) - 1; i >= 0; i-- {
		if frame.MatchString(b[i]) {
			return i + 1
		}
	}
	return 0
}
