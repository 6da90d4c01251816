// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const reconcileAnnotation = meta.ReconcileRequestAnnotation

// longestToken is the longest token of a request, in bytes: it is echoed in the status. Flux's are times.
const longestToken = 256

// forceToken is the token of a request to run again that was not handled yet: both of Flux's annotations carry it.
func (d *decider) forceToken() string {
	token := d.o.App.Annotations[meta.ForceRequestAnnotation]
	if token == "" || len(token) > longestToken || token != d.o.App.Annotations[reconcileAnnotation] || token == d.o.App.Status.LastHandledForceAt {
		return ""
	}
	return token
}

// changed says that the run template differs from the one of the current run in a way that asks for another run.
func (d *decider) changed() bool {
	if d.templatePolicy() == v1alpha1.TemplateChangeIgnore {
		return d.o.App.Spec.RunID != d.s.RunID
	}
	return !d.o.SameTemplate
}

// ignored says that the run template differs and nothing is done about it.
func (d *decider) ignored() bool {
	return d.s.Run > 0 && !d.o.SameTemplate && !d.changed() && d.forceToken() == ""
}

// anotherRun says that another run is wanted after the current one.
func (d *decider) anotherRun() bool { return d.changed() || d.forceToken() != "" }

// templatePolicy is spec.onTemplateChange with its default.
func (d *decider) templatePolicy() v1alpha1.TemplateChangePolicy {
	spec := &d.o.App.Spec
	switch {
	case spec.OnTemplateChange != "":
		return spec.OnTemplateChange
	case spec.ReadyWhen == v1alpha1.ReadyWhenRunning:
		return v1alpha1.TemplateChangeRestart
	}
	return v1alpha1.TemplateChangeWait
}

// observeSpec says which generation the status speaks of while a run goes on or has ended: the current one, unless its run template
// waits for its turn.
func (d *decider) observeSpec() {
	d.view.Generation = d.o.App.Generation
	if d.ignored() {
		d.view.TemplateIgnored = "the run template has changed since run " + number(d.s.Run) +
			" began and onTemplateChange is Ignore; change runID to run it"
		return
	}
	if !d.o.SameTemplate {
		d.view.Generation = d.o.App.Status.ObservedGeneration
	}
}
