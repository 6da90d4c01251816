// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dashboard is a web page that says which applications wait and why, who holds the quota, and what became of
// runs. It has no rights of its own: all that it reads and writes, it reads and writes with the credentials of the
// viewer, so it shows what kubectl would show them.
//
// Pages are rendered here and work without a script. With it, an open page holds one stream of server-sent events, and is
// replaced where it differs whenever the API server reports a change: objects are watched, never polled. A watch is shared
// by the open pages of one viewer, never by two viewers, and ends soon after the last of them is closed.
//
// All texts of others (names, messages, labels, log lines) are escaped by html/template, and characters that do more than
// print are written out.
package dashboard
