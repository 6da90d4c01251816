// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	"github.com/sparkgate/sparkgate/queueing/none"
)

func TestNone(t *testing.T) {
	const everything = "it lets everything in at once"
	gatetest.Run(t, gatetest.System{
		Name:  none.Name,
		Start: func(*testing.T, gatetest.Past) queueing.Gate { return none.Gate{} },
		Ask: func(_ *testing.T, application string) queueing.Ask {
			return gatetest.NewAsk("default", application, "")
		},
		Cannot: alone(map[string]string{
			"SetQuota": everything, "Impossible": everything, "Lose": everything, "Explain": "nothing waits for it", "Evict": "it holds nothing that it could want back",
		}),
	})
}
