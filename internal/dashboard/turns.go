// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import "golang.org/x/sync/semaphore"

// turns bound what a server does at the same time for all of its viewers where it takes much memory: a plan has all
// applications of the cluster whole, and what drivers answer is as large as their users like.
type turns struct{ plans, readings *semaphore.Weighted }

func newTurns() *turns {
	const plans, readings = 1, 2
	return &turns{semaphore.NewWeighted(plans), semaphore.NewWeighted(readings)}
}
