// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// AskOf returns what each application of a schedule will ask of its queue: queue and pod sets, under dynamic allocation
// those of the base gang. It leaves out what only a cluster knows: LimitRanges, overheads of runtime classes, the
// default queue of a namespace, ConfigMaps. Findings of the schedule may only be warnings. An error names field and
// remedy.
func AskOf(s *v1alpha1.ScheduledSparkApplication) (queueing.Ask, error) {
	app := &v1alpha1.SparkApplication{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(s.Spec.Template.Spec.Raw, &app.Spec); err != nil {
		return queueing.Ask{}, fmt.Errorf("spec.template.spec: %w", err)
	}
	if q := app.Spec.Queue; q != nil && q.Gate != "" && !catalog.Of(q.Gate).SparkQueues {
		return queueing.Ask{}, fmt.Errorf("spec.template.spec.queue.gate: value %q does not ask a SparkQueue: remove it, or leave the schedule out", q.Gate)
	}
	app.Name, app.Namespace = s.Name, s.Namespace
	Rendering{}.complete(app)
	ask, err := applicationAsk(app, manifests.Placement(app), podsets.Environment{})
	if err != nil {
		return queueing.Ask{}, fmt.Errorf("spec.template: %w", err)
	}
	// In a simulation the executors above the base gang are not added.
	ask.Elastic = ""
	if t := app.Spec.Timeouts; t != nil && t.Run != nil {
		ask.HoldsFor = t.Run.Duration
	}
	return ask, nil
}

// applicationAsk returns what an application asks of the queue of its placement. An error names the field.
func applicationAsk(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement, env podsets.Environment) (queueing.Ask, error) {
	objects, err := objectsOf(app, placed)
	if err != nil {
		return queueing.Ask{}, err
	}
	sets, err := podsets.PodSets(app, objects, env)
	if err != nil {
		return queueing.Ask{}, err
	}
	ask := queueing.Ask{Key: podsets.KeyOf(app), Queue: placed.Queue, PodSets: sets, Lead: v1alpha1.DriverPodSet}
	if objects.Gated {
		ask.Elastic = v1alpha1.ExecutorPodSet
	}
	return ask, nil
}

// objectsOf returns the objects that the operator would create for an application. An error names the field.
func objectsOf(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement) (render.Objects, error) {
	in, findings := render.NewInput(app, conf.Sources{})
	if len(findings) > 0 {
		return render.Objects{}, errors.New(findings[0].String())
	}
	in.Queue, in.SubmitTime, in.SchedulingGated = placed.Queue, placeholderTime, manifests.SchedulingGated(placed.Gate, in.Properties)
	return render.Build(in)
}
