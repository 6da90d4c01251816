// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestCrowdDoesNotHoldOthersUp: while a thousand applications of one namespace wait for the reason why they wait, one of another namespace that
// came after all of them has its driver: it goes before most of what the operator writes about the crowd.
//
// It has an operator of its own, so it is not parallel.
func TestCrowdDoesNotHoldOthersUp(t *testing.T) {
	network := harness.NewNetwork(nil)
	full, w := harness.NewWorld(t, "3Gi", nil), harness.NewWorld(t, "8Gi", nil)
	crowded := applyCrowd(t, full.Queue)
	app := w.Apply("late")
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap})
	w.Driver(app)
	before := 0
	for _, write := range network.Log() {
		if strings.Contains(write, "/namespaces/"+w.Namespace+"/pods") {
			break
		}
		if strings.Contains(write, "/namespaces/"+crowded+"/sparkapplications/") {
			before++
		}
	}
	if before > crowd/4 {
		t.Errorf("%d writes about the %d applications of another namespace went before this one's driver", before, crowd)
	}
}
