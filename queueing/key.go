// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

// Kind is the kind of an asker.
type Kind string

const (
	// Application is the kind of SparkApplications. It is the zero value.
	Application Kind = ""
	// Pod is the kind of pods that belong to no application and ask for themselves.
	Pod Kind = "Pod"
)

// Key identifies an asker for its lifetime: an object that is deleted and created again has another key.
type Key struct {
	Kind      Kind   `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// String returns namespace/name for messages, preceded by the kind unless that is Application.
func (k Key) String() string {
	name := k.Namespace + "/" + k.Name
	if k.Kind == Pod {
		return "pod " + name
	}
	return name
}
