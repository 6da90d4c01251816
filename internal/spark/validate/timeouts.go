// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// checkTimeouts reports timeouts of 0, with which the job could only fail; elsewhere in Kubernetes 0 often means no
// timeout. timeouts.termination may be 0.
func checkTimeouts(s *subject) []Finding {
	t := s.spec.Timeouts
	if t == nil {
		return nil
	}
	var findings []Finding
	for _, bound := range []struct {
		field string
		value *v1alpha1.Duration
	}{
		{"admission", t.Admission}, {"driverStart", t.DriverStart}, {"executorStart", t.ExecutorStart}, {"run", t.Run}, {"total", t.Total},
	} {
		if bound.value != nil && bound.value.Duration == 0 {
			findings = append(findings, invalid("spec.timeouts."+bound.field, "value \"0s\" leaves no time: set more, or remove it for the default"))
		}
	}
	return findings
}
