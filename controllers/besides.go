// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/controllers/application"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	foreignpods "github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/queueing"
)

// besides are the pods that ask beside applications. They are set before the manager starts.
type besides struct{ pods *foreignpods.Reconciler }

// setUp adds them to the manager, and tells the office of them. The client, the live reader and the recorder are the manager's.
func (b *besides) setUp(mgr ctrl.Manager, office *takeover, o foreignpods.Options) error {
	o.Client, o.Live, o.Recorder, o.Ready = mgr.GetClient(), mgr.GetAPIReader(), mgr.GetEventRecorder("sparkgate"), office.wait
	b.pods = foreignpods.New(o)
	office.beside = b.pods
	if err := mgr.Add(b.pods); err != nil {
		return err
	}
	return b.pods.SetupWithManager(mgr)
}

// wake tells applications, or pods of none, that their verdict may have changed.
func (b *besides) wake(applications *application.Waker) func(types.NamespacedName) {
	return func(name types.NamespacedName) {
		if pod, is := queueing.Pod(name.Name); is {
			b.pods.Wake(types.NamespacedName{Namespace: name.Namespace, Name: pod})
			return
		}
		applications.Wake(name)
	}
}

// changed tells an application, and those of its pods that are charged beside it, that its pods have changed.
func (b *besides) changed(applications *application.Waker) func(types.NamespacedName) {
	return func(app types.NamespacedName) {
		applications.Wake(app)
		if b.pods != nil {
			b.pods.Changed(app)
		}
	}
}

// claim has a pod charged beside the application whose labels it carries.
func (b *besides) claim(r *pods.Record) { b.pods.Claim(r) }
