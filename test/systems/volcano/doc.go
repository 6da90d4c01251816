// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volcano holds no code: the go.mod beside it pins the Volcano that tests run, and its `tool` lines name the programs.
//
// Volcano's own go.mod takes volcano.sh/apis from a folder of its repository; here it is the published module of the same types.
// Volcano does not compile with the Kubernetes libraries of the other modules (plugins of the scheduler have moved since), so it has an
// older line, at the patch version of ../yunikorn.
package volcano
