// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// finding is a mistake in a queue's spec, or a field that this version does not honour.
type finding struct {
	state   status.QueueState
	message string
}

// defaultHeadTimeout may be written out although nothing watches it yet.
const defaultHeadTimeout = 10 * time.Minute

// checks are what a queue's spec has to pass, in order; the first finding is published.
var checks = []func(*v1alpha1.SparkQueueSpec) *finding{
	checkSelector,
	checkHeadTimeout,
}

func check(queue *v1alpha1.SparkQueue) *finding {
	for _, c := range checks {
		if f := c(&queue.Spec); f != nil {
			return f
		}
	}
	return nil
}

func checkSelector(s *v1alpha1.SparkQueueSpec) *finding {
	if s.NamespaceSelector == nil {
		return nil
	}
	if _, err := metav1.LabelSelectorAsSelector(s.NamespaceSelector); err != nil {
		return &finding{status.QueueInvalidSpec, fmt.Sprintf("spec.namespaceSelector: %v; correct the selector", err)}
	}
	return nil
}

func checkHeadTimeout(s *v1alpha1.SparkQueueSpec) *finding {
	if s.HeadTimeout != nil && s.HeadTimeout.Duration != defaultHeadTimeout {
		return notYet("spec.headTimeout", s.HeadTimeout.Duration.String(), "remove it, or set spec.strategy to StrictFIFO")
	}
	return nil
}

// short prints cpu in cores, everything else as Kubernetes does.
func short(name string, q resource.Quantity) string {
	if name == string(corev1.ResourceCPU) {
		return strconv.FormatFloat(float64(q.MilliValue())/1000, 'f', -1, 64)
	}
	return q.String()
}

func notYet(field, value, remedy string) *finding {
	return &finding{status.QueueNotYetSupported, fmt.Sprintf("%s: %q is not honoured by this version; %s", field, value, remedy)}
}

// summary is used/nominal by resource, over all flavors.
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
