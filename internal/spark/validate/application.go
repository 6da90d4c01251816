// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// check returns the findings about one topic.
type check func(*subject) []Finding

// checks run in this order. What cannot work comes before what is not supported yet.
var checks = []check{
	checkHabits,
	checkMain,
	checkPrograms,
	checkArguments,
	checkVersion,
	checkNames,
	checkImages,
	checkReferences,
	checkTemplates,
	checkContainers,
	checkTemplateMetadata,
	checkGracePeriod,
	checkHooks,
	checkMerging,
	checkPlaceholders,
	checkMemoryUnits,
	checkDriverHeap,
	checkExecutorHeap,
	checkValues,
	checkOffHeap,
	checkJavaOptions,
	checkURIs,
	checkPackages,
	checkHostProperties,
	checkKerberos,
	checkTokens,
	checkLabels,
	checkEnvironment,
	checkSizeVariables,
	checkTolerations,
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
	checkNode,
	checkService,
	checkUI,
	checkReach,
	checkRendered,
	checkUnsupportedVersion,
}

// Application returns what keeps the application from running, as far as that can be seen without the cluster: mistakes
// first, then fields that this version does not honour yet, with at most one finding for each field. If there are none,
// render and podsets will not fail for the application.
func Application(app *v1alpha1.SparkApplication) []Finding {
	return Submission(app, conf.Sources{})
}

// Submission is Application with the properties and files from other sources: defaults and the sparkConfigMap.
func Submission(app *v1alpha1.SparkApplication, sources conf.Sources) []Finding {
	_, findings := Build(render.NewInput(app, sources))
	return findings
}

// ConfigMapMayMend reports whether findings about an application alone may disappear once its sparkConfigMap is known.
// The properties in it may complete the spec, for example with the upper bound of dynamic allocation.
func ConfigMapMayMend(app *v1alpha1.SparkApplication, findings []Finding) bool {
	const field = "spec.sparkConfigMap"
	wrongName := func(f Finding) bool { return f.Field == field }
	return app.Spec.SparkConfigMap != "" && len(findings) > 0 && !slices.ContainsFunc(findings, wrongName)
}

// Build checks an input like Submission and returns the objects of render.Build, which are built only once. They are
// complete if there are no findings.
func Build(in render.Input, contradictions []conf.Finding) (render.Objects, []Finding) {
	s := subjectOf(in, contradictions)
	var findings []Finding
	seen := map[string]bool{}
	for _, check := range checks {
		for _, finding := range check(s) {
			if !seen[finding.Field] {
				seen[finding.Field] = true
				findings = append(findings, withoutPasswords(finding))
			}
		}
	}
	return s.objects, findings
}

// checkPlaceholders reports placeholders for secrets that were not replaced after a spark-submit command was
// translated.
func checkPlaceholders(s *subject) []Finding {
	var findings []Finding
	for _, property := range s.properties.Sorted() {
		if property.Value == conf.Placeholder {
			findings = append(findings, invalid(property.Origin.Field, "%q is the placeholder for a secret: remove it, and take the property from a "+
				"Secret with spec.sparkConfFrom", conf.Placeholder))
		}
	}
	return findings
}

// checkMerging reports contradictions, and keys that users may not set.
func checkMerging(s *subject) []Finding {
	var findings []Finding
	for _, finding := range s.merging {
		findings = append(findings, invalid(finding.Field, "%s", finding.Message))
	}
	return findings
}

// checkRendered builds the objects like an attempt and reports errors that other checks have missed, so that they are
// found before a driver is created.
func checkRendered(s *subject) []Finding {
	objects, err := render.Build(s.in)
	if err != nil {
		return findingsOf(err)
	}
	s.objects = objects
	executor, err := podsets.ExecutorPod(objects)
	if err == nil {
		err = render.CompleteExecutor(executor, objects)
	}
	if err != nil {
		return findingsOf(err)
	}
	if _, err := podsets.BaseSets(s.app, objects, podsets.Environment{}); err != nil {
		return findingsOf(err)
	}
	return slices.Concat(Size(s.app, objects), checkPods(s, objects.Pod, executor), checkStandard(s, objects, executor))
}
