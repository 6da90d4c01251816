// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package phrases has the phrases that messages to users share.
package phrases

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// MaxNamesListed is how many names a message lists.
const MaxNamesListed = 5

// List joins the first names, and says how many more there are.
func List(names []string) string {
	if len(names) <= MaxNamesListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:MaxNamesListed], ", "), len(names)-MaxNamesListed)
}

// Amount returns an amount as text for messages.
func Amount(name string, amount int64) string {
	if amount == quota.Unlimited {
		return "without limit"
	}
	return amounts.Text(amounts.Quantity(name, amount))
}
