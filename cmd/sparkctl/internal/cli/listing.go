// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// Listing prints the objects of a kind in the forms of -o.
type Listing[T any] struct {
	Kind client.Kind
	// Prefix comes before names, as kubectl prints them.
	Prefix string
	// None is what is printed if there is no object.
	None string
	// Wants selects objects beyond what the API server can select; nil takes all.
	Wants func(*T) bool
	Table func([]T) error
	// SortBy is the path of the field by which the objects are sorted; empty leaves their order.
	SortBy string
	// NoHeaders leaves out the names of custom columns.
	NoHeaders bool
}

// Write prints the selected objects.
func (l Listing[T]) Write(ctx context.Context, c *client.Cluster, selection client.Selection, format string, s Streams) error {
	if format == "json" || format == "yaml" || IsExpression(format) {
		return l.manifests(ctx, c, selection, format, s)
	}
	objects, err := client.ListAll[T](ctx, c, l.Kind, selection)
	if err != nil {
		return err
	}
	if l.Wants != nil {
		objects = slices.DeleteFunc(objects, func(object T) bool { return !l.Wants(&object) })
	}
	if err := SortBy(objects, l.SortBy); err != nil {
		return err
	}
	switch {
	case format == "name":
		for i := range objects {
			fmt.Fprintln(s.Out, l.Prefix+any(&objects[i]).(metav1.Object).GetName())
		}
		return nil
	case len(objects) == 0:
		_, err := fmt.Fprintln(s.Err, l.None)
		return err
	}
	return l.Table(objects)
}

// manifests prints the objects as the API server has them, but without managedFields.
func (l Listing[T]) manifests(ctx context.Context, c *client.Cluster, selection client.Selection, format string, s Streams) error {
	items, err := client.ListAll[json.RawMessage](ctx, c, l.Kind, selection)
	if err != nil {
		return err
	}
	wanted := make([]json.RawMessage, 0, len(items))
	for _, item := range items {
		object := new(T)
		if err := json.Unmarshal(item, object); err != nil {
			return err
		}
		if l.Wants == nil || l.Wants(object) {
			wanted = append(wanted, WithoutManagers(item))
		}
	}
	if err := SortBy(wanted, l.SortBy); err != nil {
		return err
	}
	if IsExpression(format) {
		return Fields{format, l.NoHeaders}.Write(s.Out, listOf(wanted), wanted)
	}
	return WriteObject(s.Out, format, listOf(wanted))
}
