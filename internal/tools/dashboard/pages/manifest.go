// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// manifestPage is an application as the API server returns it.
type manifestPage struct {
	Base, Namespace, Name string
	Lines                 []string
	// Cut reports that the manifest is longer than Lines.
	Cut bool
}

// maxManifest is how many bytes of a manifest are shown: some become five in HTML.
const maxManifest = 128 << 10

// buildManifest is the builder for the manifest of an application, without managed fields. It is not updated.
func buildManifest(v *Visit) (view, error) {
	namespace, name := v.request.PathValue("namespace"), v.request.PathValue("name")
	out := view{title: "Manifest of " + name, section: sectionApplications, template: "manifest"}
	object, err := client.GetObject[map[string]any](v.ctx, v.Cluster.In(namespace), client.Applications, name)
	if err != nil {
		return out, err
	}
	if meta, ok := (*object)["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	}
	text, err := json.Marshal(object)
	if err == nil {
		text, err = yaml.JSONToYAML(text)
	}
	if err != nil {
		return out, fmt.Errorf("write the manifest as YAML: %w", err)
	}
	cut := len(text) > maxManifest
	if cut {
		text = bytes.ToValidUTF8(text[:maxManifest], nil)
	}
	out.still = true
	out.data = manifestPage{Base: v.site.Base, Namespace: namespace, Name: name, Lines: lines(string(text)), Cut: cut}
	return out, nil
}
