// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// activeMessage returns the message of the condition of a queue without problems.
func activeMessage(queue *v1alpha1.SparkQueue, s State) string {
	where := "spec.stopPolicy"
	if s.StoppedBy != queue.Name {
		where = fmt.Sprintf("spec.stopPolicy of queue %s above it", s.StoppedBy)
	}
	switch {
	case s.Drained:
		return fmt.Sprintf("drained: %s is %s, so nothing is admitted and what runs is stopped", where, v1alpha1.StopPolicyHoldAndDrain)
	case s.StoppedBy != "":
		return fmt.Sprintf("held: %s is %s, so nothing is admitted; what runs continues", where, v1alpha1.StopPolicyHold)
	case queue.Spec.MaxRunning != nil && *queue.Spec.MaxRunning == 0:
		return "admits no applications: spec.maxRunning is 0"
	case s.Inner:
		return "shares its quota among the queues below it, and admits no applications itself"
	case queue.Spec.NamespaceSelector == nil:
		return "admits no applications: it has no spec.namespaceSelector; {} admits every namespace"
	}
	return "" // the default message of the state applies
}

// short formats cpu in cores if it is a whole number of millicores, and everything else as Kubernetes does.
func short(name string, q resource.Quantity) string {
	milli := q.MilliValue()
	if name == string(corev1.ResourceCPU) && q.Cmp(*resource.NewMilliQuantity(milli, resource.DecimalSI)) == 0 {
		return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
	}
	return amounts.Text(q)
}

// summary returns used/nominal by resource, summed over all flavors.
func summary(usage []v1alpha1.QueueUsage) map[string]string {
	type sums struct{ used, nominal resource.Quantity }
	byResource := map[string]*sums{}
	for _, u := range usage {
		if u.Nominal == nil {
			continue
		}
		if byResource[u.Resource] == nil {
			byResource[u.Resource] = &sums{}
		}
		byResource[u.Resource].used.Add(u.Used)
		byResource[u.Resource].nominal.Add(*u.Nominal)
	}
	if len(byResource) == 0 {
		return nil
	}
	out := make(map[string]string, len(byResource))
	for name, s := range byResource {
		out[name] = short(name, s.used) + "/" + short(name, s.nominal)
	}
	return out
}
