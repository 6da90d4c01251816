// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podtemplate reads pod template files as Spark's client does.
//
// The client parses them by the rules of YAML 1.2 for JSON, in which 012, yes and ~ are strings, and then converts
// strings to the numbers and booleans that a field needs, and vice versa. A parser with other rules would change what
// users have written.
package podtemplate
