// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

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
	if t.Idle != nil {
		findings = append(findings, idleFindings(s, t.Idle.Duration)...)
	}
	return findings
}

// minIdle is the smallest timeouts.idle: the driver is asked at most once a minute.
const minIdle = time.Minute

// idleFindings checks timeouts.idle.
func idleFindings(s *subject, limit time.Duration) []Finding {
	const field = "spec.timeouts.idle"
	if s.spec.Server == nil {
		return []Finding{invalid(field, "only a server is idle between the queries of its clients: remove it, or set server to run one")}
	}
	var findings []Finding
	if limit < minIdle {
		findings = append(findings, invalid(field, "value %q is shorter than a minute: set at least 1m, or remove it", limit))
	}
	if enabled, err := s.properties.Bool(conf.UIEnabled, true); err == nil && !enabled {
		findings = append(findings, invalid(field, "the driver is asked through its web interface, which %s switches off: remove one", s.properties.Field(conf.UIEnabled)))
	}
	return findings
}
