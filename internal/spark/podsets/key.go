// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// KeyOf returns the key under which an application asks. It needs only the metadata of the application.
func KeyOf(app metav1.Object) queueing.Key {
	return queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: app.GetNamespace(), Name: app.GetName(), UID: string(app.GetUID())}
}
