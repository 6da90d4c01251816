// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package yunikorn

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

const (
	// Name is the name of the gate in the API.
	Name = "YuniKorn"
	// schedulerName is the scheduler name of YuniKorn in pods.
	schedulerName = "yunikorn"
	prefix        = "yunikorn.apache.org/"
)

// Labels and annotations of pods that YuniKorn reads (YuniKorn's documentation, "Labels and Annotations in YuniKorn"
// and "Gang scheduling"). It knows application and queue by a label in its own domain and by an older one. Both get the
// same value, because YuniKorn warns about pods in which they differ.
const (
	appLabel, oldAppLabel     = prefix + "app-id", "applicationId"
	queueLabel, oldQueueLabel = prefix + "queue", "queue"
	groupAnnotation           = prefix + "task-group-name"
	groupsAnnotation          = prefix + "task-groups"
	policyAnnotation          = prefix + "schedulingPolicyParameters"
)

// defaultPolicy is YuniKorn's behaviour without the annotation: placeholders that have found a node keep it for a
// quarter of an hour, and then the pods are scheduled one by one.
const defaultPolicy = "placeholderTimeoutInSeconds=900 gangSchedulingStyle=Soft"

// Gate grants every ask and labels its pods for YuniKorn. It keeps nothing. The zero value is ready to use.
type Gate struct{}

var _ queueing.Gate = Gate{}

// taskGroup is an entry of the annotation task-groups.
type taskGroup struct {
	Name                      string                            `json:"name"`
	MinMember                 int32                             `json:"minMember"`
	MinResource               map[string]resource.Quantity      `json:"minResource"`
	NodeSelector              map[string]string                 `json:"nodeSelector,omitempty"`
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	Affinity                  *corev1.Affinity                  `json:"affinity,omitempty"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
}

// Capabilities implements queueing.Gate.
func (Gate) Capabilities() queueing.Capabilities { return catalog.Of(Name) }

// Sync grants the ask.
func (Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	groups, err := json.Marshal(taskGroups(ask))
	if err != nil {
		return queueing.Verdict{}, fmt.Errorf("write task groups of %s: %w", ask, err)
	}
	grant := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Queue: ask.Queue, Inputs: ask.Inputs}
	for _, set := range ask.PodSets {
		granted := queueing.PodSetGrant{
			Name: set.Name, Count: set.Count, Requests: set.Requests.Clone(), SchedulerName: schedulerName,
			Labels: labels(ask), Annotations: map[string]string{groupAnnotation: groupName(set.Name)},
		}
		if set.Name == ask.Lead {
			granted.Annotations[groupsAnnotation] = string(groups)
			granted.Annotations[policyAnnotation] = policy(ask)
		}
		grant.PodSets = append(grant.PodSets, granted)
	}
	return queueing.Verdict{State: queueing.Granted, Reason: queueing.ReasonDelegatedToScheduler, Grant: grant}, nil
}

// Persisted does nothing, because the gate keeps no grants.
func (Gate) Persisted(context.Context, queueing.Key, queueing.Grant) {}

// Release does nothing, because the gate keeps no grants, and YuniKorn ends an application when its pods have ended.
func (Gate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }

// labels returns the labels of all pods of an ask. The id is Spark's own, because YuniKorn also reads the label that
// Spark sets on its pods. Applications that name no queue have the queue default; YuniKorn's placement rules choose a
// queue for them, so no label is set.
func labels(ask queueing.Ask) map[string]string {
	id := ask.Objects.Name
	if lead := ask.Objects.Templates[ask.Lead]; lead != nil && lead.Labels[v1alpha1.SparkSelectorLabel] != "" {
		id = lead.Labels[v1alpha1.SparkSelectorLabel]
	}
	all := map[string]string{appLabel: id, oldAppLabel: id}
	if ask.Queue != v1alpha1.DefaultQueue {
		all[queueLabel], all[oldQueueLabel] = ask.Queue, ask.Queue
	}
	return all
}

func groupName(podSet string) string { return "spark-" + podSet }

// taskGroups returns the task groups of the base gang. A pod set without members has no group, because YuniKorn does
// not allow empty groups.
func taskGroups(ask queueing.Ask) []taskGroup {
	var groups []taskGroup
	for _, set := range ask.PodSets {
		if set.Least() == 0 {
			continue
		}
		group := taskGroup{Name: groupName(set.Name), MinMember: set.Least(), MinResource: map[string]resource.Quantity{}}
		for name, amount := range set.Requests {
			if name != string(corev1.ResourcePods) { // YuniKorn counts pods itself
				group.MinResource[name] = amounts.Quantity(name, amount)
			}
		}
		if pod := ask.Objects.Templates[set.Name]; pod != nil {
			group.NodeSelector, group.Tolerations, group.Affinity = pod.Spec.NodeSelector, pod.Spec.Tolerations, pod.Spec.Affinity
			group.TopologySpreadConstraints = pod.Spec.TopologySpreadConstraints
		}
		groups = append(groups, group)
	}
	return groups
}

// policy returns the scheduling policy in the application's own annotation, or else the default.
func policy(ask queueing.Ask) string {
	if own := ask.Objects.UserAnnotations[policyAnnotation]; own != "" {
		return own
	}
	return defaultPolicy
}
