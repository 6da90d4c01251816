// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cli/browser"
)

// Browse opens an address in the browser.
func Browse(address string, s Streams) error {
	if at, err := url.Parse(address); err != nil || !slices.Contains([]string{"http", "https"}, at.Scheme) {
		return fmt.Errorf("%q is not opened: it is not a web address", address)
	}
	var output strings.Builder
	browser.Stdout, browser.Stderr = &output, &output
	if err := browser.OpenURL(address); err != nil {
		fmt.Fprintf(s.Err, "Could not open a browser (%v); open the address yourself, or set --open=false.\n", err)
	}
	return nil
}

// PortIsFree reports whether a loopback port can be listened on.
func PortIsFree(port uint16) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// PortTaken is the error for a --port that is not free.
func PortTaken(port uint16) error {
	return fmt.Errorf("--port %d is in use on this machine, or not yours to use; choose another one, or leave the flag out", port)
}
