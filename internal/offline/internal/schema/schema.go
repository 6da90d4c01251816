// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"io/fs"
	"regexp"
	"sync"

	"github.com/google/cel-go/cel"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/config/crd"
)

// Schema is what the API server checks of one kind.
type Schema struct{ root *node }

// node is one level of a schema. Its fields are the keywords that the CRDs use.
type node struct {
	Type                 string           `json:"type"`
	Description          string           `json:"description"`
	Format               string           `json:"format"`
	Default              any              `json:"default"`
	Properties           map[string]*node `json:"properties"`
	AdditionalProperties *node            `json:"additionalProperties"`
	Items                *node            `json:"items"`
	Required             []string         `json:"required"`
	Enum                 []any            `json:"enum"`
	AllOf                []*node          `json:"allOf"`
	AnyOf                []*node          `json:"anyOf"`
	Pattern              string           `json:"pattern"`
	Minimum              *float64         `json:"minimum"`
	Maximum              *float64         `json:"maximum"`
	MinLength            *int             `json:"minLength"`
	MaxLength            *int             `json:"maxLength"`
	MinItems             *int             `json:"minItems"`
	MaxItems             *int             `json:"maxItems"`
	MaxProperties        *int             `json:"maxProperties"`
	ListType             string           `json:"x-kubernetes-list-type"`
	ListKeys             []string         `json:"x-kubernetes-list-map-keys"`
	MapType              string           `json:"x-kubernetes-map-type"`
	IntOrString          bool             `json:"x-kubernetes-int-or-string"`
	PreserveUnknown      bool             `json:"x-kubernetes-preserve-unknown-fields"`
	Rules                []rule           `json:"x-kubernetes-validations"`

	pattern *regexp.Regexp
}

// rule is a condition in CEL, and what to do where it does not hold.
type rule struct {
	Rule      string `json:"rule"`
	Message   string `json:"message"`
	FieldPath string `json:"fieldPath"`
	Reason    string `json:"reason"`

	program cel.Program
}

// definition is the part of a CRD that counts here.
type definition struct {
	Spec struct {
		Names    struct{ Kind string } `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				Root yaml2JSON `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// yaml2JSON is a part of a document that is read later.
type yaml2JSON []byte

// UnmarshalJSON implements json.Unmarshaler.
func (y *yaml2JSON) UnmarshalJSON(data []byte) error {
	*y = append((*y)[:0], data...)
	return nil
}

// Of returns the schema of a kind, whether there is such a kind, and what is wrong with the CRDs, which only a developer can see.
func Of(kind string) (*Schema, bool, error) {
	all, err := schemas()
	return all[kind], all[kind] != nil, err
}

// schemas reads the CRDs once.
var schemas = sync.OnceValues(func() (map[string]*Schema, error) {
	files, err := fs.Glob(crd.Bases, "bases/*.yaml")
	if err != nil {
		return nil, err
	}
	rules, err := environment()
	if err != nil {
		return nil, err
	}
	all := map[string]*Schema{}
	for _, file := range files {
		kind, root, err := read(file)
		if err == nil {
			err = root.prepare(rules)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all[kind] = &Schema{root}
	}
	return all, nil
})

// read reads the only version of a kind. The status is left out: users do not write it.
func read(file string) (kind string, root *node, err error) {
	text, err := crd.Bases.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	var d definition
	if err := yaml.Unmarshal(text, &d); err != nil {
		return "", nil, err
	}
	if n := len(d.Spec.Versions); n != 1 {
		return "", nil, fmt.Errorf("there are %d versions, and only one is known here", n)
	}
	root = &node{}
	if err := yaml.UnmarshalStrict(d.Spec.Versions[0].Schema.Root, root); err != nil {
		return "", nil, err
	}
	delete(root.Properties, "status")
	return d.Spec.Names.Kind, root, nil
}

// prepare compiles patterns and rules.
func (n *node) prepare(rules *cel.Env) error {
	if n.Pattern != "" {
		compiled, err := regexp.Compile(n.Pattern)
		if err != nil {
			return err
		}
		n.pattern = compiled
	}
	for i := range n.Rules {
		if err := n.Rules[i].compile(rules); err != nil {
			return fmt.Errorf("rule %s: %w", n.Rules[i].Rule, err)
		}
	}
	for _, below := range n.children() {
		if err := below.prepare(rules); err != nil {
			return err
		}
	}
	return nil
}

// children are the levels below.
func (n *node) children() []*node {
	children := append(append([]*node{}, n.AllOf...), n.AnyOf...)
	for _, below := range n.Properties {
		children = append(children, below)
	}
	for _, below := range []*node{n.AdditionalProperties, n.Items} {
		if below != nil {
			children = append(children, below)
		}
	}
	return children
}
