// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// CreateFailedReason is the reason of events about companions that could not be created or changed.
const CreateFailedReason = "CompanionCreateFailed"

// The kinds of companions.
var (
	ServiceKind = schema.GroupVersionKind{Version: "v1", Kind: "Service"}
	IngressKind = schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}
	BudgetKind  = schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}
	RouteKind   = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}
	// GRPCKind and PolicyKind are those of servers.
	GRPCKind   = schema.GroupVersionKind{Group: RouteKind.Group, Version: RouteKind.Version, Kind: "GRPCRoute"}
	PolicyKind = schema.GroupVersionKind{Group: IngressKind.Group, Version: IngressKind.Version, Kind: "NetworkPolicy"}
)

// Kinds are the kinds of companions, in the order in which they are built.
var Kinds = []schema.GroupVersionKind{ServiceKind, BudgetKind, IngressKind, RouteKind, GRPCKind, PolicyKind}

// Input is everything that the companions depend on.
type Input struct {
	// App is the application, which is not changed. Its name, namespace, uid and spec are read, its status is not.
	App *v1alpha1.SparkApplication
	// Run and Attempt are the numbers of the attempt that the companions belong to, both from 1.
	Run, Attempt int64
	// Queue is the resolved name of the queue, for the label.
	Queue string
	// Started reports that the run has started for the first time and has not ended.
	Started bool
	// Live reports that the attempt holds its quota: its driver is being created, runs, or ends.
	Live bool
	// UIPort is the port of the web interface in the Service of the attempt; 0 if it has none.
	UIPort int32
	// Withheld are the fields that would expose the web interface or the server but must not.
	Withheld map[string]bool
	// RouteTLS reports that the Gateway serves the route over TLS. Only Address uses it.
	RouteTLS bool
}

// InputOf returns the input for an application, from its status, without UIPort and RouteTLS.
func InputOf(app *v1alpha1.SparkApplication) Input {
	s := &app.Status
	in := Input{App: app, Run: s.Run, Attempt: s.Attempt, Queue: s.Queue}
	if app.DeletionTimestamp.IsZero() {
		in.Live = s.Grant != nil
		in.Started = s.Times.Finished == nil && (s.Driver != nil || s.Attempt > 1)
	}
	return in
}

// Uses reports whether a spec asks for a companion, or for additions to the Service of the web interface.
func Uses(spec *v1alpha1.SparkApplicationSpec) bool {
	return spec.DriverService != nil || spec.Server != nil || spec.PodDisruptionBudget == v1alpha1.DisruptionDriver || UsesUI(spec)
}

// UsesUI reports whether a spec has settings for the web interface.
func UsesUI(spec *v1alpha1.SparkApplicationSpec) bool {
	return spec.UI != nil && *spec.UI != (v1alpha1.UserInterface{})
}

// Build returns the companions that should exist now, complete, in the order of Kinds.
func Build(in Input) ([]*unstructured.Unstructured, error) {
	b := build{Input: in, names: render.NamesOf(in.App, in.Run, in.Attempt)}
	var all []*unstructured.Unstructured
	for _, part := range []struct {
		kind   schema.GroupVersionKind
		object any
	}{
		{PolicyKind, b.serverPolicy()}, {ServiceKind, b.service()}, {BudgetKind, b.budget()}, {IngressKind, b.ingress()}, {RouteKind, b.route()},
		{IngressKind, b.serverIngress()}, {GRPCKind, b.serverRoute()},
	} {
		if part.object == nil {
			continue
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(part.object)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", part.kind.Kind, err)
		}
		delete(fields, "status")
		object := &unstructured.Unstructured{Object: fields}
		object.SetGroupVersionKind(part.kind)
		all = append(all, object)
	}
	return all, nil
}

// build is what the parts of one Build share.
type build struct {
	Input
	names render.Names
}

// meta returns the metadata of a companion.
func (b build) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       b.App.Namespace,
		Labels:          render.LabelsOf(b.App, b.Run, b.Attempt, b.Queue),
		OwnerReferences: []metav1.OwnerReference{render.OwnerOf(b.App)},
	}
}

// driverLabels returns the labels that select the driver of the attempt.
func (b build) driverLabels() map[string]string {
	labels := b.meta("").Labels
	return map[string]string{
		v1alpha1.ApplicationUIDLabel: labels[v1alpha1.ApplicationUIDLabel],
		v1alpha1.RunLabel:            labels[v1alpha1.RunLabel],
		v1alpha1.AttemptLabel:        labels[v1alpha1.AttemptLabel],
		v1alpha1.SparkRoleLabel:      v1alpha1.SparkRoleDriver,
	}
}

// exposed reports whether the web interface is exposed to the outside.
func (b build) exposed() bool { return b.Live && b.UIPort > 0 && b.App.Spec.UI != nil }

// filled returns texts with their placeholders replaced.
func (b build) filled(texts map[string]string) map[string]string {
	if len(texts) == 0 {
		return nil
	}
	out := make(map[string]string, len(texts))
	for key, text := range texts {
		out[key] = conf.FillIn(b.App, text)
	}
	return out
}
