// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
)

// secretMetadata is the kind of references to Secrets that only pods name, of which only the metadata is read. Secrets
// in spec.sparkConfFrom are read with their data.
const secretMetadata = "Secret metadata"

// missingOfPods returns sentences about objects that the pods of a start need and that do not exist, and about rights
// that the driver's service account lacks.
func (pn *Planner) missingOfPods(ctx context.Context, g *draft) ([]string, error) {
	if g.ReusesChecks {
		return nil, nil
	}
	var missing []string
	absent := map[podrefs.Reference]bool{}
	for _, ref := range g.ready.References {
		object := podrefs.Reference{Kind: ref.Kind, Name: ref.Name}
		there, err := pn.Reader.podReferenceExists(ctx, g.app, ref)
		switch {
		case err != nil:
			return nil, err
		case !there && !absent[object]:
			absent[object] = true
			missing = append(missing, fmt.Sprintf("%s %q named by %s does not exist in namespace %s", ref.Kind, ref.Name, ref.By, g.app.Namespace))
		case there && ref.Key != "":
			has, err := pn.Reader.hasKey(ctx, g.app, ref)
			if err != nil {
				return nil, err
			}
			if !has {
				missing = append(missing, fmt.Sprintf("%s %q in namespace %s has no key %q, which %s names", ref.Kind, ref.Name, g.app.Namespace, ref.Key, ref.By))
			}
		}
	}
	lacking, err := pn.missingRights(ctx, g)
	if err != nil {
		return nil, err
	}
	missing = append(missing, lacking...)
	if incomplete := len(missing) > 0; incomplete != g.ready.Incomplete {
		now := *g.ready
		now.Incomplete = incomplete
		pn.Plans.Prepare(&now)
	}
	return missing, nil
}

// podReferenceExists reports whether an object that a pod refers to exists, reading only its metadata. An object that
// the operator may not read counts as existing, because the kubelet will report it if it does not.
func (rd *Reader) podReferenceExists(ctx context.Context, app *v1alpha1.SparkApplication, ref podrefs.Reference) (bool, error) {
	if len(validation.IsDNS1123Subdomain(ref.Name)) > 0 {
		return false, nil // no object can have this name, and it must not become part of a request
	}
	kind := string(ref.Kind)
	if ref.Kind == podrefs.Secret {
		kind = secretMetadata
	}
	there, err := rd.referenceExists(ctx, app, refer(app, kind, ref.Name, ""), metadata(string(ref.Kind)))
	if apierrors.IsForbidden(err) {
		rd.Lookups.put(refer(app, kind, ref.Name, ""), "")
		return true, nil
	}
	return there, err
}

// hasKey reports whether an object has a key. Its metadata names the keys that managers have set; only if this key is not
// among them, the data is read. An object that the operator may not read counts as having the key.
func (rd *Reader) hasKey(ctx context.Context, app *v1alpha1.SparkApplication, ref podrefs.Reference) (bool, error) {
	key := refer(app, "key of "+string(ref.Kind), ref.Name, ref.Key)
	if known, ok := rd.known(key); ok {
		return known.problem == "", nil
	}
	meta := metadata(string(ref.Kind))
	err := rd.read(ctx, app, ref.Name, meta)
	has := slices.ContainsFunc(meta.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.FieldsV1 != nil && strings.Contains(f.FieldsV1.GetRawString(), strconv.Quote("f:"+ref.Key))
	})
	if err == nil && !has {
		has, err = rd.dataHas(ctx, app, ref)
	}
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, err
	case has:
		rd.Lookups.put(key, "")
	default:
		rd.Lookups.put(key, doesNotExist)
	}
	return has, nil
}

// dataHas reports whether the data of a Secret or a ConfigMap has a key.
func (rd *Reader) dataHas(ctx context.Context, app *v1alpha1.SparkApplication, ref podrefs.Reference) (has bool, err error) {
	if ref.Kind == podrefs.Secret {
		secret := &corev1.Secret{}
		err = rd.read(ctx, app, ref.Name, secret)
		_, has = secret.Data[ref.Key]
		return has, err
	}
	configMap := &corev1.ConfigMap{}
	err = rd.read(ctx, app, ref.Name, configMap)
	_, has = configMap.Data[ref.Key]
	_, inBinary := configMap.BinaryData[ref.Key]
	return has || inBinary, err
}
