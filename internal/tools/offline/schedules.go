// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
)

// Schedule is a ScheduledSparkApplication of a file, as far as it can be parsed.
type Schedule struct {
	v1alpha1.ScheduledSparkApplication
	// Findings are those of Lint.
	Findings []Finding
}

// Schedules returns the schedules of the files, and findings about documents that cannot be parsed. Objects of other
// kinds are ignored. An error means a bug in this program.
func Schedules(files []File) ([]Schedule, []Finding, error) {
	objects, unreadable := Read(files)
	var schedules []Schedule
	for i := range objects {
		o := &objects[i]
		if o.APIVersion != v1alpha1.GroupVersion.String() || o.Kind != v1alpha1.ScheduledSparkApplicationKind {
			continue
		}
		s, err := scheduleOf(o, objects)
		if err != nil {
			return nil, nil, err
		}
		schedules = append(schedules, s)
	}
	return schedules, unreadable, nil
}

func scheduleOf(o *manifests.Object, all []manifests.Object) (s Schedule, err error) {
	// Lint reports what cannot be parsed.
	_ = kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &s.ScheduledSparkApplication)
	s.Name, s.Namespace = o.Name, o.Namespace
	s.Findings, err = o.Check(all)
	return s, err
}
