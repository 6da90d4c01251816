// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cachetransform bounds what the operator keeps in memory of what others may store: an object loses what no
// decision reads before it is cached, and an application that is too large becomes a stub, which says so. Lists are
// read page by page, and each page is stripped before the next one is read.
package cachetransform
