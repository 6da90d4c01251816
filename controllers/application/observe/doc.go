// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package observe finds out what a decision on an application needs: from the caches and the memory of the process in
// every pass, and by live reads when a decision asks for it. It writes nothing.
package observe
