// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// GateOf returns the gate of an application according to its status, or else its spec; empty if neither names one.
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
