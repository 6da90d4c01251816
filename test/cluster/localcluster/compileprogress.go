// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// errorLines is how much of a failed command's output is shown.
const errorLines = 30

// compileProgress counts what `go list` and `go build -v` print: one line for
// a package, or a download, or a message.
type compileProgress struct {
	mu        sync.Mutex
	packages  int
	total     int // packages in all, 0 while unknown
	downloads int
	messages  []string
}

// run executes the command and reports how far it is until it ends. The error
// holds the command's messages.
func (p *compileProgress) run(report *reporter, command *exec.Cmd) error {
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	read := make(chan struct{})
	go func() {
		defer close(read)
		scanner := bufio.NewScanner(reader)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.add(scanner.Text())
		}
		_, _ = io.Copy(io.Discard, reader) // a line too long must not block the command
	}()
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := report.during(p.line, func() error {
		// The signal comes when the thread that started the command ends:
		// keep it, so that only the end of this process counts.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return command.Run()
	})
	_ = writer.Close() // cannot fail
	<-read
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(p.messages, "\n"))
	}
	return nil
}

// count runs a command that lists packages: those in all.
func (p *compileProgress) count(report *reporter, list *exec.Cmd) error {
	if err := p.run(report, list); err != nil {
		return err
	}
	p.total, p.packages = p.packages, 0
	return nil
}

func (p *compileProgress) add(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.downloads++
	case line != "" && !strings.ContainsAny(line, " \t"):
		p.packages++
	default:
		p.messages = append(p.messages, line)
		if len(p.messages) > errorLines {
			p.messages = p.messages[1:]
		}
	}
}

func (p *compileProgress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.total == 0:
		return fmt.Sprintf("resolving modules: %d downloaded", p.downloads)
	case p.packages == 0:
		return fmt.Sprintf("checking %d packages against the build cache, or linking", p.total)
	}
	return fmt.Sprintf("compiling: %d packages so far, %d in all less those already in the build cache", p.packages, p.total)
}
