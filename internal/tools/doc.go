// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tools is the wing of what people use: sparkctl and the web page are put together from it. It may import
// everything below controllers. What needs no cluster is in offline; everything else has the rights of its viewer only.
package tools
