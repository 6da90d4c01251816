// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simulator plays arrivals and changes of the configuration against the engine, in virtual time.
//
//	Scenario ──► Run ──► Event, Event, … ──► Summary
//	              │ ▲
//	              ▼ │ the real embedded.Engine
//
// At each instant at which something happens: first the applications end that are due, then the configuration changes,
// then applications arrive, each in the order of the scenario; those that schedules create come last. Then the engine
// decides until nothing changes. Only then it is emitted why applications are pending. A preempted application releases
// its quota at once, is pending again with its old age, and later runs its full time again.
//
// Nothing takes time but running: what takes the operator seconds (starting and stopping pods) takes none here.
//
// The package reads no clock and no file, and the same scenario gives the same events. It knows neither the API of
// Sparkgate nor a client.
package simulator
