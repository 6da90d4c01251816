// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"net"
	"sync"
)

// Limits of open connections, in total and from one address. All clients that use the API server's proxy have one
// address.
const (
	maxConnections           = 512
	maxConnectionsPerAddress = 128
)

// listener closes a new connection at once if a limit is reached. Idle and slow connections are closed by the server's
// timeouts.
type listener struct {
	net.Listener
	mu        sync.Mutex
	open      int
	byAddress map[string]int
}

// limited wraps a listener with the limits of this file.
func limited(l net.Listener) *listener { return &listener{Listener: l, byAddress: map[string]int{}} }

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := addressOf(c.RemoteAddr().String())
		if l.enter(address) {
			return &connection{Conn: c, left: sync.OnceFunc(func() { l.leave(address) })}, nil
		}
		_ = c.Close()
	}
}

// enter counts a connection, and returns false if a limit is reached.
func (l *listener) enter(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == maxConnections || l.byAddress[address] == maxConnectionsPerAddress {
		return false
	}
	l.open++
	l.byAddress[address]++
	return true
}

// leave uncounts a connection.
func (l *listener) leave(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.byAddress[address]--; l.byAddress[address] == 0 {
		delete(l.byAddress, address)
	}
}

// connection calls left once, when it is closed.
type connection struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.left()
	return c.Conn.Close()
}
