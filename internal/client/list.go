// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Selection selects objects of a kind.
type Selection struct {
	// Namespace is the namespace; empty means all of them.
	Namespace string
	// Labels is a label selector; empty selects all.
	Labels string
	// Fields is a field selector, such as metadata.name=pi; empty selects all.
	Fields string
}

// narrow adds the selectors to a request.
func (s Selection) narrow(request *rest.Request) {
	if s.Labels != "" {
		request.Param("labelSelector", s.Labels)
	}
	if s.Fields != "" {
		request.Param("fieldSelector", s.Fields)
	}
}

// ListAll returns the selected objects of a kind. It makes one request and decodes the answer as it arrives, because
// API servers answer an unpaged list from memory and pages from etcd. Without an error the list is never nil, so that
// it is marshalled as a list.
func ListAll[T any](ctx context.Context, c *Cluster, kind Kind, s Selection) ([]T, error) {
	all, _, err := listVersioned[T](ctx, c, kind, s)
	return all, err
}

// listVersioned is ListAll and also returns the resource version of the list, from which a watch can begin.
func listVersioned[T any](ctx context.Context, c *Cluster, kind Kind, s Selection) (all []T, version string, err error) {
	all = []T{}
	version, err = listEach(ctx, c, kind, s, func(in *json.Decoder) error {
		var item T
		if err := in.Decode(&item); err != nil {
			return err
		}
		all = append(all, item)
		return nil
	})
	return all, version, err
}

// listEach calls decode for each object of a list as the answer arrives.
func listEach(ctx context.Context, c *Cluster, kind Kind, s Selection, decode func(*json.Decoder) error) (version string, err error) {
	request := kind.in(c.client.Get(), s.Namespace)
	s.narrow(request)
	stream, err := request.Stream(ctx)
	if err == nil {
		version, err = decodeList(json.NewDecoder(stream), decode)
		_ = stream.Close() // it was only read
	}
	return version, c.explain(ctx, err, action{"list", kind.Resource, kind.where(s.Namespace), ""})
}

// decodeList calls decode for each item of a list and returns the list's resource version.
func decodeList(in *json.Decoder, decode func(*json.Decoder) error) (version string, err error) {
	if _, err := in.Token(); err != nil { // {
		return "", err
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return "", err
		}
		switch key {
		case "items":
			err = decodeItems(in, decode)
		case "metadata":
			var meta metav1.ListMeta
			err = in.Decode(&meta)
			version = meta.ResourceVersion
		default:
			err = in.Decode(new(json.RawMessage))
		}
		if err != nil {
			return "", err
		}
	}
	return version, nil
}

func decodeItems(in *json.Decoder, decode func(*json.Decoder) error) error {
	if bracket, err := in.Token(); err != nil || bracket == nil { // null: no items
		return err
	}
	for in.More() {
		if err := decode(in); err != nil {
			return err
		}
	}
	_, err := in.Token() // ]
	return err
}

// GetObject returns one object of a kind.
func GetObject[T any](ctx context.Context, c *Cluster, kind Kind, name string) (T, error) {
	var object T
	namespace := ""
	if kind.Namespaced {
		namespace = c.Namespace
	}
	data, err := bodyOf(kind.named(c.client.Get(), namespace, name).Do(ctx))
	if err != nil {
		return object, c.explain(ctx, err, action{"get", kind.Resource, namespace, name})
	}
	return object, json.Unmarshal(data, &object)
}

// HasApplication reports whether the namespace of a cluster's client has an application of that name.
func HasApplication(ctx context.Context, c *Cluster, name string) (bool, error) {
	_, err := bodyOf(Applications.named(c.client.Get(), c.Namespace, name).Do(ctx))
	if IsNotFound(err) {
		return false, nil
	}
	return err == nil, c.explain(ctx, err, action{"get", Applications.Resource, c.Namespace, name})
}
