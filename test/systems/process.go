// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	// tailBytes is the number of bytes of a log that are shown.
	tailBytes = 6000
	// endPatience is how long a program may take to end after a signal.
	endPatience = 30 * time.Second
)

// process is a program that may be started repeatedly. Its output is appended to one file. It does not outlive the
// test.
type process struct {
	command []string // program and arguments
	env     []string // added to that of the test
	log     string   // file

	running *exec.Cmd
	ended   chan struct{}
	err     error // of the end, set before ended is closed
}

// name returns the name of the program.
func (p *process) name() string { return filepath.Base(p.command[0]) }

// start starts the program.
func (p *process) start() error {
	if p.alive() {
		return fmt.Errorf("%s runs already", p.name())
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// The program has its own copy.
	defer log.Close()
	command := exec.Command(p.command[0], p.command[1:]...)
	command.Env = append(os.Environ(), p.env...)
	command.Dir = filepath.Dir(p.log)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.running, p.ended, p.err = command, make(chan struct{}), nil
	started := make(chan error)
	go p.run(started)
	err = <-started
	if err != nil {
		<-p.ended
	}
	return err
}

// run starts the program and waits for its end. The thread that starts it is kept: the program is killed when that thread ends.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	if p.err = p.running.Start(); p.err != nil {
		started <- fmt.Errorf("start %s: %w", p.name(), p.err)
		return
	}
	close(started)
	p.err = p.running.Wait()
}

// alive reports whether the program was started and has not ended.
func (p *process) alive() bool {
	if p.ended == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// check returns an error if the program has ended unexpectedly.
func (p *process) check() error {
	if p.alive() {
		return nil
	}
	return fmt.Errorf("%s has ended (%v):\n%s", p.name(), p.err, p.tail())
}

// end sends the program a signal, kills it if it does not end, and returns when it is gone.
func (p *process) end(signal syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := p.running.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s: %w", p.name(), err)
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(endPatience):
	}
	err := p.running.Process.Kill()
	<-p.ended
	return errors.Join(fmt.Errorf("%s did not end within %s of signal %d and was killed", p.name(), endPatience, signal), err)
}

// tail returns the end of the log.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	if len(text) <= tailBytes {
		return string(text)
	}
	text = text[len(text)-tailBytes:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return "…\n" + string(text)
}
