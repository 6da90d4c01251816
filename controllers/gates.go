// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing/kueue"
	"github.com/sparkgate/sparkgate/queueing/none"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
	"github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

// newGates returns all gates by name, and the watches of other systems' kinds that must be started for them.
func (op *operator) newGates() (reservation.Gates, []*optionalkind.Watch, error) {
	c, err := optionalkind.NewClient(op.mgr.GetConfig(), op.mgr.GetHTTPClient(), kueue.AddToScheme, volcano.AddToScheme)
	if err != nil {
		return nil, nil, fmt.Errorf("create client for other queueing systems: %w", err)
	}
	byKueue := kueue.New(kueue.Options{
		Client: c, Namespaces: op.o.Scope.Namespaces, Waker: op.asking, FieldOwner: v1alpha1.FieldOwner, Interval: op.o.GateInterval, Clock: op.o.Clock,
		Log: op.mgr.GetLogger().WithName("kueue"),
	})
	byVolcano := volcano.New(volcano.Options{
		Client: c, Namespaces: op.o.Scope.Namespaces, Waker: op.asking, Interval: op.o.GateInterval, Clock: op.o.Clock, Log: op.mgr.GetLogger().WithName("volcano"),
	})
	return reservation.Gates{
		string(v1alpha1.GateEmbedded): op.embedded,
		string(v1alpha1.GateKueue):    byKueue,
		string(v1alpha1.GateVolcano):  byVolcano,
		string(v1alpha1.GateYuniKorn): yunikorn.Gate{},
		string(v1alpha1.GateNone):     none.Gate{},
	}, append(byKueue.Watches(), byVolcano.Watches()...), nil
}
