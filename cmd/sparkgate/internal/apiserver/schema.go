// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/config/crd"
)

// schemaAnnotation numbers the schemas of a CRD: a later one has a higher number, followed by a hash (hack/crds).
const schemaAnnotation = "sparkgate.io/schema"

// schemaOf returns the number of a CRD's schema; 0 if it has none.
func schemaOf(annotations map[string]string) int {
	number, _, _ := strings.Cut(annotations[schemaAnnotation], "-")
	n, _ := strconv.Atoi(number)
	return n
}

// ownSchemas returns the numbers of the schemas with which this operator was built, by the name of the CRD.
func ownSchemas() (map[string]int, error) {
	files, err := crd.Bases.ReadDir("bases")
	if err != nil {
		return nil, err
	}
	own := map[string]int{}
	for _, file := range files {
		data, err := crd.Bases.ReadFile("bases/" + file.Name())
		if err != nil {
			return nil, err
		}
		var definition metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(data, &definition); err != nil {
			return nil, fmt.Errorf("read the CRD %s: %w", file.Name(), err)
		}
		own[definition.Name] = schemaOf(definition.Annotations)
	}
	return own, nil
}

// servedSchema returns the number of the schema of an installed CRD.
func servedSchema(ctx context.Context, client discovery.DiscoveryInterface, name string) (int, error) {
	data, err := client.RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name).
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").Do(ctx).Raw()
	if err != nil {
		return 0, err
	}
	var definition metav1.PartialObjectMetadata
	if err := json.Unmarshal(data, &definition); err != nil {
		return 0, fmt.Errorf("read the CRD %s: %w", name, err)
	}
	return schemaOf(definition.Annotations), nil
}
