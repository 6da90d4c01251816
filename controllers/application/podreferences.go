// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	podrefs "github.com/sparkgate/sparkgate/internal/spark/references"
)

// secretMetadata is the kind of references to Secrets that only pods name, and of which only the metadata is read. Secrets that spec.sparkConfFrom
// names are read with their data.
const secretMetadata = "Secret metadata"

// missingOfPods returns the objects that the pods of a start cannot start without and that do not exist, and the rights that the account of the
// driver lacks, as sentences.
func (pn *planner) missingOfPods(ctx context.Context, ready *prepared) ([]string, error) {
	if pn.reusesChecks {
		return nil, nil
	}
	var missing []string
	for _, ref := range ready.references {
		there, err := pn.reader.podFinds(ctx, ref)
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("%s %q named by %s does not exist in namespace %s", ref.Kind, ref.Name, ref.By, pn.app.Namespace))
		}
	}
	lacking, err := pn.missingRights(ctx, ready)
	if err != nil {
		return nil, err
	}
	missing = append(missing, lacking...)
	if incomplete := len(missing) > 0; incomplete != ready.incomplete {
		now := *ready
		now.incomplete = incomplete
		pn.plans.store(pn.app, &now)
	}
	return missing, nil
}

// podFinds reports whether an object that a pod names exists. Only its metadata is read. One that the operator may not read counts as existing: the
// kubelet will report it if it does not.
func (rd *reader) podFinds(ctx context.Context, ref podrefs.Reference) (bool, error) {
	if len(validation.IsDNS1123Subdomain(ref.Name)) > 0 {
		return false, nil // nothing can have that name, and it must not become part of a request
	}
	kind := string(ref.Kind)
	if ref.Kind == podrefs.Secret {
		kind = secretMetadata
	}
	there, err := rd.isThere(ctx, kind, ref.Name, metadata(string(ref.Kind)))
	if apierrors.IsForbidden(err) {
		rd.lookups.put(rd.toReference(kind, ref.Name, ""), "")
		return true, nil
	}
	return there, err
}
