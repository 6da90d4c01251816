// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// Keys that Kueue interprets (kueue v0.19, pkg/constants and pkg/controller/constants; they are not part of its API
// packages).
const (
	jobUIDLabel       = "kueue.x-k8s.io/job-uid"
	podSetLabel       = "kueue.x-k8s.io/podset"
	localQueueLabel   = "kueue.x-k8s.io/local-queue-name"
	clusterQueueLabel = "kueue.x-k8s.io/cluster-queue-name"
	// provisioningPrefix is the prefix of annotations with parameters of a ProvisioningRequest.
	provisioningPrefix = "provreq.kueue.x-k8s.io/"
	// gatedByAnnotation names, separated by commas, what must happen before Kueue considers a Workload. Whoever is
	// responsible for one removes its name.
	gatedByAnnotation = "kueue.x-k8s.io/admission-gated-by"
)

// Our own annotations on a Workload.
const (
	// fingerprintAnnotation identifies what was asked for, so that a change is recognized without the pods.
	fingerprintAnnotation = "sparkgate.io/ask"
	// inputsAnnotation identifies the inputs of the ask, and so of the grant, because a Workload with quota is not
	// changed.
	inputsAnnotation = "sparkgate.io/inputs"
	// heldAnnotation says that spec.active is false because the asker wants no quota now, and not because a user has
	// deactivated the Workload.
	heldAnnotation = "sparkgate.io/held"
)

// workloadOf returns the Workload for an ask.
func workloadOf(ask queueing.Ask, class *priorityClass) *kueuev1.Workload {
	active := true
	w := &kueuev1.Workload{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: ask.Key.Namespace, Name: ask.Objects.Name,
			Labels: maps.Clone(ask.Objects.Labels), Annotations: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{ask.Objects.Owner}, Finalizers: []string{kueuev1.ResourceInUseFinalizerName},
		},
		Spec: kueuev1.WorkloadSpec{QueueName: kueuev1.LocalQueueName(ask.Queue), Active: &active, Priority: &ask.Priority},
	}
	metav1.SetMetaDataLabel(&w.ObjectMeta, jobUIDLabel, ask.Key.UID)
	w.Labels[v1alpha1.RunLabel], w.Labels[v1alpha1.AttemptLabel] = number(ask.Run), number(ask.Attempt)
	provision(w, ask.Objects.UserAnnotations)
	if gates := ask.Objects.UserAnnotations[gatedByAnnotation]; gates != "" {
		w.Annotations[gatedByAnnotation] = gates
	}
	if class != nil {
		w.Spec.PriorityClassRef, w.Spec.Priority = &class.ref, &class.value
	}
	for _, p := range ask.PodSets {
		if p.Count > 0 {
			w.Spec.PodSets = append(w.Spec.PodSets, podSetOf(p, ask.Objects.Templates[p.Name]))
		}
	}
	if ask.Inputs != "" {
		w.Annotations[inputsAnnotation] = ask.Inputs
	}
	w.Annotations[fingerprintAnnotation] = fingerprint(w)
	w.Annotations[queueing.PlaceAnnotation] = ask.Place()
	return w
}

// provision copies the annotations with parameters of a ProvisioningRequest.
func provision(w *kueuev1.Workload, annotations map[string]string) {
	for key, value := range annotations {
		if strings.HasPrefix(key, provisioningPrefix) {
			w.Annotations[key] = value
		}
	}
}

// priorityClass is a class of either kind, with its value.
type priorityClass struct {
	ref   kueuev1.PriorityClassRef
	value int32
}

func podSetOf(p queueing.PodSet, template *corev1.PodTemplateSpec) kueuev1.PodSet {
	set := kueuev1.PodSet{Name: kueuev1.NewPodSetReference(p.Name), Count: p.Count}
	if least := p.Least(); least < p.Count {
		set.MinCount = &least
	}
	if template != nil {
		set.Template, set.TopologyRequest = *described(template), topologyOf(template.Annotations)
	}
	return set
}

// described returns a copy of a template without the parts that do not matter for quota: commands, arguments and
// environment variables. These may contain secrets, which are expected in the pod but not elsewhere.
func described(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	d := template.DeepCopy()
	for _, containers := range [][]corev1.Container{d.Spec.InitContainers, d.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			containers[i] = corev1.Container{Name: c.Name, Image: c.Image, RestartPolicy: c.RestartPolicy, Ports: c.Ports, Resources: c.Resources}
		}
	}
	return d
}

