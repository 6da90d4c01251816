// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explainserver serves the live view of the queues over HTTPS, read-only:
//
//	request ──► token? ──► whose is it? ──► may they get the object? ──► leader? ──► answer
//	             401        TokenReview      SubjectAccessReview          503
//	                        401              403
//
// A user who may get an application or a queue from the API server may have it explained. The certificate is created at the
// start and lives in memory: requests come through the API server's proxy, which does not check it, or has to trust the
// address. Tokens are kept as hashes, for seconds, and are never logged.
package explainserver
