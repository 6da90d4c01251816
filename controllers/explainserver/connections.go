// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"net"
	"sync"
)

// How many connections are open at the same time: in all, and from one address. The API server's proxy is one address.
const (
	mostConnections          = 512
	mostConnectionsOfAddress = 128
)

// listener closes connections at once that are too many. One that is idle, or sends its request slowly, is closed by
// the server's timeouts.
type listener struct {
	net.Listener
	mu   sync.Mutex
	open int
	by   map[string]int
}

func limited(l net.Listener) *listener { return &listener{Listener: l, by: map[string]int{}} }

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

// enter counts a connection; false if it is one too many.
func (l *listener) enter(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == mostConnections || l.by[address] == mostConnectionsOfAddress {
		return false
	}
	l.open++
	l.by[address]++
	return true
}

func (l *listener) leave(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.by[address]--; l.by[address] == 0 {
		delete(l.by, address)
	}
}

type connection struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.left()
	return c.Conn.Close()
}
