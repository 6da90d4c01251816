// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package attacks plays attacks of tenants against the operator. Each file below cases is one attack, with the ways to
// try it, what the attacker may do, and the expected outcome.
//
//	cases/*/*.yaml ─► arena (namespaces, queues, identities) ─► steps, as the attacker ─► expectation
//	                        │                                                                │
//	                        └─► recorder: every version of pods and queues ─► invariants  ◄──┘
//
// The invariants are checked for all attempts, whatever they expect: Spark pods never use more than the quota, no other
// queue is charged, and no secret is printed. By default the API server is the one of the integration tests, with the
// operator in this process and acting pods; with SPARKGATE_ATTACKS_KUBECONFIG it is any cluster where the operator and
// the guard are installed (make attacks).
package attacks
