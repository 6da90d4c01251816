// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package randtest says which seeds a random test plays, and how to play one again that has failed. Tests alone import
// it, and thereby get its flags:
//
//	go test ./queueing/quota -seed=17             seed 17 alone
//	go test ./queueing/quota -times=10            ten times as many seeds as usual
//	go test ./queueing/quota -times=10 -seed=17   as many, from 17 on
//
// It imports the standard library only.
package randtest
