// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// play plays an attempt and checks its outcome.
func (a *arena) play(given []map[string]any, attempt *Attempt) {
	a.t.Helper()
	for _, manifest := range append(given, attempt.Given...) {
		if err := a.apply(cluster.client, manifest); err != nil {
			a.t.Fatalf("given: %v", err)
		}
	}
	for i := range attempt.Do {
		err := a.do(&attempt.Do[i])
		if i == len(attempt.Do)-1 {
			a.check(&attempt.Expect, err)
		} else if err != nil {
			a.t.Fatalf("step %d: %v", i+1, err)
		}
	}
}

// do performs one step. Its error is a refusal of the API server.
func (a *arena) do(step *Step) error {
	a.t.Helper()
	switch {
	case step.Await != nil:
		a.check(step.Await, nil)
		return nil
	case step.Operator != "":
		restartOperator(a.t)
		return nil
	case step.Tick:
		now := time.Now().Truncate(time.Second)
		time.Sleep(time.Until(now.Add(time.Second)))
		return nil
	}
	c := a.client(step)
	switch {
	case step.Application != nil:
		manifest := job(a.namespace, a.namespace)
		merge(a.t, &manifest, a.fill(step.Application))
		return c.Create(a.t.Context(), a.placed(decode(manifest)))
	case step.Create != nil:
		return c.Create(a.t.Context(), a.placed(decode(a.fill(step.Create))))
	case step.Apply != nil:
		return a.apply(c, step.Apply)
	case step.Patch != nil:
		return a.patch(c, step.Patch)
	}
	options := []client.DeleteOption{}
	if p := step.Delete.Propagation; p != "" {
		options = append(options, client.PropagationPolicy(metav1.DeletionPropagation(p)))
	}
	return c.Delete(a.t.Context(), a.object(step.Delete.Object), options...)
}

// apply performs a server-side apply.
func (a *arena) apply(c client.Client, manifest map[string]any) error {
	obj := a.placed(decode(a.fill(manifest)))
	return c.Patch(a.t.Context(), obj, applyPatch{}, client.FieldOwner("attacks"), client.ForceOwnership)
}

// applyPatch is a patch that consists of the whole object.
type applyPatch struct{}

func (applyPatch) Type() types.PatchType                  { return types.ApplyPatchType }
func (applyPatch) Data(obj client.Object) ([]byte, error) { return json.Marshal(obj) }

func (a *arena) patch(c client.Client, step *PatchStep) error {
	kind, change := types.MergePatchType, any(nil)
	if step.Merge != nil {
		change = a.fill(step.Merge)
	} else {
		kind, change = types.JSONPatchType, a.fill(map[string]any{"patch": step.JSON})["patch"]
	}
	data, err := json.Marshal(change)
	if err != nil {
		a.t.Fatal(err)
	}
	obj, patch := a.object(step.Object), client.RawPatch(kind, data)
	if step.Subresource != "" {
		return c.SubResource(step.Subresource).Patch(a.t.Context(), obj, patch)
	}
	return c.Patch(a.t.Context(), obj, patch)
}

// object returns an object with a name and without content.
func (a *arena) object(o Object) *unstructured.Unstructured {
	filled := a.fill(map[string]any{"name": o.Name, "namespace": o.Namespace})
	version := o.APIVersion
	if version == "" {
		version = map[string]string{"SparkApplication": "sparkgate.io/v1alpha1", "SparkQueue": "sparkgate.io/v1alpha1"}[o.Kind]
	}
	if version == "" {
		version = "v1"
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(schema.FromAPIVersionAndKind(version, o.Kind))
	obj.SetName(filled["name"].(string))
	obj.SetNamespace(filled["namespace"].(string))
	return a.placed(obj)
}

// placed puts an object into the attacker's namespace, unless it names one or is cluster-scoped.
func (a *arena) placed(obj *unstructured.Unstructured) *unstructured.Unstructured {
	a.t.Helper()
	namespaced, err := cluster.client.IsObjectNamespaced(obj)
	if err != nil {
		a.t.Fatal(err)
	}
	if namespaced && obj.GetNamespace() == "" {
		obj.SetNamespace(a.namespace)
	}
	return obj
}
