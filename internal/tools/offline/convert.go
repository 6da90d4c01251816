// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/adopt/kubeflow"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
)

// Converted is an object of kubeflow's operator, or another one, after Convert.
type Converted struct {
	Object
	// Foreign reports whether the object is one of kubeflow's operator.
	Foreign bool
	// Manifest is the object in YAML, in our form if it is foreign; nil if there are refusals.
	Manifest []byte
	// Notes say what is not the same, Refusals why the object cannot be converted. Both name fields of the foreign object.
	Notes, Refusals []Finding
}

// Convert translates the objects of kubeflow's operator in the files, and leaves others as they are. The findings are
// about documents that cannot be read. An error means a bug in this program.
func Convert(files []File) ([]Converted, []Finding, error) {
	objects, findings := Read(files)
	converted := make([]Converted, len(objects))
	for i := range objects {
		c := &converted[i]
		c.Object = objects[i]
		c.Foreign = IsKubeflow(&c.Object)
		var err error
		if c.Foreign {
			err = c.translate(objects)
		} else {
			c.Manifest, err = yaml.JSONToYAML(c.JSON)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return converted, findings, nil
}

// IsKubeflow reports whether an object belongs to kubeflow's operator.
func IsKubeflow(o *Object) bool { return strings.HasPrefix(o.APIVersion, kubeflow.Group+"/") }

// translate translates the object, and refuses what the API server or the operator would refuse.
func (c *Converted) translate(all []Object) error {
	t := kubeflow.Translate(c.JSON, "")
	if t.Object != nil {
		text, err := toYAML(t.Object)
		if err != nil {
			return err
		}
		ours, _ := manifests.Read("", text)
		found, err := ours[0].Check(all)
		if err != nil {
			return err
		}
		for _, f := range found {
			if !f.Warning {
				t.Refusals = append(t.Refusals, t.Theirs(finding.Finding{Field: f.Field, Message: f.Message}))
			}
		}
		c.Manifest = text
	}
	if len(t.Refusals) > 0 {
		c.Manifest = nil
	}
	c.Notes, c.Refusals = c.placed(t.Notes), c.placed(t.Refusals)
	return nil
}

// placed returns findings with their lines.
func (c *Converted) placed(findings []finding.Finding) []Finding {
	placed := make([]Finding, len(findings))
	for i, f := range findings {
		placed[i] = Finding{Field: f.Field, Message: f.Message}
	}
	return c.Place(placed)
}
