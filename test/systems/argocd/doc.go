// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package argocd holds no code: the go.mod beside it pins the Argo CD that tests run, and its `tool` line names the program. All of its
// components are this one program; the name by which it is called says which.
package argocd
