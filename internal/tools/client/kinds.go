// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"strings"

	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Kind identifies a kind by its path at the API server.
type Kind struct {
	Root, Resource string
	Namespaced     bool
}

// The kinds of the operator, and others that matter for them.
var (
	Applications = Kind{"/apis/" + v1alpha1.GroupVersion.String(), "sparkapplications", true}
	Schedules    = Kind{"/apis/" + v1alpha1.GroupVersion.String(), "scheduledsparkapplications", true}
	Queues       = Kind{"/apis/" + v1alpha1.GroupVersion.String(), "sparkqueues", false}
	Flavors      = Kind{"/apis/" + v1alpha1.GroupVersion.String(), "sparkflavors", false}
	Workloads    = Kind{"/apis/kueue.x-k8s.io/v1beta2", "workloads", true}
	Namespaces   = Kind{"/api/v1", "namespaces", false}
	LimitRanges  = Kind{"/api/v1", "limitranges", true}
	Quotas       = Kind{"/api/v1", "resourcequotas", true}
	Events       = Kind{"/api/v1", "events", true}
	Pods         = Kind{"/api/v1", "pods", true}

	secrets         = Kind{"/api/v1", "secrets", true}
	PriorityClasses = Kind{"/apis/scheduling.k8s.io/v1", "priorityclasses", false}
	RuntimeClasses  = Kind{"/apis/node.k8s.io/v1", "runtimeclasses", false}
)

// in addresses a request to the objects of the kind in a namespace, or in all of them if it is empty. The request fails
// if the namespace would change its path, such as "..".
func (k Kind) in(request *rest.Request, namespace string) *rest.Request {
	request.AbsPath(k.Root).Resource(k.Resource)
	if k.Namespaced && namespace != "" {
		request.Namespace(namespace)
	}
	return request
}

// named addresses a request to one object of the kind. The request fails if the name is empty or would change its path:
// it would be about all objects of the namespace.
func (k Kind) named(request *rest.Request, namespace, name string) *rest.Request {
	return k.in(request, namespace).Name(name)
}

// singular returns the singular name of the kind, such as sparkapplication.
func (k Kind) singular() string { return strings.TrimSuffix(k.Resource, "s") }

// where returns the namespace of an action on objects of a kind.
func (k Kind) where(namespace string) string {
	if k.Namespaced && namespace == "" {
		return allNamespaces
	}
	return namespace
}
