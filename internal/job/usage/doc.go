// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package usage computes the resources that applications held and requested, by queue, namespace, application or label;
// how much of that was wasted; and what it costs. It is pure: it reads the amounts that the operator has written into
// the status of applications, so its sums are the same for everyone who may read those.
//
// Each attempt has two amounts. Granted is what its grant has held in the queue: requests × pods × time, from the write
// of the grant until its release. Requested is what its pods requested, each from when it was bound to a node until it
// ended. Package meter sums both; this package never looks at pods.
package usage
