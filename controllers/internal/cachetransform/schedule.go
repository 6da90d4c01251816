// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// schedule strips a schedule, and turns one that is too large into a stub. It is idempotent. A stub keeps the name, the
// status and when runs are due. It creates no applications, because it has no template.
func schedule(s *v1alpha1.ScheduledSparkApplication) *v1alpha1.ScheduledSparkApplication {
	s.ManagedFields = nil
	delete(s.Annotations, lastApplied)
	if s.Stub != nil || footprint(s.ObjectMeta)+footprint(s.Spec) <= v1alpha1.MaxApplicationSize/escaped {
		return s
	}
	size := sizeOf(&s.ObjectMeta, &s.Spec)
	if size <= v1alpha1.MaxApplicationSize {
		return s
	}
	out := &v1alpha1.ScheduledSparkApplication{TypeMeta: s.TypeMeta, Spec: s.Spec, Status: s.Status, Stub: &v1alpha1.Stub{Size: size}}
	out.Spec.Template = v1alpha1.ApplicationTemplate{Spec: runtime.RawExtension{Raw: []byte("{}")}}
	stubMeta(&s.ObjectMeta, &out.ObjectMeta)
	return out
}
