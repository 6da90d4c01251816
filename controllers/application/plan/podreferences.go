// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	for _, ref := range g.ready.References {
		there, err := pn.Reader.podReferenceExists(ctx, g.app, ref)
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("%s %q named by %s does not exist in namespace %s", ref.Kind, ref.Name, ref.By, g.app.Namespace))
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
