// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/kueue"
	"github.com/sparkgate/sparkgate/queueing/none"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
	"github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

// newGates returns all gates by name, and the watches of other systems' kinds that must be started for them.
//
// The leader of a tree decides only on the embedded queue; of other systems it knows just the capabilities.
func (l *leader) newGates() (reservation.Gates, []*optionalkind.Watch, error) {
	gates := reservation.Gates{
		string(v1alpha1.GateEmbedded): l.embedded,
		string(v1alpha1.GateKueue):    elsewhere{v1alpha1.GateKueue},
		string(v1alpha1.GateVolcano):  elsewhere{v1alpha1.GateVolcano},
		string(v1alpha1.GateYuniKorn): yunikorn.Gate{},
		string(v1alpha1.GateNone):     none.Gate{},
	}
	if !l.share.Rest() {
		return gates, nil, nil
	}
	byKueue, err := l.newKueue()
	if err != nil {
		return nil, nil, fmt.Errorf("set up gate Kueue: %w", err)
	}
	byVolcano, err := l.newVolcano()
	if err != nil {
		return nil, nil, fmt.Errorf("set up gate Volcano: %w", err)
	}
	gates[string(v1alpha1.GateKueue)], gates[string(v1alpha1.GateVolcano)] = byKueue, byVolcano
	return gates, append(byKueue.Watches(), byVolcano.Watches()...), nil
}

// elsewhere is a gate whose applications another leader decides on.
type elsewhere struct{ name v1alpha1.GateType }

// Capabilities implements queueing.Gate.
func (e elsewhere) Capabilities() queueing.Capabilities { return catalog.Of(e.name) }

// Sync implements queueing.Gate. The application has just been moved to that gate, and the other leader will ask.
func (elsewhere) Sync(context.Context, queueing.Ask) (queueing.Verdict, error) {
	return queueing.Verdict{State: queueing.Undecided}, nil
}

// Persisted implements queueing.Gate.
func (elsewhere) Persisted(context.Context, queueing.Key, queueing.Grant) {}

// Release implements queueing.Gate.
func (elsewhere) Release(context.Context, queueing.Key, queueing.Release) error { return nil }

func (l *leader) newKueue() (*kueue.Gate, error) {
	c, err := kueue.NewClient(l.mgr.GetConfig(), l.mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	return kueue.New(kueue.Options{
		Client: c, Namespaces: l.o.Scope.Namespaces, Waker: l.asking, FieldOwner: v1alpha1.FieldOwner, Interval: l.o.GateInterval, Clock: l.o.Clock,
		Log: l.mgr.GetLogger().WithName("kueue"),
	}), nil
}

func (l *leader) newVolcano() (*volcano.Gate, error) {
	c, err := volcano.NewClient(l.mgr.GetConfig(), l.mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	return volcano.New(volcano.Options{
		Client: c, Namespaces: l.o.Scope.Namespaces, Waker: l.asking, Interval: l.o.GateInterval, Clock: l.o.Clock, Log: l.mgr.GetLogger().WithName("volcano"),
	}), nil
}
