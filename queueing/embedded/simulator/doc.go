// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simulator simulates arrivals and configuration changes against the engine, in virtual time.
//
//	Scenario ──► Run ──► Event, Event, … ──► Summary
//	              │ ▲
//	              ▼ │ the real embedded.Engine
//
// At each instant at which something happens, due askers end first, then the configuration changes, then askers arrive,
// each in the order of the scenario; askers created by schedules come last. Then the engine decides until nothing
// changes. Only after that the reasons why askers are pending are emitted. A preempted asker releases its quota
// immediately, is pending again with its old age, and later runs for its full time again.
//
// Only running takes time. Starting and stopping pods, which takes the operator seconds, takes none here.
//
// The package reads no clock and no file, and the same scenario always gives the same events. It imports neither
// Sparkgate's API types nor a client.
package simulator
