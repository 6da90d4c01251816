// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
)

// Labels of the pods of theirs, by which people select.
const (
	nameLabel       = Group + "/app-name"
	submissionLabel = Group + "/submission-id"
)

// live are the fields of their spec that change nothing about a run.
var live = []string{"suspend", "timeToLiveSeconds"}

// Hash returns the hash of what a spec in JSON runs. It must never change for the same spec, because what has ended would
// run again.
func Hash(spec []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(spec, &fields); err == nil {
		maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return slices.Contains(live, name) })
		if text, err := json.Marshal(fields); err == nil {
			spec = text
		}
	}
	return hash(spec)
}

// HashWith is Hash of what a spec runs together with the annotation SpecAnnotation of its object.
func HashWith(ofSpec, annotation string) string {
	if annotation == "" {
		return ofSpec
	}
	return hash([]byte(ofSpec + annotation))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Child returns the application of ours that runs a SparkApplication of theirs in an adopted namespace: one that runs
// again when ran changes, which is Hash of its spec, and has the labels by which people find its pods. It is not deleted
// after its end, other than by its owner.
func (t *Translation) Child(owner *metav1.OwnerReference, ran string) *v1alpha1.SparkApplication {
	made := t.Object.(*v1alpha1.SparkApplication)
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: made.Namespace, Name: made.Name, Labels: made.Labels, OwnerReferences: []metav1.OwnerReference{*owner},
	}, Spec: made.Spec}
	for _, key := range tracker.Keys() {
		delete(app.Labels, key) // the tool would delete what it has not applied
	}
	app.Spec.RunID, app.Spec.TTLAfterFinished = ran, nil
	for _, labels := range []*map[string]string{&app.Spec.Driver.Labels, &app.Spec.Executor.Labels} {
		if *labels = maps.Clone(*labels); *labels == nil {
			*labels = map[string]string{}
		}
		(*labels)[nameLabel], (*labels)[submissionLabel] = app.Name, ran
	}
	return app
}
