// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listPage is how many objects are asked for at once. Of 10,000 applications, pages of 500 and of 2,500 took longer in
// measurements.
const listPage = "1000"

// Selection says which objects of a kind are meant.
type Selection struct {
	// Namespace; empty is all of them.
	Namespace string
	// Labels is a selector; empty selects all.
	Labels string
}

// page of a list, whose items are not decoded yet.
type page struct {
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"`
	err      error
}

// ListAll reads objects of a kind page by page and decodes one page while the next is on its way. A list that expires
// on the way is read again in one piece.
func ListAll[T any](ctx context.Context, c *Cluster, kind Kind, s Selection) ([]T, error) {
	all, _, err := listVersioned[T](ctx, c, kind, s)
	return all, err
}

// listVersioned does so, and returns the resource version of the list, at which a watch can begin.
func listVersioned[T any](ctx context.Context, c *Cluster, kind Kind, s Selection) ([]T, string, error) {
	all, version, err := listPages[T](ctx, c, kind, s, listPage)
	if apierrors.IsResourceExpired(err) {
		all, version, err = listPages[T](ctx, c, kind, s, "")
	}
	return all, version, c.explain(ctx, err, action{"list", kind.Resource, s.Namespace, ""})
}

func listPages[T any](ctx context.Context, c *Cluster, kind Kind, s Selection, limit string) (all []T, version string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parameters := map[string]string{"limit": limit, "labelSelector": s.Labels}
	pages := make(chan page, 1)
	go c.fetch(ctx, kind.path(s.Namespace), parameters, pages)
	for p := range pages {
		if p.err != nil {
			return nil, "", p.err
		}
		version = p.Metadata.ResourceVersion
		for _, item := range p.Items {
			var object T
			if err := json.Unmarshal(item, &object); err != nil {
				return nil, "", err
			}
			all = append(all, object)
		}
	}
	return all, version, ctx.Err()
}

// fetch sends the pages of a list, and closes the channel.
func (c *Cluster) fetch(ctx context.Context, path []string, parameters map[string]string, pages chan<- page) {
	defer close(pages)
	for {
		request := c.client.Get().AbsPath(path...)
		for name, value := range parameters {
			if value != "" {
				request.Param(name, value)
			}
		}
		data, err := bodyOf(request.Do(ctx))
		var p page
		if err == nil {
			err = json.Unmarshal(data, &p)
		}
		p.err = err
		select {
		case pages <- p:
		case <-ctx.Done():
			return
		}
		if err != nil || p.Metadata.Continue == "" {
			return
		}
		parameters["continue"] = p.Metadata.Continue
	}
}

// GetObject reads one object of a kind.
func GetObject[T any](ctx context.Context, c *Cluster, kind Kind, name string) (T, error) {
	var object T
	namespace := ""
	if kind.Namespaced {
		namespace = c.Namespace
	}
	data, err := bodyOf(c.client.Get().AbsPath(append(kind.path(namespace), name)...).Do(ctx))
	if err != nil {
		return object, c.explain(ctx, err, action{"get", kind.Resource, namespace, name})
	}
	return object, json.Unmarshal(data, &object)
}
