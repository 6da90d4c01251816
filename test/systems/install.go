// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldManager is the field manager with which objects are installed.
const fieldManager = client.FieldOwner("sparkgate-tests")

// probeName is the name of objects that are created, and then deleted, to check whether a system works.
const probeName = "sparkgate-probe"

// readManifests returns the objects of all YAML files of a folder of a build.
func readManifests(build, folder string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(build, "manifests", folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no manifests in %s", build, folder)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		decoded, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		objects = append(objects, decoded...)
	}
	return objects, nil
}

// decode returns the objects of a YAML text; it leaves out other documents.
func decode(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		obj := &unstructured.Unstructured{}
		switch err := decoder.Decode(&obj.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, err
		}
		if obj.GetKind() != "" && obj.GetName() != "" {
			objects = append(objects, obj)
		}
	}
}

// install applies the CRDs, waits until they are served, and then applies everything else.
func (s *System) install(ctx context.Context) error {
	for _, crd := range s.crds {
		if err := s.apply(ctx, crd); err != nil {
			return err
		}
	}
	if err := s.eachCRD(ctx, s.served); err != nil {
		return err
	}
	for _, obj := range s.objects {
		if err := s.apply(ctx, obj); err != nil {
			return err
		}
	}
	return nil
}

func (s *System) apply(ctx context.Context, obj *unstructured.Unstructured) error {
	// The answer must not become part of what is applied the next time.
	err := s.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(obj.DeepCopy()), fieldManager, client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	return nil
}

// served waits until a CRD is established and its objects can be listed: some programs end at once if they cannot.
func (s *System) served(ctx context.Context, crd *unstructured.Unstructured) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		now := crd.DeepCopy()
		if last = s.client.Get(ctx, client.ObjectKeyFromObject(crd), now); last != nil {
			return false, nil
		}
		if !established(now) {
			last = errors.New("it is not established")
			return false, nil
		}
		_, last = s.list(ctx, crd)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be served: %w", crd.GetName(), errors.Join(last, err))
	}
	return nil
}

// established reports whether the API server has accepted a CRD.
func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "Established" && condition["status"] == "True"
	})
}

// list returns the objects of a CRD in all namespaces.
func (s *System) list(ctx context.Context, crd *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	gvk, err := kindOf(crd)
	if err != nil {
		return nil, err
	}
	list.SetGroupVersionKind(gvk)
	err = s.client.List(ctx, list)
	return list.Items, err
}

// kindOf returns the kind that a CRD defines, in its storage version.
func kindOf(crd *unstructured.Unstructured) (schema.GroupVersionKind, error) {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		if version, ok := v.(map[string]any); ok && version["storage"] == true {
			name, _ := version["name"].(string)
			return schema.GroupVersionKind{Group: group, Version: name, Kind: kind}, nil
		}
	}
	return schema.GroupVersionKind{}, fmt.Errorf("%s stores no version", crd.GetName())
}

// remove deletes webhooks and CRDs and waits until they are gone. Namespaces stay, because not every cluster has a
// controller that removes them.
func (s *System) remove(ctx context.Context) error {
	for _, obj := range s.objects {
		if obj.GetKind() == "Namespace" {
			continue
		}
		if err := s.client.Delete(ctx, obj.DeepCopy()); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if s.uninstall != nil {
		if err := s.uninstall(ctx); err != nil {
			return err
		}
	}
	for _, crd := range s.crds {
		if err := s.client.Delete(ctx, crd.DeepCopy()); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return s.eachCRD(ctx, s.gone)
}

// eachCRD calls do for all CRDs in parallel. The API server delays clients for a second if they request a new kind too
// early.
func (s *System) eachCRD(ctx context.Context, do func(context.Context, *unstructured.Unstructured) error) error {
	errs := make([]error, len(s.crds))
	var all sync.WaitGroup
	for i, crd := range s.crds {
		all.Go(func() { errs[i] = do(ctx, crd) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// gone waits until a CRD does not exist and its kind is no longer served, which ends a moment later. It removes the
// finalizers of the CRD's objects, because their controllers have stopped.
func (s *System) gone(ctx context.Context, crd *unstructured.Unstructured) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		err := s.client.Get(ctx, client.ObjectKeyFromObject(crd), crd.DeepCopy())
		if apierrors.IsNotFound(err) {
			_, last = s.list(ctx, crd)
			return apierrors.IsNotFound(last) || meta.IsNoMatchError(last), nil
		}
		last = errors.Join(err, s.free(ctx, crd))
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be gone: %w", crd.GetName(), errors.Join(last, err))
	}
	return nil
}

// free removes the finalizers of all objects of a CRD.
func (s *System) free(ctx context.Context, crd *unstructured.Unstructured) error {
	items, err := s.list(ctx, crd)
	if err != nil {
		return err // the kind is going
	}
	for i := range items {
		if len(items[i].GetFinalizers()) == 0 {
			continue
		}
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		if err := s.client.Patch(ctx, &items[i], patch); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// namespaceObject returns a namespace to install.
func namespaceObject(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
}

// present creates an object unless it exists, and reads it.
func (s *System) present(ctx context.Context, obj *unstructured.Unstructured) error {
	if err := s.client.Create(ctx, obj.DeepCopy()); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return s.client.Get(ctx, client.ObjectKeyFromObject(obj), obj)
}
