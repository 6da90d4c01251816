// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// contradiction is the error that an admission demands another value for a key than the pod already has.
type contradiction struct{ podSet, kind, key, has, wants string }

func (c *contradiction) Error() string {
	return fmt.Sprintf("Kueue wants the %s %s=%s on the %s, which has %s=%s already: remove it from the pods, or change the flavor or "+
		"admission check that sets it", c.kind, c.key, c.wants, c.podSet, c.key, c.has)
}

// missingFlavor is the error that an assigned ResourceFlavor does not exist.
type missingFlavor string

func (m missingFlavor) Error() string {
	return fmt.Sprintf("ResourceFlavor %s, which Kueue has assigned, does not exist", string(m))
}

// heldBy returns a grant for what a Workload holds, without pods: enough to release it.
func heldBy(w *kueuev1.Workload) *queueing.Grant {
	g := &queueing.Grant{Gate: Name, Queue: string(w.Spec.QueueName)}
	_, _ = fmt.Sscan(w.Labels[v1alpha1.RunLabel], &g.Run)
	_, _ = fmt.Sscan(w.Labels[v1alpha1.AttemptLabel], &g.Attempt)
	return g
}

// fulfils reports whether the quota of a Workload is in the queue of the ask and sufficient for the smallest gang of
// the ask. If the quota still waits for admission checks, it must also be for the inputs of the ask, because otherwise
// its grant would be released once the checks pass. For an admitted Workload, the comparison of the grant's inputs
// takes care of that.
func fulfils(w *kueuev1.Workload, ask queueing.Ask) bool {
	if string(w.Spec.QueueName) != ask.Queue || !admitted(w) && w.Annotations[inputsAnnotation] != ask.Inputs {
		return false
	}
	return w.Status.Admission == nil || !slices.ContainsFunc(ask.PodSets, func(p queueing.PodSet) bool {
		i := assignmentOf(w, p.Name)
		return p.Count > 0 && (i < 0 || ptr.Deref(w.Status.Admission.PodSetAssignments[i].Count, p.Count) < p.Least())
	})
}

// assignmentOf returns the index of a pod set among the assignments of an admission, or -1 if it has none.
func assignmentOf(w *kueuev1.Workload, podSet string) int {
	return slices.IndexFunc(w.Status.Admission.PodSetAssignments, func(a kueuev1.PodSetAssignment) bool {
		return a.Name == kueuev1.NewPodSetReference(podSet)
	})
}

// grantOf returns the grant for an admission: count and flavor of each pod set, with everything that places the pods.
// The error is a *contradiction or a missingFlavor.
func grantOf(ask queueing.Ask, w *kueuev1.Workload, flavor func(string) *kueuev1.ResourceFlavor) (*queueing.Grant, error) {
	g := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Queue: ask.Queue, SchedulingGated: ask.Elastic != "", Inputs: w.Annotations[inputsAnnotation]}
	for _, p := range ask.PodSets {
		i := assignmentOf(w, p.Name)
		if i < 0 {
			continue // none of these pods were requested
		}
		set, err := assigner{w, flavor, ask.Objects.Templates[p.Name]}.assigned(p, &w.Status.Admission.PodSetAssignments[i])
		if err != nil {
			return nil, err
		}
		g.PodSets = append(g.PodSets, *set)
	}
	return g, nil
}

// assigner is what the grant of a pod set depends on.
type assigner struct {
	w        *kueuev1.Workload
	flavor   func(string) *kueuev1.ResourceFlavor
	template *corev1.PodTemplateSpec
}

// assigned returns the grant of one pod set.
func (s assigner) assigned(p queueing.PodSet, a *kueuev1.PodSetAssignment) (*queueing.PodSetGrant, error) {
	set := &queueing.PodSetGrant{Name: p.Name, Count: p.Count, Requests: p.Requests.Clone()}
	if a.Count != nil {
		set.Count = *a.Count
	}
	m := &merger{set: set, template: s.template}
	names := flavorsOf(a)
	set.Flavor = flavorName(names)
	for _, name := range names {
		f := s.flavor(name)
		if f == nil {
			return nil, missingFlavor(name)
		}
		m.place(f.Spec.NodeLabels, f.Spec.Tolerations)
	}
	for i := range s.w.Status.AdmissionChecks {
		for _, u := range s.w.Status.AdmissionChecks[i].PodSetUpdates {
			if u.Name == a.Name {
				m.place(u.NodeSelector, u.Tolerations)
				m.mark(u.Labels, u.Annotations)
			}
		}
	}
	m.mark(marks(s.w, a))
	if a.TopologyAssignment != nil {
		m.spread()
	}
	if m.found != nil {
		m.found.podSet = p.Name
		return nil, m.found
	}
	return set, nil
}

