// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/config/crd"
)

// kinds are the kinds of the operator.
var kinds = []string{v1alpha1.SparkApplicationKind, v1alpha1.ScheduledSparkApplicationKind, v1alpha1.SparkQueueKind, v1alpha1.SparkFlavorKind}

// schema is the schema of an object or of one of its fields.
type schema = apiextensionsv1.JSONSchemaProps

// missingFields returns the paths of fields that exist in is but not in other, without the fields below them. Where
// other preserves unknown fields, nothing is missing.
func missingFields(is, other *schema, path string) []string {
	if ptr.Deref(other.XPreserveUnknownFields, false) {
		return nil
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(is.Properties)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		field := is.Properties[name]
		if of, has := other.Properties[name]; has {
			missing = append(missing, missingFields(&field, &of, at)...)
		} else {
			missing = append(missing, at)
		}
	}
	if is.Items != nil && is.Items.Schema != nil && other.Items != nil && other.Items.Schema != nil {
		missing = append(missing, missingFields(is.Items.Schema, other.Items.Schema, path+"[]")...)
	}
	if value, of := is.AdditionalProperties, other.AdditionalProperties; value != nil && value.Schema != nil && of != nil && of.Schema != nil {
		missing = append(missing, missingFields(value.Schema, of.Schema, path+"[]")...)
	}
	return missing
}

// ownSchemas returns the schemas of the CRDs with which this operator was built, by kind.
func ownSchemas() (map[string]*schema, error) {
	files, err := crd.Bases.ReadDir("bases")
	if err != nil {
		return nil, err
	}
	own := map[string]*schema{}
	for _, file := range files {
		data, err := crd.Bases.ReadFile("bases/" + file.Name())
		if err != nil {
			return nil, err
		}
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(data, &definition); err != nil {
			return nil, fmt.Errorf("read the CRD %s: %w", file.Name(), err)
		}
		for _, version := range definition.Spec.Versions {
			if version.Name == v1alpha1.GroupVersion.Version {
				own[definition.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
			}
		}
	}
	return own, nil
}

// servedSchemas returns the schemas that the API server publishes, by kind. By default, all authenticated clients may
// read them.
func servedSchemas(ctx context.Context, client discovery.DiscoveryInterface) (map[string]*schema, error) {
	data, err := client.RESTClient().Get().AbsPath("/openapi/v3/apis/"+v1alpha1.GroupVersion.String()).
		SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				schema
				Kinds []struct{ Kind string } `json:"x-kubernetes-group-version-kind"`
			}
		}
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("read the published schemas: %w", err)
	}
	served := map[string]*schema{}
	for _, s := range document.Components.Schemas {
		if len(s.Kinds) == 1 && slices.Contains(kinds, s.Kinds[0].Kind) {
			served[s.Kinds[0].Kind] = &s.schema
		}
	}
	return served, nil
}

// compare returns the differences between the served schemas and the operator's own. A finding waits if the API server
// would drop a field of the status: a grant that is not stored would be made twice.
func compare(own, served map[string]*schema) []finding {
	var all []finding
	for _, kind := range kinds {
		is, published := served[kind]
		if !published {
			all = append(all, finding{message: "Waiting for the schema of " + kind, waits: true})
			continue
		}
		var spec, state, newer []string
		for _, field := range missingFields(own[kind], is, "") {
			if field == "status" || strings.HasPrefix(field, "status.") {
				state = append(state, field)
			} else {
				spec = append(spec, field)
			}
		}
		for _, field := range missingFields(is, own[kind], "") {
			if strings.HasPrefix(field, "spec.") {
				newer = append(newer, field)
			}
		}
		all = append(all,
			finding{waits: true, message: "Waiting for a newer CustomResourceDefinition: this one drops what the operator records"}.withFields(kind, state),
			finding{message: "The CustomResourceDefinition is older than the operator: these fields cannot be set"}.withFields(kind, spec),
			finding{message: "The CustomResourceDefinition is newer than the operator: these fields have no effect", remedy: "update the operator"}.withFields(kind, newer))
	}
	return slices.DeleteFunc(all, func(f finding) bool { return !f.waits && len(f.details) == 0 })
}

// maxFieldsNamed bounds the number of fields that one line names.
const maxFieldsNamed = 5

// withFields adds the fields of a kind to a finding. Without fields it returns the zero finding.
func (f finding) withFields(kind string, fields []string) finding {
	if len(fields) == 0 {
		return finding{}
	}
	f.about = kind + " " + strings.Join(fields, ",")
	if len(fields) > maxFieldsNamed {
		fields = append(slices.Clone(fields[:maxFieldsNamed]), fmt.Sprintf("and %d more", len(fields)-maxFieldsNamed))
	}
	f.details = []any{"kind", kind, "fields", fields, "remedy", cmp.Or(f.remedy, "update it: "+applyCRDs)}
	return f
}
