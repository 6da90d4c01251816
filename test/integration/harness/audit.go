// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// auditEvent is the part of an event of audit.k8s.io/v1 that has the stored object of a write.
type auditEvent struct {
	Verb           string
	ObjectRef      struct{ Resource, Subresource, Namespace, Name string }
	ResponseStatus struct{ Code int32 }
	ResponseObject json.RawMessage
	RequestObject  json.RawMessage
	// RequestReceivedTimestamp is the API server's time, which is before any consequence of the write.
	RequestReceivedTimestamp metav1.MicroTime
}

// Audit is an account that uses only the audit log of the API server. It shares no code with the operator.
type Audit struct {
	ledger
	clock *Clock
	// pods are by name.
	pods         map[string]*corev1.Pod
	applications map[types.UID][]byte
	// versions are the latest versions in the log, by UID.
	versions map[types.UID]uint64
}

// ReadAudit reads the log of a namespace, once it contains the current versions of some applications.
func ReadAudit(t *testing.T, by *Clock, apps ...*v1alpha1.SparkApplication) *Audit {
	t.Helper()
	var a *Audit
	env.UntilSeen(t, "the audit log has the last writes", func() (bool, any) {
		a = &Audit{ledger: ledger{}, clock: by, pods: map[string]*corev1.Pod{}, applications: map[types.UID][]byte{}, versions: map[types.UID]uint64{}}
		for _, e := range auditLog(t, apps[0].Namespace) {
			if err := a.take(&e); err != nil {
				t.Fatalf("audit log: %s %+v: %v", e.Verb, e.ObjectRef, err)
			}
		}
		behind := slices.IndexFunc(apps, func(app *v1alpha1.SparkApplication) bool { return a.versions[app.UID] != version(app) })
		if behind < 0 {
			return true, nil
		}
		return false, fmt.Sprintf("%s: version %d, not %s", apps[behind].Name, a.versions[apps[behind].UID], apps[behind].ResourceVersion)
	})
	return a
}

// Of returns the amounts that an application's grants have held and its pods have requested until now. An empty name
// means all applications.
func (a *Audit) Of(application string) (granted, requested Seconds) {
	granted, requested, _, _ = a.of(application, a.clock.Now())
	return granted, requested
}

// auditLog returns the successful writes in a namespace, in the order in which the API server received them.
func auditLog(t *testing.T, namespace string) []auditEvent {
	t.Helper()
	log, err := os.Open(env.AuditLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var events []auditEvent
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		// The end, or a line that is being written.
		if err != nil {
			break
		}
		var e auditEvent
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("audit log: %v: %s", err, line)
		}
		if e.ObjectRef.Namespace == namespace && e.ResponseStatus.Code < 300 {
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b auditEvent) int {
		return a.RequestReceivedTimestamp.Compare(b.RequestReceivedTimestamp.Time)
	})
	return events
}

// take records the changes of a write.
func (a *Audit) take(e *auditEvent) error {
	switch {
	case e.Verb == "deletecollection":
		return fmt.Errorf("it does not say what was deleted")
	case e.ObjectRef.Subresource == "binding":
		return a.bind(e)
	case e.ObjectRef.Resource == "pods":
		pod := &corev1.Pod{}
		if err := json.Unmarshal(e.ResponseObject, pod); err != nil {
			return err
		}
		if a.isNew(pod) {
			a.pods[pod.Name] = pod
			a.enter(pod.UID, heldByPod(pod, isGone(pod)), a.at(e))
		}
		return nil
	}
	return a.takeApplication(e)
}

// takeApplication follows an application by its patches, because the operator requests only the metadata in the answer.
func (a *Audit) takeApplication(e *auditEvent) error {
	answer, app := &metav1.PartialObjectMetadata{}, &v1alpha1.SparkApplication{}
	if err := json.Unmarshal(e.ResponseObject, answer); err != nil {
		return err
	}
	if !a.isNew(answer) {
		return nil
	}
	text := []byte(e.ResponseObject)
	if answer.Kind == "PartialObjectMetadata" {
		var err error
		if text, err = jsonpatch.MergePatch(a.applications[answer.UID], e.RequestObject); err != nil {
			return err
		}
	}
	a.applications[answer.UID] = text
	if err := json.Unmarshal(text, app); err != nil {
		return err
	}
	a.enter(answer.UID, heldByGrant(app, isGone(answer)), a.at(e))
	return nil
}

// bind records that a pod requests resources of a node from now on. The log has no version of the pod with its node.
func (a *Audit) bind(e *auditEvent) error {
	binding, pod := &corev1.Binding{}, a.pods[e.ObjectRef.Name]
	if err := json.Unmarshal(e.RequestObject, binding); err != nil {
		return err
	}
	if pod == nil {
		return fmt.Errorf("the pod was never created")
	}
	pod.Spec.NodeName = binding.Target.Name
	a.enter(pod.UID, heldByPod(pod, false), a.at(e))
	return nil
}

// at returns the time of a write by the clock of the test.
func (a *Audit) at(e *auditEvent) time.Time { return a.clock.At(e.RequestReceivedTimestamp.Time) }

// isNew reports whether no later version is known: of two writes at the same time, the first one may be stored last.
func (a *Audit) isNew(obj client.Object) bool {
	known, is := a.versions[obj.GetUID()], version(obj)
	a.versions[obj.GetUID()] = max(known, is)
	return is >= known
}

// isGone reports whether a write was the last one of an object.
func isGone(obj client.Object) bool {
	grace := obj.GetDeletionGracePeriodSeconds()
	return obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}
