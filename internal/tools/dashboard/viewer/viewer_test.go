// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"context"
	"testing"

	"k8s.io/utils/clock"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
)

// TestExplainAfterCancel: a request that ends because the viewer has left the page does not become the answer of the next page.
func TestExplainAfterCancel(t *testing.T) {
	v := NewViewer(t.Context(), nil, nil, nil, clock.RealClock{})
	ask := func(ctx context.Context) (v1.Queue, error) { return v1.Queue{Name: "etl"}, ctx.Err() }

	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := explain(left, v, "q/etl", ask); err == nil {
		t.Error("a cancelled request has no error")
	}
	if q, err := explain(t.Context(), v, "q/etl", ask); err != nil || q.Name != "etl" {
		t.Errorf("the next request has the answer %+v, %v", q, err)
	}
}
