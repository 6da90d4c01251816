// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/kueue"
	"github.com/sparkgate/sparkgate/queueing/none"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
	"github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

// newGates returns all gates by name, and the watches of other systems' kinds that some of them have to be started
// with.
func newGates(mgr ctrl.Manager, embedded *gate.Gate, waker queueing.Waker, o Options) (reservation.Gates, []*optionalkind.Watch, error) {
	byKueue, err := newKueue(mgr, waker, o)
	if err != nil {
		return nil, nil, fmt.Errorf("set up gate Kueue: %w", err)
	}
	byVolcano, err := newVolcano(mgr, waker, o)
	if err != nil {
		return nil, nil, fmt.Errorf("set up gate Volcano: %w", err)
	}
	gates := reservation.Gates{
		string(v1alpha1.GateEmbedded): embedded,
		string(v1alpha1.GateKueue):    byKueue,
		string(v1alpha1.GateVolcano):  byVolcano,
		string(v1alpha1.GateYuniKorn): yunikorn.Gate{},
		string(v1alpha1.GateNone):     none.Gate{},
	}
	return gates, append(byKueue.Watches(), byVolcano.Watches()...), nil
}

func newKueue(mgr ctrl.Manager, waker queueing.Waker, o Options) (*kueue.Gate, error) {
	c, err := kueue.NewClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	return kueue.New(kueue.Options{
		Client: c, Namespaces: o.Scope.Namespaces, Waker: waker, FieldOwner: v1alpha1.FieldOwner, Interval: o.GateInterval, Clock: o.Clock, Log: mgr.GetLogger().WithName("kueue"),
	}), nil
}

func newVolcano(mgr ctrl.Manager, waker queueing.Waker, o Options) (*volcano.Gate, error) {
	c, err := volcano.NewClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	return volcano.New(volcano.Options{
		Client: c, Namespaces: o.Scope.Namespaces, Waker: waker, Interval: o.GateInterval, Clock: o.Clock, Log: mgr.GetLogger().WithName("volcano"),
	}), nil
}

// gateKinds returns the kinds of objects that gates create for attempts.
func gateKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{kueue.WorkloadKind, volcano.PodGroupKind}
}
