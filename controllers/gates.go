// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/runner"
	"github.com/sparkgate/sparkgate/queueing/foreign"
	"github.com/sparkgate/sparkgate/queueing/none"
	"github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/queueing/yunikorn"
)

// newGates returns all gates by name, and the watches of other systems' kinds that some of them have to be started with.
func newGates(mgr ctrl.Manager, embedded *runner.Runner, waker *application.Waker, o Options) (queueing.Gates, []*foreign.Watch, error) {
	byVolcano, err := newVolcano(mgr, waker, o)
	if err != nil {
		return nil, nil, err
	}
	gates := queueing.Gates{
		string(v1alpha1.GateEmbedded): embedded,
		string(v1alpha1.GateVolcano):  byVolcano,
		string(v1alpha1.GateYuniKorn): yunikorn.Gate{},
		string(v1alpha1.GateNone):     none.Gate{},
	}
	return gates, byVolcano.Watches(), nil
}

// newVolcano sets up the gate Volcano. Its client has a scheme and no cache of the manager's: Volcano's kinds may not be served.
func newVolcano(mgr ctrl.Manager, waker *application.Waker, o Options) (*volcano.Gate, error) {
	c, err := volcano.NewClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("set up gate Volcano: %w", err)
	}
	return volcano.New(volcano.Options{
		Client: c, Wake: waker.Wake, Interval: o.GateInterval, Clock: o.Clock, Log: mgr.GetLogger().WithName("volcano"),
	}), nil
}
