// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1 has the answers, in JSON, of the operator's endpoint for live explanations:
//
//	GET /explain/v1/namespaces/{namespace}/applications/{name}     Application
//	GET /explain/v1/queues/{name}                                  Queue
//	anything else than 200                                         Problem
//
// Nothing of this is stored. Fields may be added; within v1 none is renamed or changes its meaning.
package v1
