// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simulator simulates arrivals and configuration changes against the engine, in virtual time.
//
//	Scenario ──► Run ──► Event, Event, … ──► Summary
//	              │ ▲
//	              ▼ │ the real embedded.Engine
//
// At each instant at which something happens, due applications end first, then the configuration changes, then
// applications arrive, each in the order of the scenario; applications created by schedules come last. Then the engine
// decides until nothing changes. Only after that the reasons why applications are pending are emitted. A
// preempted application releases its quota immediately, is pending again with its old age, and later runs for its full
// time again.
//
// Only running takes time. Starting and stopping pods, which takes the operator seconds, takes none here.
//
// The package reads no clock and no file, and the same scenario always gives the same events. It imports neither
// Sparkgate's API types nor a client.
package simulator
