// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"encoding/json"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/adopt/kubeflow"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
)

// kind is the kind of their applications.
var kind = schema.GroupVersionKind{Group: kubeflow.Group, Version: "v1beta2", Kind: "SparkApplication"}

// AddToScheme adds the kinds of theirs that the operator reads.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypeWithName(kind, &Application{})
	scheme.AddKnownTypeWithName(kind.GroupVersion().WithKind(kind.Kind+"List"), &ApplicationList{})
	metav1.AddToGroupVersion(scheme, kind.GroupVersion())
	return nil
}

// Application is a SparkApplication of theirs, as far as the operator reads and writes it.
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	// Spec is as stored; nil in the cache.
	Spec   json.RawMessage `json:"spec,omitempty"`
	Status Status          `json:"status,omitzero"`

	// kept is what the cache keeps of spec and metadata.
	kept kept
}

// kept is what is kept of a spec and of metadata, whose sizes nothing bounds.
type kept struct {
	// hash is that of what the spec runs, made that of the spec and its annotation.
	hash, made string
	// tracked reports whether a tool would create the object again, queue is the one of Kueue.
	tracked bool
	queue   string

	Suspend           bool   `json:"suspend"`
	TimeToLiveSeconds *int64 `json:"timeToLiveSeconds"`
}

// ApplicationList is a list of Applications.
type ApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Application `json:"items"`
}

// Status is the status of an Application, in the words of their operator.
type Status struct {
	SparkApplicationID        string            `json:"sparkApplicationId,omitempty"`
	SubmissionID              string            `json:"submissionID,omitempty"`
	LastSubmissionAttemptTime *metav1.Time      `json:"lastSubmissionAttemptTime,omitempty"`
	TerminationTime           *metav1.Time      `json:"terminationTime,omitempty"`
	DriverInfo                DriverInfo        `json:"driverInfo"`
	State                     State             `json:"applicationState,omitzero"`
	ExecutorState             map[string]string `json:"executorState,omitempty"`
	ExecutionAttempts         int64             `json:"executionAttempts,omitempty"`
	SubmissionAttempts        int64             `json:"submissionAttempts,omitempty"`
}

// DriverInfo says where the driver is.
type DriverInfo struct {
	WebUIServiceName string `json:"webUIServiceName,omitempty"`
	WebUIAddress     string `json:"webUIAddress,omitempty"`
	PodName          string `json:"podName,omitempty"`
}

// State is how far an application is.
type State struct {
	State        string `json:"state"`
	ErrorMessage string `json:"errorMessage,omitempty"`
}

// ended reports whether the run has ended.
func (s *Status) ended() bool {
	return s.State.State == completed || s.State.State == failed || s.State.State == submissionFailed
}

// submission is the beginning of what the operator writes as submissionID, and so what it knows its own status by.
const submission = "sparkgate-"

// ofOther reports whether their own operator has written the status.
func (s *Status) ofOther() bool {
	return s.State.State != "" && !strings.HasPrefix(s.SubmissionID, submission)
}

// isOf reports whether the status is that of what was made from a hash.
func (s *Status) isOf(made string) bool {
	return strings.HasPrefix(s.SubmissionID, submission+made+"-")
}

// read sets what is kept.
func (a *Application) read() {
	k := &a.kept
	if k.hash != "" {
		return
	}
	_ = json.Unmarshal(a.Spec, k) // what does not fit is refused by the translation
	k.hash = kubeflow.Hash(a.Spec)
	k.made = kubeflow.HashWith(k.hash, a.Annotations[kubeflow.SpecAnnotation])
	k.tracked, k.queue = tracker.Of(a).Known(), a.Labels[v1alpha1.KueueQueueLabel]
}

// someExecutors stand for those of a job that has ended, which are not read any more, but removed when it runs again.
var someExecutors = map[string]string{"": ""}

// slim removes from an application what need not be cached.
func slim(o client.Object) {
	a, ok := o.(*Application)
	if !ok {
		return
	}
	a.read()
	a.SetGroupVersionKind(kind)
	a.Spec, a.Labels, a.Annotations, a.OwnerReferences = nil, nil, nil, nil
	if a.Status.ended() && a.Status.ExecutorState != nil {
		a.Status.ExecutorState = someExecutors
	}
}

// DeepCopyObject implements runtime.Object.
func (a *Application) DeepCopyObject() runtime.Object { return a.DeepCopy() }

// DeepCopy returns a copy. Specs are never changed, and so are shared.
func (a *Application) DeepCopy() *Application {
	out := *a
	a.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.LastSubmissionAttemptTime, out.Status.TerminationTime = a.Status.LastSubmissionAttemptTime.DeepCopy(), a.Status.TerminationTime.DeepCopy()
	out.Status.ExecutorState = maps.Clone(a.Status.ExecutorState)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *ApplicationList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Application, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopy()
	}
	return &out
}
