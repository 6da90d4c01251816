// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	pageSize = "500"
	// writeTries is how often a write is tried if another client changes the object in between.
	writeTries = 5
)

// Object has the metadata of an object of any kind, and its conditions if it has some.
type Object struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`

	path []string
}

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
	Events       = Kind{"/api/v1", "events", true}
	Pods         = Kind{"/api/v1", "pods", true}

	secrets         = Kind{"/api/v1", "secrets", true}
	PriorityClasses = Kind{"/apis/scheduling.k8s.io/v1", "priorityclasses", false}
	RuntimeClasses  = Kind{"/apis/node.k8s.io/v1", "runtimeclasses", false}
)

// List returns the objects of a kind in all namespaces. It returns none if the API server does not know the kind.
func (c *Cluster) List(ctx context.Context, kind Kind) ([]Object, error) {
	all, err := c.list(ctx, kind, nil, kind.Root, kind.Resource)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return all, err
}

const notEnded = "status.phase!=Succeeded,status.phase!=Failed"

// ApplicationPods returns the pods of applications that have not ended.
func (c *Cluster) ApplicationPods(ctx context.Context) ([]Object, error) {
	return c.list(ctx, Pods, map[string]string{"labelSelector": v1alpha1.ApplicationLabel, "fieldSelector": notEnded}, Pods.Root, Pods.Resource)
}

// OperatorPods returns the operator's pods that have not ended.
func (c *Cluster) OperatorPods(ctx context.Context) ([]Object, error) {
	selectors := map[string]string{"labelSelector": operatorLabel, "fieldSelector": notEnded}
	return c.list(ctx, Pods, selectors, Pods.Root, "namespaces", c.operator, Pods.Resource)
}

// list reads all pages of a list.
func (c *Cluster) list(ctx context.Context, kind Kind, selectors map[string]string, path ...string) ([]Object, error) {
	var all []Object
	for next := ""; ; {
		request := c.client.Get().AbsPath(path...).Param("limit", pageSize)
		if next != "" {
			request.Param("continue", next)
		}
		for name, value := range selectors {
			request.Param(name, value)
		}
		data, err := bodyOf(request.Do(ctx))
		if err != nil {
			return nil, err
		}
		var page struct {
			Metadata metav1.ListMeta `json:"metadata"`
			Items    []Object        `json:"items"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Items {
			o.path = []string{kind.Root, kind.Resource, o.Name}
			if o.Namespace != "" {
				o.path = []string{kind.Root, "namespaces", o.Namespace, kind.Resource, o.Name}
			}
			all = append(all, o)
		}
		if next = page.Metadata.Continue; next == "" {
			return all, nil
		}
	}
}

// RemoveFinalizer removes one finalizer from an object. It is no error if the object or the finalizer is gone.
func (c *Cluster) RemoveFinalizer(ctx context.Context, o Object, finalizer string) error {
	var err error
	for range writeTries {
		if !slices.Contains(o.Finalizers, finalizer) {
			return nil
		}
		rest := slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool { return f == finalizer })
		body, marshalErr := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": o.ResourceVersion, "uid": o.UID, "finalizers": rest}})
		if marshalErr != nil {
			return marshalErr
		}
		_, err = bodyOf(c.client.Patch(types.MergePatchType).AbsPath(o.path...).Body(body).Do(ctx))
		if !apierrors.IsConflict(err) {
			break
		}
		data, readErr := bodyOf(c.client.Get().AbsPath(o.path...).Do(ctx))
		if apierrors.IsNotFound(readErr) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
		fresh := Object{path: o.path}
		if err := json.Unmarshal(data, &fresh); err != nil {
			return err
		}
		// The object was deleted, and another one has its name.
		if fresh.UID != o.UID {
			return nil
		}
		o = fresh
	}
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("remove finalizer %s of %s %s/%s: %w", finalizer, o.path[len(o.path)-2], o.Namespace, o.Name, err)
}
