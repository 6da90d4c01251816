// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every architecture that Go runs on (proc(5)).
const tick = time.Second / 100

// ProcessCPU returns the CPU time of the given processes so far.
func ProcessCPU(pids ...int) (time.Duration, error) {
	var total time.Duration
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, err
		}
		spent, err := parseProcessStat(string(data))
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		total += spent
	}
	return total, nil
}

// parseProcessStat returns the sum of utime and stime, fields 14 and 15. The command in field 2 may contain blanks and
// brackets.
func parseProcessStat(line string) (time.Duration, error) {
	_, rest, _ := strings.Cut(line[strings.LastIndexByte(line, ')')+1:], " ")
	// fields start at field 3.
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("only %d fields", len(fields)+2)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// treeCPU returns the CPU time of a process, including its children that have ended (fields 16 and 17) and those that
// run.
func treeCPU(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	own, err := parseProcessStat(string(data))
	if err != nil {
		return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
	for _, column := range strings.Fields(rest)[13:15] {
		n, err := strconv.ParseInt(column, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		own += time.Duration(n) * tick
	}
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, file := range children {
		// The thread may be gone.
		text, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(text)) {
			if number, err := strconv.Atoi(child); err == nil {
				// A process that has ended meanwhile is included in the next reading.
				of, _ := treeCPU(number)
				own += of
			}
		}
	}
	return own, nil
}

// MachineCPU returns the time that all CPUs of the machine were busy so far, for all processes.
func MachineCPU() (time.Duration, error) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return parseMachineStat(string(data))
}

// parseMachineStat adds the columns of the line "cpu": user, nice, system, irq and softirq. It leaves out idle and
// iowait, which are not busy; steal, which belongs to another machine; and guest, which is part of user.
func parseMachineStat(text string) (time.Duration, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 8 || fields[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var total int64
	for _, column := range []int{1, 2, 3, 6, 7} {
		n, err := strconv.ParseInt(fields[column], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/stat: %w", err)
		}
		total += n
	}
	return time.Duration(total) * tick, nil
}

// Resident returns the resident memory of a process, in bytes.
func Resident(pid int) (int64, error) { return memoryOf(pid, "VmRSS:") }

// Peak returns the highest resident memory of a process so far, in bytes.
func Peak(pid int) (int64, error) { return memoryOf(pid, "VmHWM:") }

func memoryOf(pid int, what string) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, what); ok {
			kibibytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, what)
}

// LoadAverage returns the first three figures of /proc/loadavg: runnable processes over 1, 5 and 15 minutes.
func LoadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// Processor returns the model of the CPUs.
func Processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// children returns the running processes that this one has started, with the name of their command.
func children() (map[int]string, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	found := map[int]string{}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			// It has ended.
			continue
		}
		if pid, parent, name := parseParent(string(data)); parent == os.Getpid() {
			found[pid] = name
		}
	}
	return found, nil
}

// parseParent returns fields 1, 4 and 2 of a line of /proc/PID/stat; zero values if it cannot be read.
func parseParent(line string) (pid, parent int, name string) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return 0, 0, ""
	}
	fields := strings.Fields(line[end+1:])
	if len(fields) < 2 {
		return 0, 0, ""
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(line[:open]))
	parent, _ = strconv.Atoi(fields[1])
	return pid, parent, line[open+1 : end]
}
