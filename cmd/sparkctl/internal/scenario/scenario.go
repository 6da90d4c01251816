// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// Types of the document without a kind, as it is written.
type (
	script struct {
		Namespaces map[string]namespace `json:"namespaces"`
		Arrivals   []arrival            `json:"arrivals"`
		Changes    []change             `json:"changes"`
		Schedules  *schedules           `json:"schedules"`
	}
	schedules struct {
		From  time.Time       `json:"from"`
		Until time.Time       `json:"until"`
		Runs  []scheduledRuns `json:"runs"`
	}
	scheduledRuns struct {
		Name      string           `json:"name"`
		Namespace string           `json:"namespace"`
		Priority  int32            `json:"priority"`
		RunFor    *metav1.Duration `json:"runFor"`
	}
	namespace struct {
		Labels map[string]string `json:"labels"`
	}
	arrival struct {
		At        metav1.Duration  `json:"at"`
		Name      string           `json:"name"`
		Namespace string           `json:"namespace"`
		Queue     string           `json:"queue"`
		Priority  int32            `json:"priority"`
		PodSets   []podSet         `json:"podSets"`
		RunFor    *metav1.Duration `json:"runFor"`
		Timeouts  struct {
			Run *metav1.Duration `json:"run"`
		} `json:"timeouts"`
		// PriorityClassName is checked against the classes that the queue allows. The number that counts is Priority.
		PriorityClassName string `json:"priorityClassName"`
	}
	podSet struct {
		Name         string              `json:"name"`
		Count        *int32              `json:"count"`
		MinCount     int32               `json:"minCount"`
		Requests     corev1.ResourceList `json:"requests"`
		NodeSelector map[string]string   `json:"nodeSelector"`
	}
	change struct {
		At     metav1.Duration `json:"at"`
		Apply  json.RawMessage `json:"apply"`
		Delete *reference      `json:"delete"`
	}
	reference struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	}
)

// Kinds that a scenario may contain.
const (
	kindQueue    = v1alpha1.SparkQueueKind
	kindFlavor   = v1alpha1.SparkFlavorKind
	kindSchedule = v1alpha1.ScheduledSparkApplicationKind
)

// Parse reads a stream. Its error lists all mistakes, one per line, each with its place and a remedy. The warnings are
// about what is not played as it is written.
func Parse(file offline.File) (s simulator.Scenario, warnings []string, err error) {
	documents, findings := offline.Read([]offline.File{file})
	p := problems{all: &findings}
	var bodies, manifests []offline.Object
	for _, o := range documents {
		if o.Kind == "" {
			bodies = append(bodies, o)
		} else if belongs(p.in(&o), &o) {
			manifests = append(manifests, o)
		}
	}
	found, _, err := offline.Check(manifests)
	if err != nil {
		return s, nil, err
	}
	findings = append(findings, found...)
	c := configuration{exist: map[object]bool{}, queues: map[string]*v1alpha1.SparkQueueSpec{}}
	c.readInitial(p, manifests, &s)
	switch len(bodies) {
	case 0:
		if !p.found() {
			findings = append(findings, offline.Finding{
				File: file.Name, Line: 1, Message: "no document says what happens; add one without kind, with the key arrivals or schedules",
			})
		}
	case 1:
		err = c.readBody(p.in(&bodies[0]), manifests, &s)
	default:
		p.in(&bodies[1]).add("", "another document without kind precedes it, in line %d; merge them, or add the kind", bodies[0].Line)
	}
	if err != nil {
		return s, nil, err
	}
	warnings, err = p.lines()
	return s, warnings, err
}

// belongs reports whether an object may be in a scenario. Its version may be omitted.
func belongs(p problems, o *offline.Object) bool {
	switch group, _, _ := strings.Cut(o.APIVersion, "/"); {
	case o.Kind != kindQueue && o.Kind != kindFlavor && o.Kind != kindSchedule:
		p.add("kind", "%q does not belong in a scenario; write %s, %s or %s, or remove it", o.Kind, kindQueue, kindFlavor, kindSchedule)
		return false
	case o.APIVersion == "":
		o.APIVersion = v1alpha1.GroupVersion.String()
	case group != v1alpha1.Group:
		p.add("apiVersion", "%q is not known; write %s", o.APIVersion, v1alpha1.GroupVersion)
		return false
	}
	return true
}

// readBody reads the document without a kind.
func (c configuration) readBody(p problems, manifests []offline.Object, s *simulator.Scenario) (err error) {
	var f script
	if !p.decode(&f) {
		return nil
	}
	s.Arrivals = readArrivals(p, &f)
	c.checkClasses(p, f.Arrivals)
	if s.Changes, err = c.readChanges(p, f.Changes); err != nil {
		return err
	}
	s.Schedules = c.readSchedules(p, &f, manifests)
	return nil
}
