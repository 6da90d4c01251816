// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// amountText returns an amount for messages.
func amountText(name string, amount int64) string {
	if amount == quota.Unlimited {
		return "without limit"
	}
	q := amounts.Quantity(name, amount)
	return q.String()
}
