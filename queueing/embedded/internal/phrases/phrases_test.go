// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"testing"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

func TestTextOfAmounts(t *testing.T) {
	t.Parallel()
	if got := Amount("cpu", quota.Unlimited); got != "without limit" {
		t.Errorf("no limit is printed %q", got)
	}
	if got := Amount("hugepages-2Mi", 4<<20); got != "4Mi" {
		t.Errorf("4Mi of huge pages are printed %q", got)
	}
}
