// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// KeyOf returns the key by which gates know an application, of which no more than the metadata has to be there.
func KeyOf(app metav1.Object) queueing.Key {
	return queueing.Key{Kind: queueing.Application, Namespace: app.GetNamespace(), Name: app.GetName(), UID: string(app.GetUID())}
}

// GateOf returns the gate that decides on an application, as far as the application says; empty if it says nothing.
func GateOf(app *v1alpha1.SparkApplication) v1alpha1.GateType {
	switch s := &app.Status; {
	case s.Grant != nil:
		return s.Grant.Gate
	case s.Ask != nil:
		return v1alpha1.GateType(s.Ask.Gate)
	case app.Spec.Queue != nil:
		return app.Spec.Queue.Gate
	}
	return ""
}
