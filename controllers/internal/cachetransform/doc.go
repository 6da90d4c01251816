// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cachetransform bounds the memory that the operator uses for objects written by others. Before an object is
// cached, everything is removed that no decision reads. An application that is too large becomes a stub that says so.
// Lists are read page by page, and each page is stripped before the next one is read.
package cachetransform