// flavorsOf returns the distinct flavors of an assignment, sorted.
func flavorsOf(a *kueuev1.PodSetAssignment) []string {
	var names []string
	for _, name := range a.Flavors {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// flavorName returns one name for all flavors of an assignment, which is a valid label value. Flavor names do not
// contain underscores.
func flavorName(names []string) string {
	name := strings.Join(names, "_")
	if len(name) > validation.LabelValueMaxLength {
		digest := sha256.Sum256([]byte(name))
		name = name[:validation.LabelValueMaxLength-9] + "_" + hex.EncodeToString(digest[:4])
	}
	return name
}

// marks returns the labels and annotations by which Kueue recognizes pods. The name of the Workload is set only on pods
// that wait for a topology: for each pod that has it, Kueue looks for slices of Workloads, which keeps failing for
// kinds that it does not know (kueue v0.19, pkg/controller/elasticjobs).
func marks(w *kueuev1.Workload, a *kueuev1.PodSetAssignment) (labels, annotations map[string]string) {
	labels = map[string]string{podSetLabel: string(a.Name)}
	for key, value := range map[string]string{localQueueLabel: string(w.Spec.QueueName), clusterQueueLabel: string(w.Status.Admission.ClusterQueue)} {
		if len(validation.IsValidLabelValue(value)) == 0 {
			labels[key] = value
		}
	}
	if a.TopologyAssignment != nil {
		annotations = map[string]string{kueuev1.WorkloadAnnotation: w.Name}
	}
	return labels, annotations
}

// merger combines everything that an admission demands for a pod set, and finds contradictions.
type merger struct {
	set      *queueing.PodSetGrant
	template *corev1.PodTemplateSpec
	found    *contradiction
}

func (m *merger) place(nodeSelector map[string]string, tolerations []corev1.Toleration) {
	var has map[string]string
	if m.template != nil {
		has = m.template.Spec.NodeSelector
	}
	m.set.NodeSelector = m.merge("node selector", has, m.set.NodeSelector, nodeSelector)
	for _, t := range tolerations {
		same := func(o corev1.Toleration) bool { return o.MatchToleration(&t) }
		if !slices.ContainsFunc(m.set.Tolerations, same) {
			m.set.Tolerations = append(m.set.Tolerations, *t.DeepCopy())
		}
	}
}

func (m *merger) mark(labels, annotations map[string]string) {
	var hasLabels, hasAnnotations map[string]string
	if m.template != nil {
		hasLabels, hasAnnotations = m.template.Labels, m.template.Annotations
	}
	m.set.Labels = m.merge("label", hasLabels, m.set.Labels, labels)
	m.set.Annotations = m.merge("annotation", hasAnnotations, m.set.Annotations, annotations)
}

// spread lets Kueue choose the node of each pod: the pods get its scheduling gate, which Kueue removes (kueue v0.19,
// topology-aware scheduling).
func (m *merger) spread() {
	m.set.SchedulingGates = append(m.set.SchedulingGates, kueuev1.TopologySchedulingGate)
	if m.template == nil || !asksForTopology(m.template.Annotations) {
		m.mark(nil, map[string]string{kueuev1.PodSetUnconstrainedTopologyAnnotation: "true"})
	}
}

// asksForTopology reports whether the annotations of a pod make Kueue choose its node. Annotations that only ask for
// placement near other pods do not.
func asksForTopology(annotations map[string]string) bool {
	request := topologyOf(annotations)
	return request != nil && (request.Required != nil || request.Preferred != nil || request.Unconstrained != nil)
}

// merge adds the wanted values to set. If the pod or another demand has a different value for a key, that is a
// contradiction.
func (m *merger) merge(kind string, has, set, wants map[string]string) map[string]string {
	for _, key := range slices.Sorted(maps.Keys(wants)) {
		value := wants[key]
		for _, known := range []map[string]string{has, set} {
			if other, there := known[key]; there && other != value && m.found == nil {
				m.found = &contradiction{kind: kind, key: key, has: other, wants: value}
			}
		}
		if set == nil {
			set = map[string]string{}
		}
		set[key] = value
	}
	return set
}
