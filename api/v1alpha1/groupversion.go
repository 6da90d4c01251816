// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of every kind in this package.
const Group = "sparkgate.io"

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: Group, Version: "v1alpha1"}

// The kinds of this group, as they are written in `kind:`.
const (
	SparkApplicationKind          = "SparkApplication"
	SparkQueueKind                = "SparkQueue"
	SparkFlavorKind               = "SparkFlavor"
	ScheduledSparkApplicationKind = "ScheduledSparkApplication"
	SparkClusterKind              = "SparkCluster"
)

// AddToScheme registers the kinds of this package. It is safe to call more than once.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&SparkApplication{}, &SparkApplicationList{},
		&SparkQueue{}, &SparkQueueList{},
		&SparkFlavor{}, &SparkFlavorList{},
		&ScheduledSparkApplication{}, &ScheduledSparkApplicationList{},
		&SparkCluster{}, &SparkClusterList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
