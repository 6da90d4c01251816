// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"errors"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// subject is an application with everything that the checks look at, read once.
type subject struct {
	app  *v1alpha1.SparkApplication
	spec *v1alpha1.SparkApplicationSpec
	// properties are merged; merging holds what was wrong about that.
	properties conf.Properties
	merging    []conf.Finding
	roles      []role
	// in is what objects are built from, and objects what checkRendered has built.
	in      render.Input
	objects render.Objects
}

// role is driver or executor with its raw parts decoded.
type role struct {
	render.Role
	parts    render.Parts
	mistakes []error
	// spark is the index of Spark's container in the template, -1 if the template has no containers.
	spark int
}

// check looks at one topic.
type check func(*subject) []Finding

// checks run in this order: what cannot work comes before what is not supported yet.
var checks = []check{
	checkMain,
	checkPrograms,
	checkArguments,
	checkVersion,
	checkNames,
	checkReferences,
	checkTemplates,
	checkContainers,
	checkTemplateMetadata,
	checkMerging,
	checkPlaceholders,
	checkMemoryUnits,
	checkValues,
	checkJavaOptions,
	checkURIs,
	checkPackages,
	checkHostProperties,
	checkKerberos,
	checkTokens,
	checkLabels,
	checkEnvironment,
	checkExecutors,
	checkLimits,
	checkAccelerators,
	checkPorts,
	checkMonitoring,
	checkPodNames,
	checkConfigMaps,
	checkVolumes,
	checkClaims,
	checkSecurity,
	checkPrivileges,
	checkSteps,
	checkRestart,
	checkTimeouts,
	checkQueue,
	checkGate,
	checkService,
	checkUI,
	checkRendered,
	checkUnsupportedVersion,
}

// Application returns what keeps the application from running, as far as the application alone shows it: what cannot
// work first, then what this version does not honour yet; at most one finding a field. Nothing found means that render
// and podsets will not fail on it.
func Application(app *v1alpha1.SparkApplication) []Finding {
	return Submission(app, conf.Sources{})
}

// Submission returns Application with the properties and files that come from elsewhere: defaults and the
// sparkConfigMap.
func Submission(app *v1alpha1.SparkApplication, sources conf.Sources) []Finding {
	_, findings := Build(render.NewInput(app, sources))
	return findings
}

// Build returns the objects of an attempt, built once and checked like everything else by Submission. They are those of
// render.Build if there are no findings.
func Build(in render.Input, contradictions []conf.Finding) (render.Objects, []Finding) {
	s := subjectOf(in, contradictions)
	var findings []Finding
	seen := map[string]bool{}
	for _, check := range checks {
		for _, finding := range check(s) {
			if !seen[finding.Field] {
				seen[finding.Field] = true
				findings = append(findings, finding)
			}
		}
	}
	return s.objects, findings
}

// newSubject reads an application alone, without the properties of its ConfigMap.
func newSubject(app *v1alpha1.SparkApplication) *subject {
	return subjectOf(render.NewInput(app, conf.Sources{}))
}

func subjectOf(in render.Input, contradictions []conf.Finding) *subject {
	s := &subject{app: in.App, spec: &in.App.Spec, properties: in.Properties, merging: contradictions, in: in}
	for _, r := range render.Roles(in.App) {
		parts, mistakes := r.Decode()
		spark := r.SparkContainer(parts.Template.Spec.Containers, s.properties)
		s.roles = append(s.roles, role{Role: r, parts: parts, mistakes: mistakes, spark: spark})
	}
	return s
}

// checkPlaceholders reports secrets that were to be filled in after the translation of a call of spark-submit.
func checkPlaceholders(s *subject) []Finding {
	var findings []Finding
	for _, property := range s.properties.Sorted() {
		if property.Value == conf.Placeholder {
			findings = append(findings, invalid(property.Origin.Field, "%q stands for a secret that was not filled in: remove it, and take the property from a "+
				"Secret with spec.sparkConfFrom", conf.Placeholder))
		}
	}
	return findings
}

// checkMerging reports contradictions and keys that users may not set.
func checkMerging(s *subject) []Finding {
	var findings []Finding
	for _, finding := range s.merging {
		findings = append(findings, invalid(finding.Field, "%s", finding.Message))
	}
	return findings
}

// checkRendered builds the objects as an attempt would and reports what other checks have not foreseen, so that no
// mistake shows first when a driver is due.
func checkRendered(s *subject) []Finding {
	objects, err := render.Build(s.in)
	if err != nil {
		return findingsOf(err)
	}
	s.objects = objects
	executor, err := podsets.ExecutorPod(objects)
	if err != nil {
		return findingsOf(err)
	}
	if _, err := podsets.BaseSets(s.app, objects, podsets.Environment{}); err != nil {
		return findingsOf(err)
	}
	return slices.Concat(Size(s.app, objects), checkPods(s, objects), checkStandard(s, objects, executor))
}

// findingsOf turns errors of other packages into findings.
func findingsOf(err error) []Finding {
	var value *conf.ValueError
	var mistake *render.MistakeError
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		var findings []Finding
		for _, part := range joined.Unwrap() {
			findings = append(findings, findingsOf(part)...)
		}
		return findings
	case errors.As(err, &value):
		return []Finding{invalid(value.Field, "%s", value.Message())}
	case errors.As(err, &mistake):
		return []Finding{invalid(mistake.Field, "%s", mistake.Message)}
	}
	return []Finding{invalid("spec", "%s", err.Error()+": correct it")}
}
