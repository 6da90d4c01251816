// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Applied returns what an object of the namespace would become if a manifest were applied, without changing it. Fields
// that others have set stay, as with the tool that has applied the object before: kubectl merges with what its
// annotation says was applied last; for Flux, Argo CD and others, the API server is asked by a dry run of a server-side
// apply. An object that does not exist becomes the manifest.
func Applied(ctx context.Context, c *Cluster, kind Kind, name string, manifest []byte) ([]byte, error) {
	live, err := GetObject[json.RawMessage](ctx, c, kind, name)
	if IsNotFound(err) {
		return manifest, nil
	}
	if err != nil {
		return nil, err
	}
	var known struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal(*live, &known); err != nil {
		return nil, err
	}
	if last := known.Metadata.Annotations[corev1.LastAppliedConfigAnnotation]; last != "" {
		return merged(*live, []byte(last), manifest)
	}
	manager := fieldManager
	if i := slices.IndexFunc(known.Metadata.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.Operation == metav1.ManagedFieldsOperationApply && f.Subresource == ""
	}); i >= 0 {
		manager = known.Metadata.ManagedFields[i].Manager
	}
	result, err := bodyOf(kind.named(c.client.Patch(types.ApplyPatchType), c.Namespace, name).
		Param("fieldManager", manager).Param("force", "true").Param("dryRun", metav1.DryRunAll).Body(manifest).Do(ctx))
	return result, c.explain(ctx, err, action{"patch", kind.Resource, kind.where(c.Namespace), name})
}

// merged applies to an object what has changed from one manifest to the next, and the next one.
func merged(live, last, next []byte) ([]byte, error) {
	change, err := jsonpatch.CreateMergePatch(last, next)
	if err != nil {
		return nil, err
	}
	if live, err = jsonpatch.MergePatch(live, change); err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(live, next)
}
