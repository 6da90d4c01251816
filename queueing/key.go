// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

// Key identifies an asker for its lifetime: an object that is deleted and created again has another key.
type Key struct {
	// Kind is the Kubernetes kind of the object that asks. Gates do not interpret it.
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// Named returns the key without its uid, which identifies whichever object has the name.
func (k Key) Named() Key {
	k.UID = ""
	return k
}

// String returns "Kind namespace/name", for messages.
func (k Key) String() string {
	name := k.Namespace + "/" + k.Name
	if k.Kind == "" {
		return name
	}
	return k.Kind + " " + name
}
