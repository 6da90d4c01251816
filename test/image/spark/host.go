// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Host is the machine as the build sees it, so that tests can give it another.
type Host struct {
	UID  int
	Has  func(program string) bool
	Free func(dir string) (uint64, error) // bytes
	Run  func(ctx context.Context, command Command) error
}

// Command is a program to run.
type Command struct {
	Args []string
	Env  []string // beside ours
	Log  string   // file for everything it prints
	// Keep says that the program must be asked to end, and waited for: ending
	// it at any moment would damage the machine.
	Keep bool
}

// ThisHost is the real machine.
func ThisHost() Host {
	return Host{
		UID:  os.Getuid(),
		Has:  func(program string) bool { _, err := exec.LookPath(program); return err == nil },
		Free: freeSpace,
		Run:  run,
	}
}

func freeSpace(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return stat.Bavail * uint64(stat.Bsize), nil
}

// stopTime is how long a program that must not be killed may take to end.
const stopTime = 20 * time.Second

// run runs a command. Unless it is to be kept, it has its own process and mount
// namespace if we are root, so that when it is stopped, or when we are killed,
// none of its children and none of its mounts is left on the machine.
func run(ctx context.Context, command Command) error {
	err := start(ctx, command, os.Getuid() == 0 && !command.Keep)
	if errors.Is(err, syscall.EPERM) { // root without the right to do so
		err = start(ctx, command, false)
	}
	return err
}

func start(ctx context.Context, command Command, isolated bool) error {
	out, err := os.Create(command.Log)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, command.Args[0], command.Args[1:]...)
	cmd.Env = append(os.Environ(), command.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if isolated {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS // also makes the mounts private
	}
	if command.Keep {
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = stopTime
	} else {
		// The signal comes when the thread that started the program ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	return cmd.Run()
}

// needs says which parts have to be built.
type needs struct{ base, spark, javac bool }

// prepare checks the machine and installs the Debian packages that it lacks.
func (b Builder) prepare(ctx context.Context, n needs, out string) error {
	if n.base && b.Host.UID != 0 {
		return errors.New("building the Debian base needs root: run it with sudo")
	}
	if err := b.checkSpace(n, out); err != nil {
		return err
	}
	return b.install(ctx, b.lacking(ctx, n))
}

// checkSpace asks for what each folder takes at its widest: the cache download,
// distribution, root file system and layers.
func (b Builder) checkSpace(n needs, out string) error {
	const gib = 1 << 30
	cache := uint64(2 * gib)
	if n.base || n.spark {
		cache = 6 * gib
	}
	for _, place := range []struct {
		dir    string
		need   uint64
		remedy string
	}{
		{b.Cache, cache, "set XDG_CACHE_HOME to a folder on a larger disk"},
		{filepath.Dir(out), gib, "give --out another place"},
	} {
		free, err := b.Host.Free(place.dir)
		if err != nil {
			return err
		}
		if free < place.need {
			return fmt.Errorf("%s has %.1f GiB free and the build needs %d: free some or %s",
				place.dir, float64(free)/gib, place.need/gib, place.remedy)
		}
	}
	return nil
}

// lacking returns the Debian packages that have what the build needs and the
// machine has not.
func (b Builder) lacking(ctx context.Context, n needs) []string {
	var packages []string
	if n.base && !b.Host.Has("mmdebstrap") {
		packages = append(packages, "mmdebstrap")
	}
	if n.javac && !b.Host.Has("javac") {
		packages = append(packages, "openjdk-17-jdk-headless")
	}
	if n.spark && !b.Host.Has("python3") {
		packages = append(packages, "python3")
	}
	if n.spark && !b.hasPip(ctx) {
		packages = append(packages, "python3-pip")
	}
	return packages
}

func (b Builder) hasPip(ctx context.Context) bool {
	return b.Host.Has("python3") &&
		b.Host.Run(ctx, Command{Log: b.log("pip-version"), Args: []string{"python3", "-m", "pip", "--version"}}) == nil
}

func (b Builder) log(name string) string { return b.Cache + "/" + name + ".log" }

func (b Builder) install(ctx context.Context, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	list := strings.Join(packages, " ")
	if b.Host.UID != 0 || !b.Host.Has("apt-get") {
		return fmt.Errorf("%s missing on this machine: run as root `apt-get install -y %s`, or install the same with its own package manager", list, list)
	}
	done := b.Progress.Step("packages", "installing "+list, nil)
	apt := func(args ...string) error {
		args = append([]string{"apt-get", "-o", "DPkg::Lock::Timeout=120"}, args...)
		return b.Host.Run(ctx, Command{Log: b.log("packages"), Env: []string{"DEBIAN_FRONTEND=noninteractive"}, Args: args, Keep: true})
	}
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	err := apt(install...)
	if err != nil { // the machine's package lists may be missing or too old
		if err = apt("update"); err == nil {
			err = apt(install...)
		}
	}
	if done(err); err != nil {
		return b.failed("packages", fmt.Sprintf("run `apt-get update && apt-get install %s` by hand", list), err)
	}
	return nil
}

// failed makes one line of a failed command: the last line of its log that
// says something, what to do, and where the rest is.
func (b Builder) failed(name, remedy string, err error) error {
	data, readErr := os.ReadFile(b.log(name))
	if readErr != nil {
		return fmt.Errorf("%s: %w: %s", name, err, remedy)
	}
	return fmt.Errorf("%s: %w: %s; %s; the whole output is in %s", name, err, lastLine(data), remedy, b.log(name))
}

// lastLine returns the last line with an error mark, else the last line.
func lastLine(output []byte) string {
	last, marked := "it printed nothing", ""
	for line := range bytes.Lines(output) {
		text := strings.TrimSpace(string(line))
		if text == "" {
			continue
		}
		last = text
		if strings.HasPrefix(text, "E: ") || strings.HasPrefix(text, "ERROR: ") || strings.Contains(text, "error: ") {
			marked = text
		}
	}
	if marked != "" {
		return marked
	}
	return last
}
