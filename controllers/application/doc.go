// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package application reconciles SparkApplications.
//
//	observe ──► decide (lifecycle, pure) ──► publish (one status write) ──► act
//
// Only observe reads the API, only publish writes status, only act creates and deletes. The order of a pass is fixed: the
// finalizer, then the status that says what is intended, then the actions that need it. Everything is level-based: a pass may be
// lost or doubled at any point, and the next one goes on from what is written.
package application
