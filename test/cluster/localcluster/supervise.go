// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 2 * time.Minute        // for a component to be well
	pollInterval = 100 * time.Millisecond // between two questions
	maxLogSize   = 50 << 20               // bytes; a longer log is moved to .old at the next start
)

// supervisor starts components and finds those that run. It keeps no state of
// its own: all is read from the cluster's cgroup.
type supervisor struct {
	cluster  cluster
	groups   cgroups
	proc     procFS
	specs    map[string]component
	contents map[string][]byte // of configuration files
	children map[string]*child // started by this process
	probes   map[string]func(context.Context) error
	prober   *prober
	pause    string // the static program of the sandbox image
	report   *reporter
}

// child is a component that this process started itself.
type child struct {
	pid    int
	exited chan struct{} // closed when it has ended
}

// find returns the process of a component, 0 if it does not run.
func (s *supervisor) find(name string) (int, error) {
	pids, err := s.groups.daemons()
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		if s.proc.isDaemon(pid, name, s.specs[name].executable) {
			return pid, nil
		}
	}
	return 0, nil
}

// ensure starts the component unless it runs as configured, and says whether
// it did. One that runs otherwise is stopped first.
func (s *supervisor) ensure(name string) (started bool, err error) {
	spec := s.specs[name]
	want := spec.digest(s.contents)
	pid, err := s.find(name)
	if err != nil {
		return false, err
	}
	if pid != 0 {
		if s.proc.environ(pid, digestMark) == want {
			return false, nil
		}
		s.report.step("%s: stopping, its configuration changed", name)
		if err := s.stop(name, pid); err != nil {
			return false, err
		}
	}
	return true, s.start(spec, want)
}

// stop ends one component and waits until its ports are free. It is given few
// seconds: every component bears being killed, and an API server would wait
// for its watchers.
func (s *supervisor) stop(name string, pid int) error {
	isIt := func(pid int) bool { return s.proc.isDaemon(pid, name, s.specs[name].executable) }
	if err := signalIf(pid, syscall.SIGTERM, isIt); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if poll(ctx, func() bool { return !isIt(pid) }) {
		return nil
	}
	if err := signalIf(pid, syscall.SIGKILL, isIt); err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if !poll(ctx, func() bool { return !isIt(pid) }) {
		return fmt.Errorf("process %d of %s does not end: run `localcluster down`", pid, name)
	}
	return nil
}

func (s *supervisor) start(spec component, digest string) error {
	argv, err := s.commandLine(spec)
	if err != nil {
		return err
	}
	log, err := openLog(s.cluster.logFile(spec.name))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir = "/"
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=/root",
		componentMark + "=" + spec.name,
		digestMark + "=" + digest,
		// A third of the CPU of an API server goes into collecting garbage: memory for time, up to 1 GiB each.
		"GOGC=300", "GOMEMLIMIT=1GiB",
	}
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", spec.name, err)
	}
	c := &child{pid: command.Process.Pid, exited: make(chan struct{})}
	s.children[spec.name] = c
	go func() {
		_ = command.Wait() // how it ended is read from its log
		close(c.exited)
	}()
	return nil
}

// commandLine puts the component into the node's mount namespace if it
// belongs there.
func (s *supervisor) commandLine(spec component) ([]string, error) {
	if spec.name == mountsHolder {
		if member := s.nodeMember(); member != 0 {
			// Only the holder died: join what containerd or a pod still uses,
			// instead of starting a second, empty set of mounts.
			return enterMounts(member, spec.argv[len(spec.argv)-1:]), nil
		}
	}
	if !spec.onNode {
		return spec.argv, nil
	}
	member := s.nodeMember()
	if member == 0 {
		return nil, fmt.Errorf("the mount namespace of the node is gone: run `localcluster down` and `localcluster up`")
	}
	return enterMounts(member, spec.argv), nil
}

func enterMounts(pid int, argv []string) []string {
	return append([]string{"nsenter", fmt.Sprintf("--mount=/proc/%d/ns/mnt", pid), "--"}, argv...)
}

// nodeMember returns a process outside pods that lives in the node's mount
// namespace, 0 if there is none.
func (s *supervisor) nodeMember() int {
	pids, err := s.groups.daemons()
	if err != nil {
		return 0
	}
	own := s.proc.namespace(os.Getpid(), "mnt")
	for _, pid := range pids {
		if !s.proc.running(pid) || !s.mountsInPlace(pid) {
			continue
		}
		if namespace := s.proc.namespace(pid, "mnt"); namespace != 0 && namespace != own {
			return pid
		}
	}
	return 0
}

// settle waits until every process that a killed orchestrator was about to
// turn into a daemon has become it, and ends those that do not: they would be
// started twice otherwise.
func (s *supervisor) settle() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var pending []int
	settled := poll(ctx, func() bool {
		pids, err := s.groups.daemons()
		pending = pids[:0]
		for _, pid := range pids {
			if s.becoming(pid) {
				pending = append(pending, pid)
			}
		}
		return err == nil && len(pending) == 0
	})
	if settled {
		return nil
	}
	var errs []error
	for _, pid := range pending {
		errs = append(errs, signalIf(pid, syscall.SIGKILL, s.becoming))
	}
	return errors.Join(errs...)
}

// becoming says whether the process was started as a daemon but still runs
// one of the programs (unshare, nsenter, sh) on the way to it.
func (s *supervisor) becoming(pid int) bool {
	spec, marked := s.specs[s.proc.environ(pid, componentMark)]
	stat, err := s.proc.stat(pid)
	return marked && err == nil && stat.state != 'Z' && stat.session == pid &&
		s.proc.executable(pid) != spec.executable
}

// mountsInPlace excludes a holder that is still mounting, or was killed while
// it did: it has not become the pause program yet.
func (s *supervisor) mountsInPlace(pid int) bool {
	return s.proc.environ(pid, componentMark) != mountsHolder ||
		s.proc.executable(pid) == s.specs[mountsHolder].executable
}

// await waits until the component is well, or fails with the end of its log
// when it ends or takes too long.
func (s *supervisor) await(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var last error
	well := poll(ctx, func() bool {
		if !s.alive(name) {
			last = errors.New("it ended")
			cancel()
			return false
		}
		last = s.probes[name](ctx)
		return last == nil
	})
	if well {
		return nil
	}
	path := s.cluster.logFile(name)
	return fmt.Errorf("%s does not come up: %w; the end of %s:\n%s", name, last, path, logTail(path, 15))
}

// alive is also true for a child that has not become its program yet.
func (s *supervisor) alive(name string) bool {
	if c := s.children[name]; c != nil {
		select {
		case <-c.exited:
			return false
		default:
			return true
		}
	}
	pid, err := s.find(name)
	return err == nil && pid != 0
}

// poll repeats the question until it is answered with yes or ctx ends.
func poll(ctx context.Context, done func() bool) bool {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if done() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
}

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// logTail returns the last lines of a log.
func logTail(path string, lines int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
