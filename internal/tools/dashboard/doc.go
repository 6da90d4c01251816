// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dashboard is a web page which shows the applications that wait and why, who holds quota, and how runs have
// ended. It has no rights of its own. It reads and writes only with the credentials of the viewer, so it shows what
// kubectl would show to the same user.
//
// Pages are rendered on the server and work without JavaScript. With it, an open page has one stream of server-sent
// events, and the parts that differ are replaced whenever the API server reports a change. Objects are watched, never
// polled. The open pages of one viewer share their watches, those of different viewers never do; a watch ends soon
// after the last page that needs it is closed.
//
// Texts from outside (names, messages, labels, log lines) are escaped by html/template, and unprintable characters in
// them are shown as escapes.
package dashboard
