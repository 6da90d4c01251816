// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// ended matches what spark-submit, R and Python print about a program that they cannot run, and Python's argparse
	// about arguments.
	ended = regexp.MustCompile(`^(?:Error(?: in query)?|\S*python\S*|\S+: error): (.+)$`)
	// crash matches what Java and Python print when they crash.
	crash = regexp.MustCompile(`^(?:# +)?((?:Terminating due to |There is insufficient memory |SIG[A-Z]+ \(|Fatal Python error: ).*)$`)
	// exception matches an exception without a traceback, as Python prints it about a main program that is not Python.
	exception = regexp.MustCompile(`^[A-Z][\w.]*(?:Error|Exception): .+$`)
	// noise matches lines that neither the program nor the cause of its end has written: what the shell of Spark's image,
	// Java, loggers and Ivy print, and tables.
	noise = regexp.MustCompile(`^\+|--driver-url |^Picked up |VM warning: |^WARNING: |^SLF4J|^log4j|^Setting |^To adjust |^Using Spark's |^Welcome to|` +
		`^:|^\[Stage |^\||^#|^\[[\d.]+s\]\[(?:info|debug)|Warning: |^Ivy |^The jars for |^The output of |^[\d.]+ artifacts|^Exception ignored|^usage: |^Run with --help`)
	wordy = regexp.MustCompile(`\p{L}`)
	// notStarted matches how Java says that it did not start. The first line says why.
	notStarted = regexp.MustCompile(`^Error: Could not create the Java Virtual Machine|^Error occurred during initialization of |agent library failed|^Error: Could not find or load main class`)
	// empty matches lines of that kind that carry nothing.
	empty = regexp.MustCompile(`^Error: (?:Could not create the Java|A fatal exception)|^Error occurred during initialization of `)
	// ofJVM matches what Java's own log puts before a line.
	ofJVM = regexp.MustCompile(`^\[[\d.]+s\]\[\w+\s*\]\[[\w,]+\s*\] `)
	// unreached matches how Ivy says in its report that it has not reached a repository.
	unreached = regexp.MustCompile(`Host \S+ not found|Server access [Ee]rror.*`)
)

// LastLine begins the last line of a program, where nothing says that it is the cause of its end.
const LastLine = "its last line: "

// words returns the last words of a program: what says that it is an error, else the last line.
func words(lines []string) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "" || noise.MatchString(line) && !crash.MatchString(line) })
	if n := len(lines); n > 0 && lines[n-1] == "Execution halted" {
		return ofR(lines[:n-1])
	}
	for _, line := range slices.Backward(lines) {
		switch found := append(ended.FindStringSubmatch(line), crash.FindStringSubmatch(line)...); {
		case found != nil:
			return found[1:2]
		case exception.MatchString(line), refusal.MatchString(line):
			return []string{line}
		}
	}
	for _, line := range slices.Backward(lines) {
		if wordy.MatchString(line) && !strings.HasPrefix(line, " ") {
			return []string{LastLine + strings.Trim(line, "│ ")}
		}
	}
	return nil
}

// ofR returns the error that ended a program in R, and what a warning says about it.
func ofR(lines []string) (chain []string) {
	for i, line := range lines {
		if strings.HasPrefix(line, "Error") || strings.HasPrefix(line, "In addition: ") && len(chain) > 0 {
			if chain = append(chain, strings.TrimPrefix(line, "Error: ")); strings.HasPrefix(line, "In addition: ") {
				chain[len(chain)-1] = ""
			}
			for _, more := range lines[i+1:] {
				if !strings.HasPrefix(more, " ") && !strings.HasSuffix(more, " :") {
					break
				}
				chain[len(chain)-1] = strings.TrimSpace(chain[len(chain)-1] + " " + strings.TrimSpace(more))
			}
		}
	}
	return chain
}

// unstarted returns why a JVM has not started: the first line that says something.
func unstarted(lines []string) []string {
	at := slices.IndexFunc(lines, notStarted.MatchString)
	if at < 0 || slices.ContainsFunc(lines, record.MatchString) {
		return nil
	}
	for _, line := range lines {
		if line != "" && !noise.MatchString(line) && !empty.MatchString(line) {
			return []string{strings.TrimPrefix(ofJVM.ReplaceAllString(line, ""), "Error: ")}
		}
	}
	return nil
}

// detailed adds to dependencies that were not found that their repository was not reached.
func detailed(chain, lines []string) []string {
	if len(chain) == 0 || !strings.Contains(chain[0], "unresolved dependency") {
		return chain
	}
	for _, line := range lines {
		if found := unreached.FindString(line); found != "" {
			return append(chain, found)
		}
	}
	return chain
}
