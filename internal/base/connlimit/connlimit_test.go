// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package connlimit

import (
	"net"
	"testing"
)

// TestConnectionsAreBounded: an address may have a fixed number of connections. The next one is closed at once. One
// that has ended allows one other, even if it is closed twice.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 8
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limited(plain, 2*most, most)
	accepted := make(chan net.Conn)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", plain.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var last net.Conn
	for range most {
		defer dial().Close()
		last = <-accepted
		defer last.Close()
	}
	for range 3 {
		c := dial()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Fatal("a connection too many was taken")
		}
		_ = c.Close()
	}
	_ = last.Close()
	_ = last.Close()
	defer dial().Close()
	defer (<-accepted).Close()
	c := dial()
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Fatal("one that was closed twice made place for two")
	}
	_ = l.Close()
	<-accepted
}
