// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package randtest chooses the seeds of random tests, and says how to repeat one that failed. Only tests import it, and
// they get its flags:
//
//	go test ./queueing/quota -seed=17             seed 17 alone
//	go test ./queueing/quota -times=10            ten times as many seeds as usual
//	go test ./queueing/quota -times=10 -seed=17   as many, from 17 on
//
// It imports only the standard library.
package randtest
