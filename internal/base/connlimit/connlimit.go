// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package connlimit bounds how many connections a server has open, in total and from one address.
package connlimit

import (
	"net"
	"sync"
)

// listener closes a new connection at once if a limit is reached. Idle and slow connections are closed by the server's
// timeouts.
type listener struct {
	net.Listener
	most, mostOfAddress int

	mu        sync.Mutex
	open      int
	byAddress map[string]int
}

// Limited returns a listener that has at most so many connections open, and at most so many from one address. It is safe
// for concurrent use.
func Limited(l net.Listener, most, mostOfAddress int) net.Listener {
	return &listener{Listener: l, most: most, mostOfAddress: mostOfAddress, byAddress: map[string]int{}}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil {
			address = c.RemoteAddr().String()
		}
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
	if l.open == l.most || l.byAddress[address] == l.mostOfAddress {
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
