// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// fileLock is an exclusive lock held by an open file; the kernel drops it when
// the last process that has the file open ends, however it ends.
type fileLock struct{ file *os.File }

// acquireLock waits for the lock file and writes the own process number into
// it. A process that waits prints once, on out, which one it waits for.
func acquireLock(path string, out io.Writer) (*fileLock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	told := false
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			if !told {
				fmt.Fprintf(out, "waiting for process %s, which holds %s\n", lockOwner(path), path)
				told = true
			}
			err = flockWait(file)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		if sameFile(file, path) {
			lock := &fileLock{file: file}
			return lock, lock.writeOwner()
		}
		// The holder before us removed the file: what we locked is no
		// longer what others will open.
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

func flockWait(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func sameFile(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}

func lockOwner(path string) string {
	content, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(content)); err == nil && pid != "" {
		return pid
	}
	return "(unknown)"
}

func (l *fileLock) writeOwner() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// handOver lets the lock survive an exec of this process and returns the
// descriptor's number for inheritLock.
func (l *fileLock) handOver() (string, error) {
	fd := l.file.Fd()
	if err := setCloseOnExec(fd, false); err != nil {
		return "", err
	}
	return strconv.Itoa(int(fd)), nil
}

// inheritLock takes the lock that handOver passed through an exec.
func inheritLock(descriptor string) (*fileLock, error) {
	fd, err := strconv.Atoi(descriptor)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("no lock handed over (descriptor %q)", descriptor)
	}
	if err := setCloseOnExec(uintptr(fd), true); err != nil {
		return nil, err
	}
	return &fileLock{file: os.NewFile(uintptr(fd), "lock")}, nil
}

func setCloseOnExec(fd uintptr, on bool) error {
	flags := uintptr(0)
	if on {
		flags = syscall.FD_CLOEXEC
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETFD, flags); errno != 0 {
		return fmt.Errorf("set close-on-exec of descriptor %d: %w", fd, errno)
	}
	return nil
}

// release gives the lock to a process that waits.
func (l *fileLock) release() error { return l.file.Close() }

// releaseWith releases the lock and, unless the folder that it protects
// exists, deletes its file first.
func (l *fileLock) releaseWith(path, protected string) error {
	if exists(protected) {
		return l.release()
	}
	return errors.Join(os.Remove(path), l.release())
}
