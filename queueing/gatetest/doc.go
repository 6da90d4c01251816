// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gatetest is the conformance suite for gates. It checks what an asker may rely on against a real system.
//
//	gatetest.Run(t, gatetest.System{ ... })
//
// A System is a gate with its environment: quota that can be changed, another program that can be restarted, objects
// that other clients delete, kinds that are not installed. If a system cannot do something, it says why, and the cases
// that need it are reported as passed over.
//
// The suite plays the role of the asker: it asks, stores a grant as the status of an asker would, confirms, releases,
// and asks again only when the gate wakes it. So a gate that forgets to wake fails the suite.
package gatetest