// topologyOf reads the topology request from the annotations of a pod template, as Kueue does for its own kinds, or
// returns nil if there is none.
func topologyOf(annotations map[string]string) *kueuev1.PodSetTopologyRequest {
	request, found := &kueuev1.PodSetTopologyRequest{}, false
	for key, field := range map[string]**string{
		kueuev1.PodSetRequiredTopologyAnnotation:  &request.Required,
		kueuev1.PodSetPreferredTopologyAnnotation: &request.Preferred,
		kueuev1.PodSetGroupName:                   &request.PodSetGroupName,
	} {
		if value := annotations[key]; value != "" {
			*field, found = &value, true
		}
	}
	if annotations[kueuev1.PodSetUnconstrainedTopologyAnnotation] == "true" {
		yes := true
		request.Unconstrained, found = &yes, true
	}
	if !found {
		return nil
	}
	return request
}

// fingerprint returns a short digest of everything in a Workload that the ask determines.
func fingerprint(w *kueuev1.Workload) string {
	annotations := maps.Clone(w.Annotations)
	delete(annotations, fingerprintAnnotation)
	text, err := json.Marshal([]any{w.Spec.QueueName, w.Spec.PodSets, w.Spec.PriorityClassRef, w.Spec.Priority, annotations})
	if err != nil {
		panic(fmt.Sprintf("encode a Workload: %v", err)) // plain data
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// differs reports whether a Workload differs from the wanted one in what it asks for, its attempt or its place in the
// queue, or is held.
func differs(w, wanted *kueuev1.Workload) bool {
	return w.Annotations[fingerprintAnnotation] != wanted.Annotations[fingerprintAnnotation] || held(w) ||
		queueing.LaterPlace(w.Annotations, wanted.Annotations) ||
		w.Labels[v1alpha1.RunLabel] != wanted.Labels[v1alpha1.RunLabel] || w.Labels[v1alpha1.AttemptLabel] != wanted.Labels[v1alpha1.AttemptLabel]
}

// changed returns a copy of a Workload that asks for what is wanted now. Everything that others have added stays.
func changed(w, wanted *kueuev1.Workload) *kueuev1.Workload {
	c := w.DeepCopy()
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	maps.Copy(c.Labels, wanted.Labels)
	maps.DeleteFunc(c.Annotations, func(key, _ string) bool { return strings.HasPrefix(key, provisioningPrefix) })
	gates := remainingGates(w, wanted)
	maps.Copy(c.Annotations, wanted.Annotations)
	if c.Annotations[gatedByAnnotation] = gates; gates == "" {
		delete(c.Annotations, gatedByAnnotation)
	}
	if held(w) {
		delete(c.Annotations, heldAnnotation)
		c.Spec.Active = wanted.Spec.Active
	}
	if !hasFinalizer(c) {
		c.Finalizers = append(c.Finalizers, kueuev1.ResourceInUseFinalizerName)
	}
	c.Spec.PodSets, c.Spec.QueueName = wanted.Spec.PodSets, wanted.Spec.QueueName
	c.Spec.PriorityClassRef, c.Spec.Priority = wanted.Spec.PriorityClassRef, wanted.Spec.Priority
	return c
}

// remainingGates returns the admission gates of a Workload that are still wanted. Kueue allows to remove gates from a
// Workload, but not to add any.
func remainingGates(w, wanted *kueuev1.Workload) string {
	still := gatesOf(wanted)
	return strings.Join(slices.DeleteFunc(gatesOf(w), func(gate string) bool { return !slices.Contains(still, gate) }), ",")
}

// gatesOf returns the admission gates of a Workload.
func gatesOf(w *kueuev1.Workload) []string {
	gates := strings.Split(w.Annotations[gatedByAnnotation], ",")
	for i := range gates {
		gates[i] = strings.TrimSpace(gates[i])
	}
	return gates
}

// held reports whether we want no quota for now.
func held(w *kueuev1.Workload) bool { return w.Annotations[heldAnnotation] != "" }

// deactivated reports whether a user or another controller has deactivated the Workload.
func deactivated(w *kueuev1.Workload) bool { return inactive(w) && !held(w) }
