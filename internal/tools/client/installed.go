// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
)

// Kinds that show what is installed.
var (
	deploymentKind = Kind{"/apis/apps/v1", "deployments", true}
	crdKind        = Kind{"/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", false}
)

// OperatorLabel selects the operator's objects.
const OperatorLabel = "app.kubernetes.io/name=sparkgate"

// Operator is a container of a Deployment of the operator: the name of the Deployment and the image.
type Operator struct{ Name, Image string }

// Operators returns the Deployments of the operator and their images.
func Operators(ctx context.Context, c *Cluster) ([]Operator, error) {
	deployments, err := ListAll[appsv1.Deployment](ctx, c, deploymentKind, Selection{Namespace: c.operator, Labels: OperatorLabel})
	if err != nil {
		return nil, err
	}
	var found []Operator
	for i := range deployments {
		for j := range deployments[i].Spec.Template.Spec.Containers {
			found = append(found, Operator{"Deployment " + c.operator + "/" + deployments[i].Name, deployments[i].Spec.Template.Spec.Containers[j].Image})
		}
	}
	return found, nil
}

// CRDVersions returns the served versions of a CRD.
func CRDVersions(ctx context.Context, c *Cluster, name string) ([]string, error) {
	type definition struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Served bool   `json:"served"`
			} `json:"versions"`
		} `json:"spec"`
	}
	crd, err := GetObject[definition](ctx, c, crdKind, name)
	if err != nil {
		return nil, err
	}
	var served []string
	for _, v := range crd.Spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	return served, nil
}
