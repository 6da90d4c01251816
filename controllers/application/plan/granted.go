// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// BeforeDriver ends every message about changed inputs.
const BeforeDriver = "before the driver was created; the start is planned again"

// Obstacle is why the driver of a granted attempt is not created. The zero value is none.
type Obstacle struct {
	Kind    ObstacleKind
	Message string
}

// ObstacleKind says what becomes of an attempt with an obstacle.
type ObstacleKind int

const (
	// Blocked means that the driver cannot be created for now.
	Blocked ObstacleKind = iota + 1
	// Outdated means that the inputs have changed since the grant was given.
	Outdated
	// Rejected means that the API server will never accept an object as it is.
	Rejected
)

// Granted renders the objects of the attempt in the status, and returns the hash of what they were derived from. They
// must not be created if there is an obstacle.
func (bl *Builder) Granted(ctx context.Context, app *v1alpha1.SparkApplication) (objects render.Objects, inputs string, o Obstacle, err error) {
	if found := validate.Stub(app); len(found) > 0 {
		return objects, "", Obstacle{Blocked, found[0].Message}, nil
	}
	grant := convert.FromAPI(app.Status.Grant)
	of := order{app: app, start: lifecycle.CurrentAttempt(app), queue: app.Status.Queue, grant: &grant}
	same := bl.Plans.SameTemplate(app)
	if of.template = app.Status.TemplateHash; !same {
		if of.template, err = templatehash.Of(&app.Spec); err != nil {
			return objects, "", o, err
		}
	}
	b, err := bl.build(ctx, of)
	var gone configMapGone
	switch found := b.found; {
	case errors.As(err, &gone):
		o, err = Obstacle{Outdated, fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap was deleted %s", string(gone), BeforeDriver)}, nil
	case err != nil:
	case grant.Inputs != b.inputs:
		o = Obstacle{Outdated, whatChanged(app, grant, same)}
	case len(found) > 0 && found[0].Reason == v1alpha1.ReferenceNotFoundReason:
		o = Obstacle{Outdated, found[0].String() + ", but existed when the grant was given; the start is planned again"}
	case len(found) > 0:
		o = Obstacle{Blocked, found[0].String()}
	default:
		o, err = bl.exceeds(ctx, app, b.objects)
	}
	return b.objects, b.inputs, o, err
}

// whatChanged lists what may have changed since a grant was given. The hash only shows that something has.
func whatChanged(app *v1alpha1.SparkApplication, grant queueing.Grant, sameTemplate bool) string {
	if grant.Inputs == "" {
		return "the grant, from an earlier version of the operator that did not record its inputs, was released " + BeforeDriver
	}
	if !sameTemplate {
		return "the run template has changed " + BeforeDriver
	}
	others := []string{"a LimitRange", "the overhead of a RuntimeClass", "a label or annotation sparkgate.io/… of the namespace"}
	if name := app.Spec.SparkConfigMap; name != "" {
		others = slices.Insert(others, 0, fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap", name))
	}
	last := len(others) - 1
	return fmt.Sprintf("%s or %s has changed %s", strings.Join(others[:last], ", "), others[last], BeforeDriver)
}

// exceeds returns an obstacle if the built pods would request more than was granted. An operator of
// another version may derive other requests from the same inputs.
func (bl *Builder) exceeds(ctx context.Context, app *v1alpha1.SparkApplication, objects render.Objects) (Obstacle, error) {
	grant := convert.FromAPI(app.Status.Grant)
	environment, _, err := bl.Reader.environment(ctx, app)
	if err != nil {
		return Obstacle{}, err
	}
	sets, err := bl.podSets(app, objects, environment, grant.Gate)
	if err != nil {
		return Obstacle{}, nil // it could be measured when it was planned, so the grant is the cause, and creating the pod will show the error
	}
	for _, set := range sets {
		granted := slices.IndexFunc(grant.PodSets, func(g queueing.PodSetGrant) bool { return g.Name == set.Name && !g.Elastic })
		if granted < 0 {
			continue // nothing was granted for this pod set
		}
		if most := grant.PodSets[granted].Count; !objects.Gated && set.Count > most {
			return Obstacle{Outdated, fmt.Sprintf("pod set %s now has %d pods, but the grant has %d: its inputs changed %s", set.Name, set.Count, most, BeforeDriver)}, nil
		}
		for _, name := range slices.Sorted(maps.Keys(set.Requests)) {
			if asks, has := set.Requests[name], grant.PodSets[granted].Requests[name]; asks > has {
				wanted, most := amounts.Quantity(name, asks), amounts.Quantity(name, has)
				return Obstacle{Outdated, fmt.Sprintf("the %s now requests %s %s, but the grant has %s: its inputs changed %s", set.Name, name, wanted.String(), most.String(), BeforeDriver)}, nil
			}
		}
	}
	return Obstacle{}, nil
}
