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

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// beforeDriver ends every sentence about inputs that have changed.
const beforeDriver = "before the driver was created; the start is planned again"

// configMapGone is the ConfigMap of spec.sparkConfigMap that existed when the start was planned.
type configMapGone string

func (c configMapGone) Error() string { return "config map " + string(c) + " is gone" }

// inputsOf identifies what a start with these properties is made from, as it stands now.
func (p *pass) inputsOf(ctx context.Context, properties conf.Properties) (string, error) {
	namespace, err := p.namespace(ctx)
	if err != nil {
		return "", err
	}
	environment, _, err := p.environment(ctx)
	if err != nil {
		return "", err
	}
	in := inputs.Inputs{
		Properties: properties, ConfigMap: p.configMaps[p.app.Spec.SparkConfigMap], Settings: inputs.SettingsOf(namespace), Environment: environment,
	}
	if in.Template, err = p.templateHash(); err != nil {
		return "", err
	}
	return in.Hash()
}

// templateHash identifies the run template. A pass that has planned knows it; so does one that goes on with what was planned.
func (p *pass) templateHash() (string, error) {
	switch {
	case p.template != "":
		return p.template, nil
	case p.o.SameTemplate:
		return p.app.Status.TemplateHash, nil
	}
	return templatehash.Of(&p.app.Spec)
}

// buildGranted renders the objects of the attempt that the status names. It returns false if they are not to be made: there is an obstacle,
// or something has changed since the grant was given.
func (p *pass) buildGranted(ctx context.Context) (render.Objects, bool, error) {
	start := lifecycle.Start{Run: p.app.Status.Run, Attempt: p.app.Status.Attempt}
	grant := convert.FromAPI(p.app.Status.Grant)
	objects, found, err := p.build(ctx, start, p.app.Status.Queue, &grant)
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		p.outdated, err = fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap was deleted %s", string(gone), beforeDriver), nil
	case err != nil:
		return objects, false, err
	case grant.Inputs != p.inputs:
		p.outdated = p.whatChanged(grant)
	case len(found) > 0 && found[0].Reason == v1alpha1.ReferenceNotFoundReason:
		p.outdated = found[0].Message + ", and was there when the grant was given; the start is planned again"
	case len(found) > 0:
		p.obstacle = found[0].Message
	default:
		p.outdated, err = p.exceeds(ctx, objects, grant)
	}
	return objects, err == nil && p.outdated == "" && p.obstacle == "", err
}

// accountGone says that the API server has refused a driver because its service account was deleted since the grant was given. Else it returns
// why the driver was refused.
func (p *pass) accountGone(ctx context.Context, obj client.Object, refusal error) (string, error) {
	name := p.app.Spec.Driver.ServiceAccountName
	if name == "" || !isPod(obj) {
		return "", refusal
	}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.app.Namespace, Name: name}, metadata(accountKind))
	if !apierrors.IsNotFound(err) {
		return "", refusal
	}
	p.lookups.put(p.toReference(accountKind, name, ""), notThere)
	return fmt.Sprintf("ServiceAccount %q of spec.driver.serviceAccountName was deleted %s", name, beforeDriver), nil
}

// whatChanged returns what may have changed since a grant was given. A hash tells only that something has.
func (p *pass) whatChanged(grant queueing.Grant) string {
	if grant.Inputs == "" {
		return "the grant is of an earlier operator version that did not record its inputs, and ended " + beforeDriver
	}
	if !p.o.SameTemplate {
		return "the run template has changed " + beforeDriver
	}
	others := []string{"a LimitRange", "the overhead of a RuntimeClass", "a label or annotation sparkgate.io/… of the namespace"}
	if name := p.app.Spec.SparkConfigMap; name != "" {
		others = slices.Insert(others, 0, fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap", name))
	}
	last := len(others) - 1
	return fmt.Sprintf("%s or %s has changed %s", strings.Join(others[:last], ", "), others[last], beforeDriver)
}

// exceeds names what the built pods would request above the grant; empty if there is nothing. Inputs that are the same may mean something else
// to an operator of another version.
func (p *pass) exceeds(ctx context.Context, objects render.Objects, grant queueing.Grant) (string, error) {
	environment, _, err := p.environment(ctx)
	if err != nil {
		return "", err
	}
	sets, err := p.podSets(objects, environment, grant.Gate)
	if err != nil {
		return "", nil // it could be measured when it was planned, so this is the grant's doing, and shows when the pod is made
	}
	for _, set := range sets {
		granted := slices.IndexFunc(grant.PodSets, func(g queueing.PodSetGrant) bool { return g.Name == set.Name && !g.Elastic })
		if granted < 0 {
			continue // none of these pods were granted, nor wanted
		}
		if most := grant.PodSets[granted].Count; !objects.Gated && set.Count > most {
			return fmt.Sprintf("there would be %d pods %s by now, and the grant has %d: something has changed %s", set.Count, set.Name, most, beforeDriver), nil
		}
		for _, name := range slices.Sorted(maps.Keys(set.Requests)) {
			if asks, has := set.Requests[name], grant.PodSets[granted].Requests[name]; asks > has {
				wanted, most := amounts.Quantity(name, asks), amounts.Quantity(name, has)
				return fmt.Sprintf("the %s would request %s %s by now, and the grant has %s: something has changed %s", set.Name, name, wanted.String(), most.String(), beforeDriver), nil
			}
		}
	}
	return "", nil
}

// historyAddress returns where the history server will show an attempt; empty if there is none, or nothing that it could read.
func (p *pass) historyAddress(objects render.Objects) string {
	if logs, err := objects.Properties.Bool(conf.EventLogEnabled, false); err != nil || !logs {
		return ""
	}
	return strings.ReplaceAll(p.HistoryURL, v1alpha1.ApplicationIDToken, objects.Names.ApplicationID)
}
