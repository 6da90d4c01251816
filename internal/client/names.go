// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/internal/nearest"
)

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

// maxContextsNamed is how many contexts an error message lists.
const maxContextsNamed = 10

// contextsThere returns the end of an error message if the named context does not exist: a similar name, or those that
// exist. Otherwise it is empty.
func (o *Options) contextsThere() string {
	named, there := o.overrides.CurrentContext, o.Contexts()
	if named == "" || len(there) == 0 || slices.Contains(there, named) {
		return ""
	}
	if meant := nearest.To(named, there); meant != "" {
		return ": did you mean " + meant + "?"
	}
	more := ""
	if len(there) > maxContextsNamed {
		there, more = there[:maxContextsNamed], ", …"
	}
	return "; there are " + strings.Join(there, ", ") + more
}

// Contexts returns the names of the contexts of the kubeconfig.
func (o *Options) Contexts() []string {
	config, err := o.loader().RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}
