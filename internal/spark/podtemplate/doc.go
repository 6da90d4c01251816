// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podtemplate reads files of pod templates as Spark's client does.
//
// The client reads them by the rules of YAML 1.2 for JSON, in which 012, yes and ~ are texts, and then lets texts stand
// for the numbers and switches that a field wants, and the other way round. A reader by other rules would change what
// users have written.
package podtemplate
