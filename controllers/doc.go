// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controllers is the composition root. It alone knows all controllers, gates and watches, and the order in
// which a new leader restores its state.
//
//	api ◄── queueing ◄── internal/{spark,lifecycle} ◄── controllers/{application,companions,schedule,unmanagedpods,queue,explainserver} ◄── controllers ◄── cmd
package controllers
