// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podtemplate"
)

// templates copies the pod template files into the application.
func (b *builder) templates(readFile func(string) ([]byte, error)) error {
	var mistakes []error
	for _, role := range []struct {
		key, field string
		into       **runtime.RawExtension
	}{
		{conf.DriverTemplateFile, "spec.driver.template", &b.app.Spec.Driver.Template},
		{conf.ExecutorTemplateFile, "spec.executor.template", &b.app.Spec.Executor.Template},
	} {
		file, ok := b.take(role.key)
		if !ok {
			continue
		}
		template, err := readTemplate(file, readFile, role.key == conf.DriverTemplateFile)
		if err != nil {
			mistakes = append(mistakes, &CallError{role.field, fmt.Errorf("read the template of %s: %w", role.key, err)})
			continue
		}
		*role.into = template
	}
	return errors.Join(mistakes...)
}

// security sets podSecurity to None: the image and the templates may rely on security fields that spark-submit leaves
// empty.
func (b *builder) security() {
	b.app.Spec.PodSecurity = v1alpha1.PodSecurityNone
	b.note("spec.podSecurity", "None, because spark-submit changes neither the user of the image nor what pod templates say about security: remove it to have "+
		"empty fields filled so that the pods satisfy the restricted Pod Security Standard")
}

// readTemplate reads a pod template file as Spark's client does. The driver's has to have a spec.
func readTemplate(file string, readFile func(string) ([]byte, error), needsSpec bool) (*runtime.RawExtension, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(file, "file://"), "file:")
	switch {
	case path != file && !strings.HasPrefix(path, "/"):
		return nil, fmt.Errorf("%s is not an absolute path: leave out the scheme, or write file:///", file)
	case strings.Contains(path, "://"):
		return nil, fmt.Errorf("%s is not on this machine: fetch it and name the local file", path)
	}
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	pod, err := podtemplate.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := checkSpec(pod, needsSpec); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	maps.DeleteFunc(pod, func(key string, _ any) bool { // Spark ignores keys in another case, as in Kind: Pod
		return slices.Contains([]string{"apiversion", "kind", "status"}, strings.ToLower(key))
	})
	raw, err := json.Marshal(pod)
	return &runtime.RawExtension{Raw: raw}, err
}

// checkSpec refuses templates that Spark's client cannot use.
func checkSpec(pod map[string]any, needsSpec bool) error {
	spec, _ := pod["spec"].(map[string]any)
	containers, written := spec["containers"]
	switch {
	case needsSpec && pod["spec"] == nil, pod["spec"] == nil && pod["metadata"] == nil:
		return errors.New("it has no spec: write a pod")
	case needsSpec && written && containers == nil:
		return errors.New("it has spec.containers without a value: remove it, or name a container")
	}
	return nil
}
