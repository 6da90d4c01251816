// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explainserver serves the live view of the queues over HTTPS, read-only:
//
//	request ──► token? ──► whose is it? ──► may they get the object? ──► leader? ──► answer
//	             401        TokenReview      SubjectAccessReview          503
//	                        401              403
//
// A user who may get an application or a queue from the API server may also ask for its explanation.
//
// The certificate is self-signed, created at the start, and kept in memory only. Requests usually come through the API
// server's proxy, which does not verify it; other clients have to trust the address. Tokens are cached as hashes for a
// short time and are never logged.
package explainserver
