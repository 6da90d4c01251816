// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// hookAnnotation makes an object a hook of Helm.
const hookAnnotation = "helm.sh/hook"

// hooks warns about objects of the project's kinds that are hooks of Helm, which does not wait for them.
func hooks(objects []Object) []Finding {
	var findings []Finding
	for i := range objects {
		o := &objects[i]
		var meta metav1.PartialObjectMetadata
		if o.APIVersion != v1alpha1.GroupVersion.String() || json.Unmarshal(o.JSON, &meta) != nil || meta.Annotations[hookAnnotation] == "" {
			continue
		}
		remedy := "remove the annotation"
		if o.Kind == v1alpha1.SparkApplicationKind {
			remedy = fmt.Sprintf("make the hook a Job that runs sparkctl rerun %s --wait, or install the application as a release of its own on which the other one depends", o.Name)
		}
		findings = append(findings, o.Place([]Finding{{Warning: true, Field: "metadata.annotations[" + hookAnnotation + "]", Message: fmt.Sprintf(
			"Helm waits for the end of Jobs and Pods only, so a hook of the kind %s succeeds as soon as it is created, whatever becomes of it: %s", o.Kind, remedy)}})...)
	}
	return findings
}

// closedQueues warns about applications, and templates of schedules, that name a queue of the files which admits no
// namespace.
func closedQueues(objects []Object) []Finding {
	closed := map[string]bool{}
	for i := range objects {
		var queue v1alpha1.SparkQueue
		if o := &objects[i]; o.Kind == v1alpha1.SparkQueueKind && json.Unmarshal(o.JSON, &queue) == nil {
			closed[o.Name] = queue.Spec.NamespaceSelector == nil
		}
	}
	var findings []Finding
	for i := range objects {
		o := &objects[i]
		spec, at := specOf(o)
		if spec == nil || spec.Queue == nil || !closed[spec.Queue.Name] || !catalog.Of(Placement(&v1alpha1.SparkApplication{Spec: *spec}).Gate).SparkQueues {
			continue
		}
		findings = append(findings, o.Place([]Finding{{Warning: true, Field: at + ".queue.name", Message: fmt.Sprintf(
			"queue %s admits no namespace: it has no namespaceSelector; set that in the queue, {} admits every namespace", spec.Queue.Name)}})...)
	}
	return findings
}
