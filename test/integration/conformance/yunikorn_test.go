// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/gatetest"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

func TestYuniKorn(t *testing.T) {
	const delegated = "it lets everything in at once; the scheduler makes pods wait"
	gatetest.Run(t, gatetest.System{
		Name:  yunikorn.Name,
		Start: func(*testing.T, gatetest.Past) queueing.Gate { return yunikorn.Gate{} },
		Ask: func(_ *testing.T, application string) queueing.Ask {
			return gatetest.NewAsk("default", application, "root.spark")
		},
		Cannot: alone(map[string]string{
			"SetQuota": delegated, "Impossible": delegated, "Lose": delegated, "Explain": "nothing waits for it", "Evict": "it holds nothing that it could want back",
		}),
	})
}
