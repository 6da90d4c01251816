// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/queueing"
)

// KeyOf returns the key by which gates know an application, of which no more than the metadata has to be there.
func KeyOf(app metav1.Object) queueing.Key {
	return queueing.Key{Kind: queueing.Application, Namespace: app.GetNamespace(), Name: app.GetName(), UID: string(app.GetUID())}
}
