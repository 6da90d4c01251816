// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tracker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Tracker is what applies an object. The zero value is none.
type Tracker struct {
	known *tool
	// namespace and owner are the names of the object that says what is applied, such as team-a and jobs; empty if the
	// mark does not have them.
	namespace, owner string
}

// tool is what is known of a tool.
type tool struct {
	name string
	// key is the label or annotation with which it marks its objects, namespaceKey the one with the owner's namespace.
	key, namespaceKey string
	habits
}

// habits are what a tool does with the objects that it applies.
type habits struct {
	// kind is the kind of the owner, whose name is the value of the mark; empty if the mark has another value.
	kind string
	// manager is the field manager of its writes.
	manager string
	// again is when it applies its objects, and remedy what to change instead.
	again, remedy string
	// command stops it, followed by the name of the owner; empty if there is none.
	command string
}

const (
	argo = "Argo CD"
	// noLonger is the annotation by which Flux leaves an object alone, if its value is "disabled".
	noLonger = "kustomize.toolkit.fluxcd.io/reconcile"
	// lastApplied is the annotation with what was applied last on the client's side. It stays when another manager takes
	// over a field.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

var (
	others        = habits{again: "at its next pass"}
	kustomization = habits{"Kustomization", "kustomize-controller", "at its next reconciliation", "change it in Git", "flux suspend kustomization "}
	helmRelease   = habits{"HelmRelease", "helm-controller", "with its next upgrade, or sooner if it corrects drift", "change its values", "flux suspend helmrelease "}
	application   = habits{kind: "Argo CD Application", manager: "argocd-controller", again: "with its next sync, at once under selfHeal", remedy: "change it in Git"}
	helm          = habits{kind: "Helm release", manager: "helm", again: "with its next upgrade", remedy: "change its values"}
)

// tools are the known tools. The first one whose mark an object has counts: charts write the last mark on anything.
var tools = []tool{
	{"Flux", "kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace", kustomization},
	{"Flux", "helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace", helmRelease},
	{"Flux", "resourceset.fluxcd.controlplane.io/name", "", others},
	{"Config Sync", "configmanagement.gke.io/managed", "", others},
	{"Fleet", "objectset.rio.cattle.io/id", "", others},
	{argo, "argocd.argoproj.io/tracking-id", "", application},
	{argo, "argocd.argoproj.io/instance", "", application},
	{"Helm", "meta.helm.sh/release-name", "meta.helm.sh/release-namespace", helm},
	{argo, "app.kubernetes.io/instance", "", application},
}

// Keys returns the labels and annotations that Of reads.
func Keys() []string {
	var keys []string
	for i := range tools {
		if keys = append(keys, tools[i].key); tools[i].namespaceKey != "" {
			keys = append(keys, tools[i].namespaceKey)
		}
	}
	return keys
}

// Of returns the tracker of an object. What a schedule has created has none, whatever labels the template of the schedule
// has. Others than Argo CD may set the label app.kubernetes.io/instance as well: it counts unless Helm has set it.
func Of(o metav1.Object) Tracker {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind {
		return Tracker{}
	}
	for i := range tools {
		known := &tools[i]
		value := markOf(o, known.key)
		if value == "" {
			continue
		}
		if known.kind == "" {
			return Tracker{known: known}
		}
		owner, _, _ := strings.Cut(value, ":") // a tracking-id goes on with the name of the object
		return Tracker{known, markOf(o, known.namespaceKey), owner}
	}
	return Tracker{}
}

func markOf(o metav1.Object, key string) string {
	if value := o.GetLabels()[key]; value != "" {
		return value
	}
	return o.GetAnnotations()[key]
}

// Known reports whether there is a tracker.
func (t Tracker) Known() bool { return t.known != nil }

// Tool returns the name of the tool, such as Flux, and the label or annotation by which it is known.
func (t Tracker) Tool() (name, key string) { return t.known.name, t.known.key }

// String returns the owner, such as "Kustomization team-a/jobs", or the name of the tool if the owner is not known; empty if
// there is none.
func (t Tracker) String() string {
	switch {
	case t.known == nil:
		return ""
	case t.owner == "":
		return t.known.name
	case t.namespace == "":
		return t.known.kind + " " + t.owner
	}
	return t.known.kind + " " + t.namespace + "/" + t.owner
}

// AfterDeletion says what follows if a user deletes the object by hand; empty if no tool creates it again.
func AfterDeletion(o metav1.Object) string {
	t := Of(o)
	if !t.Known() || o.GetAnnotations()[noLonger] == "disabled" {
		return ""
	}
	return fmt.Sprintf("%s creates it again %s, and it runs again: remove its manifest there", t, t.known.again)
}

// AfterSuspension says what follows if a user changes spec.suspend of the object to wanted by hand; empty if no tool
// sets it back.
func AfterSuspension(o metav1.Object, wanted bool) string {
	t := Of(o)
	if !t.Known() || o.GetAnnotations()[noLonger] == "disabled" || !t.declares(o, wanted) {
		return ""
	}
	text := fmt.Sprintf("%s declares spec.suspend and sets it back %s: %s", t, t.known.again, t.known.remedy)
	if t.known.command == "" {
		return text
	}
	return fmt.Sprintf("%s, or first run %s%s -n %s", text, t.known.command, t.owner, t.namespace)
}

// declares reports whether the tool declares a spec.suspend that is not the wanted one. If it is the manager of the field,
// the value of the object is its own.
func (t Tracker) declares(o metav1.Object, wanted bool) bool {
	if slices.ContainsFunc(o.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == t.known.manager && entry.Subresource == "" && hasSuspend(entry.FieldsV1)
	}) {
		return true
	}
	var applied struct {
		Spec struct {
			Suspend *bool `json:"suspend"`
		} `json:"spec"`
	}
	return t.known.name == argo && json.Unmarshal([]byte(o.GetAnnotations()[lastApplied]), &applied) == nil &&
		applied.Spec.Suspend != nil && *applied.Spec.Suspend != wanted
}

// hasSuspend reports whether a set of fields has spec.suspend.
func hasSuspend(fields *metav1.FieldsV1) bool {
	var set struct {
		Spec map[string]json.RawMessage `json:"f:spec"`
	}
	if fields == nil || json.Unmarshal(fields.GetRawBytes(), &set) != nil {
		return false
	}
	_, has := set.Spec["f:suspend"]
	return has
}
