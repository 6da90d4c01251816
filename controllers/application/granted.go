// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// beforeDriver ends every message about changed inputs.
const beforeDriver = "before the driver was created; the start is planned again"

// buildGranted renders the objects of the attempt in the status. It returns false if they must not be created, because
// there is an obstacle or because something has changed since the grant was given.
func (bl *objectBuilder) buildGranted(ctx context.Context) (render.Objects, bool, error) {
	start := lifecycle.Start{Run: bl.app.Status.Run, Attempt: bl.app.Status.Attempt}
	grant := convert.FromAPI(bl.app.Status.Grant)
	objects, found, err := bl.build(ctx, start, bl.app.Status.Queue, &grant)
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		bl.outdated, err = fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap was deleted %s", string(gone), beforeDriver), nil
	case err != nil:
		return objects, false, err
	case grant.Inputs != bl.inputs:
		bl.outdated = bl.whatChanged(grant)
	case len(found) > 0 && found[0].Reason == v1alpha1.ReferenceNotFoundReason:
		bl.outdated = found[0].String() + ", but existed when the grant was given; the start is planned again"
	case len(found) > 0:
		bl.obstacle = found[0].String()
	default:
		bl.outdated, err = bl.exceeds(ctx, objects, grant)
	}
	return objects, err == nil && bl.outdated == "" && bl.obstacle == "", err
}

// whatChanged lists what may have changed since a grant was given. The hash only shows that something has.
func (bl *objectBuilder) whatChanged(grant queueing.Grant) string {
	if grant.Inputs == "" {
		return "the grant, from an earlier version of the operator that did not record its inputs, was released " + beforeDriver
	}
	if !bl.observed.SameTemplate {
		return "the run template has changed " + beforeDriver
	}
	others := []string{"a LimitRange", "the overhead of a RuntimeClass", "a label or annotation sparkgate.io/… of the namespace"}
	if name := bl.app.Spec.SparkConfigMap; name != "" {
		others = slices.Insert(others, 0, fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap", name))
	}
	last := len(others) - 1
	return fmt.Sprintf("%s or %s has changed %s", strings.Join(others[:last], ", "), others[last], beforeDriver)
}

// exceeds returns what the built pods would request beyond the grant, or the empty string if nothing. An operator of
// another version may derive other requests from the same inputs.
func (bl *objectBuilder) exceeds(ctx context.Context, objects render.Objects, grant queueing.Grant) (string, error) {
	environment, _, err := bl.reader.environment(ctx)
	if err != nil {
		return "", err
	}
	sets, err := bl.podSets(objects, environment, grant.Gate)
	if err != nil {
		return "", nil // it could be measured when it was planned, so the grant is the cause, and creating the pod will show the error
	}
	for _, set := range sets {
		granted := slices.IndexFunc(grant.PodSets, func(g queueing.PodSetGrant) bool { return g.Name == set.Name && !g.Elastic })
		if granted < 0 {
			continue // nothing was granted for this pod set
		}
		if most := grant.PodSets[granted].Count; !objects.Gated && set.Count > most {
			return fmt.Sprintf("pod set %s now has %d pods, but the grant has %d: its inputs changed %s", set.Name, set.Count, most, beforeDriver), nil
		}
		for _, name := range slices.Sorted(maps.Keys(set.Requests)) {
			if asks, has := set.Requests[name], grant.PodSets[granted].Requests[name]; asks > has {
				wanted, most := amounts.Quantity(name, asks), amounts.Quantity(name, has)
				return fmt.Sprintf("the %s now requests %s %s, but the grant has %s: its inputs changed %s", set.Name, name, wanted.String(), most.String(), beforeDriver), nil
			}
		}
	}
	return "", nil
}
