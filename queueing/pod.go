// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import "strings"

// podPrefix begins the name in the key of a pod. No application has such a name.
const podPrefix = "pod/"

// DriverPodSet is the name of the pod set of drivers.
const DriverPodSet = "driver"

// PodKey is the key of a pod that belongs to no application, and asks for itself.
func PodKey(namespace, name, uid string) Key {
	return Key{Namespace: namespace, Name: podPrefix + name, UID: uid}
}

// Pod returns the name of the pod whose key has that name; false if the key is an application's.
func Pod(name string) (string, bool) { return strings.CutPrefix(name, podPrefix) }

// IsPod says that the key is that of a pod that belongs to no application.
func (k Key) IsPod() bool { return strings.HasPrefix(k.Name, podPrefix) }
