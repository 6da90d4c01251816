// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command allinone is a whole Kubernetes in one binary: its first argument, or
// the name it is called by, says which component it is to be. Linking once
// instead of eight times saves most of the build time and one file is easy to
// cache. It is for tests and demonstrations on one machine, not for
// production.
//
// It holds no logic of its own beyond choosing the component; flags,
// configuration and exit codes are the component's.
package main
