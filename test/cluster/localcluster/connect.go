// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

// runConnect implements `connect -- COMMAND...`: the command runs in the
// machine's own network, so a browser reaches what it listens on, and its
// KUBECONFIG leads to the API server through a relay that ends with it.
func runConnect(c cluster, args []string) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("connect needs a command: run `localcluster connect -- COMMAND...`")
	}
	if err := c.requireUp("connect"); err != nil {
		return err
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return c.connect(args...)
}

// connect runs the command beside a relay and ends this process with its exit
// status. Within the cluster's network no relay is needed.
func (c cluster) connect(command ...string) error {
	env, err := c.commandEnv()
	if err != nil {
		return err
	}
	if c.inside() {
		return c.enter(env, command...)
	}
	status, err := c.relayed(env, command)
	if err != nil {
		return err
	}
	os.Exit(status)
	return nil
}

func (c cluster) relayed(env, command []string) (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	stop, err := c.startRelay(listener.(*net.TCPListener))
	if err != nil {
		return 0, err
	}
	defer stop()

	dir, err := os.MkdirTemp("", "sparkgate-connect-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	content, err := os.ReadFile(c.kubeconfig())
	if err != nil {
		return 0, err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, withServer(content, listener.Addr().String()), 0o600); err != nil {
		return 0, err
	}
	return runCommand(withVariables(env, map[string]string{"KUBECONFIG": kubeconfig}), command)
}

// withServer returns the kubeconfig with another address of the API server;
// its certificate also names 127.0.0.1.
func withServer(kubeconfig []byte, address string) []byte {
	return bytes.Replace(kubeconfig, []byte("https://"+net.JoinHostPort(nodeIP, apiPort)), []byte("https://"+address), 1)
}

// startRelay starts this program in the cluster's network with a socket of
// the machine's network: what it accepts from the one it dials in the other.
func (c cluster) startRelay(listener *net.TCPListener) (stop func(), err error) {
	file, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	relay := exec.Command("nsenter", "--net="+c.netnsPath(), "--", program, relayCommand)
	relay.ExtraFiles = []*os.File{file}
	relay.Stderr = os.Stderr
	// A group of its own: Ctrl-C is for the command, which may have something to say to the API server at its end.
	relay.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := relay.Start(); err != nil {
		return nil, fmt.Errorf("start the relay: %w", err)
	}
	return func() {
		_ = relay.Process.Kill()
		_ = relay.Wait()
	}, nil
}

// relayCommand is how the relay is started; it is not for people.
const relayCommand = "relay"

// runRelay serves the socket that startRelay hands over, until it is killed.
func runRelay() error {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return fmt.Errorf("relay is started by connect: %w", err)
	}
	return relay(listener, net.JoinHostPort(nodeIP, apiPort))
}

// relay joins each connection to one to the address. It returns when the
// listener fails.
func relay(listener net.Listener, address string) error {
	for {
		near, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer near.Close()
			far, err := net.Dial("tcp", address)
			if err != nil {
				return // as if the API server had refused it
			}
			defer far.Close()
			join(near, far)
		}()
	}
}

// join copies both ways until both have ended.
func join(near, far net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		forward(far, near)
	}()
	forward(near, far)
	<-done
}

func forward(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// runCommand runs the command with this terminal and returns its exit status.
func runCommand(env, command []string) (int, error) {
	child := exec.Command(command[0], command[1:]...)
	child.Env = env
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := child.Start(); err != nil {
		return 0, fmt.Errorf("run %s: %w", command[0], err)
	}
	go func() {
		for received := range signals {
			// The terminal sends its own signals also to the command.
			if !slices.Contains([]os.Signal{syscall.SIGINT, syscall.SIGQUIT}, received) {
				_ = child.Process.Signal(received)
			}
		}
	}()
	err := child.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return exitStatus(child.ProcessState), nil
}

// exitStatus returns the status as a shell does: 128 and the signal for a
// command that a signal ended.
func exitStatus(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
