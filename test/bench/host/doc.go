// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package host starts and observes the processes of a benchmark: an API server with its etcd, and the operator as it is
// shipped. All of them listen only on the loopback interface.
//
// It does not know what is measured. Its figures come from the kernel (/proc) and from the API server's own count of
// requests.
package host
