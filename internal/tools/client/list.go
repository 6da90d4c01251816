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

// pageSize is how many objects one answer of the API server has at most.
const pageSize = "500"

// ListAll returns the selected objects of a kind. T is the type of the objects, or one with only the fields that matter.
func ListAll[T any](ctx context.Context, c *Cluster, kind Kind, s Selection) ([]T, error) {
	all := []T{}
	_, err := listEach(ctx, c, kind, s, func(in *json.Decoder) error {
		var item T
		if err := in.Decode(&item); err != nil {
			return err
		}
		all = append(all, item)
		return nil
	})
	return all, err
}

// listEach calls decode for each of the selected objects, page by page, and returns the version of the list. Objects are
// decoded as they arrive: where many lists are read at once, whole pages would take more memory than what is kept of
// them.
func listEach(ctx context.Context, c *Cluster, kind Kind, s Selection, decode func(*json.Decoder) error) (version string, err error) {
	for next := ""; ; {
		request := kind.in(c.client.Get(), s.Namespace).Param("limit", pageSize)
		s.narrow(request)
		if next != "" {
			request.Param("continue", next)
		}
		var meta metav1.ListMeta
		stream, err := request.Stream(ctx)
		if err == nil {
			meta, err = decodeList(json.NewDecoder(stream), decode)
			_ = stream.Close() // it was only read
		}
		if next = meta.Continue; err != nil || next == "" {
			return meta.ResourceVersion, c.explain(ctx, err, action{"list", kind.Resource, kind.where(s.Namespace), ""})
		}
	}
}

// decodeList calls decode for each item of a list, and returns the metadata of the list.
func decodeList(in *json.Decoder, decode func(*json.Decoder) error) (meta metav1.ListMeta, err error) {
	if _, err := in.Token(); err != nil { // {
		return meta, err
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return meta, err
		}
		switch key {
		case "items":
			err = decodeItems(in, decode)
		case "metadata":
			err = in.Decode(&meta)
		default:
			err = in.Decode(new(json.RawMessage))
		}
		if err != nil {
			return meta, err
		}
	}
	return meta, nil
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
func GetObject[T any](ctx context.Context, c *Cluster, kind Kind, name string) (*T, error) {
	namespace := ""
	if kind.Namespaced {
		namespace = c.Namespace
	}
	data, err := bodyOf(kind.named(c.client.Get(), namespace, name).Do(ctx))
	return decoded[T](data, c.explain(ctx, err, action{"get", kind.Resource, namespace, name}))
}

// decoded returns the object of an answer.
func decoded[T any](data []byte, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	object := new(T)
	return object, json.Unmarshal(data, object)
}

// HasApplication reports whether the namespace of a cluster's client has an application of that name.
func HasApplication(ctx context.Context, c *Cluster, name string) (bool, error) {
	_, err := bodyOf(Applications.named(c.client.Get(), c.Namespace, name).Do(ctx))
	if IsNotFound(err) {
		return false, nil
	}
	return err == nil, c.explain(ctx, err, action{"get", Applications.Resource, c.Namespace, name})
}

// metadataOnly is the media type for lists with metadata but without specs.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// Names returns the names of up to 500 objects of a kind, of the namespace if the kind is namespaced.
func (c *Cluster) Names(ctx context.Context, kind Kind) ([]string, error) {
	data, err := bodyOf(kind.in(c.client.Get(), c.Namespace).Param("limit", pageSize).SetHeader("Accept", metadataOnly).Do(ctx))
	if err != nil {
		return nil, err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, nil
}
