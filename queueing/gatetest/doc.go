// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gatetest is the conformance suite that every gate passes: what an application may rely on, played against the
// real thing.
//
//	gatetest.Run(t, gatetest.System{ ... })
//
// A System is a gate with the world that it decides with: quota that can be given and taken, the other program that can
// be restarted, objects that other clients delete, kinds that are not installed. What a system cannot do it names with
// a reason, and the cases that need it are passed over aloud.
//
// The suite plays the application: it asks, keeps a grant as the status of an application would, confirms, releases,
// and looks again only when the gate wakes it. So a gate that forgets to wake fails here.
package gatetest
