// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podtemplate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Read returns the pod of a file, in the form in which encoding/json decodes objects. It returns an error if the file
// does not have exactly one pod. Fields that pods do not have are kept.
func Read(text []byte) (map[string]any, error) {
	var pod map[string]any
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		value, err := plainYAML(&document, reflect.TypeFor[corev1.Pod](), 0)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		object, ok := value.(map[string]any)
		if !ok || pod != nil {
			return nil, errors.New("it is not one pod: write one")
		}
		pod = object
	}
	if pod == nil {
		return nil, errors.New("it contains no pod: write one")
	}
	if kind, ok := pod["kind"]; ok && kind != "Pod" {
		return nil, fmt.Errorf("it is of kind %v: write a Pod", kind)
	}
	return pod, nil
}
