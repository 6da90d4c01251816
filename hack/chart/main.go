// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	chart  = "config/chart/sparkgate"
	notice = "Written by hack/chart from %s: change it there, then run make manifests."
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintf(os.Stderr, "chart: %v\n", err)
		os.Exit(1)
	}
}

func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for path, content := range files {
		if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files of the chart by their paths below root.
func generate(root string) (map[string]string, error) {
	files := map[string]string{}
	crds, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root, "config", "crd"))
	if err != nil {
		return nil, err
	}
	for _, crd := range crds.Resources() {
		text, err := crd.AsYAML()
		if err != nil {
			return nil, err
		}
		files[filepath.Join(chart, "crds", crd.GetName()+".yaml")] = "# " + fmt.Sprintf(notice, "config/crd") + "\n" + string(text)
	}
	for _, t := range templates {
		text, err := t.render(root)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(chart, "templates", t.name+".yaml")] = text
	}
	values, err := os.ReadFile(filepath.Join(root, chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	files[filepath.Join(chart, "README.md")], err = readme(values)
	return files, err
}

// template describes a template of the chart that has the objects of a kustomize base.
type template struct {
	name, base string
	// begin and end enclose the objects.
	begin, end string
	// from is the base's namespace, and replace what the template has instead of it.
	from, replace string
	// labels are further labels of all objects. They take precedence over the common ones.
	labels string
	values []value
	swaps  []value
}

// partOf is the label that all objects of a base have, unless the base sets none.
const partOf = "    app.kubernetes.io/part-of: sparkgate\n"

// value inserts template, text with the user's values, below each occurrence of line in the base; as a swap, it
// replaces the line.
type value struct{ line, template string }

var templates = []template{
	{
		name: "rbac", base: "config/rbac", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
		swaps: []value{{"subjects:\n- apiGroup: rbac.authorization.k8s.io\n  kind: Group\n  name: system:authenticated\n", `{{- with .Values.explain.groups }}
subjects:
{{- range . }}
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: {{ . | quote }}
{{- end }}
{{- end }}
`}},
	},
	{
		name: "rbac-everywhere", base: "config/everywhere", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
		begin: "{{- if not (or .Values.watchNamespaces .Values.namespaceSelector) }}\n", end: "{{- end }}\n",
	},
	{
		name: "guard", base: "config/guard/validating", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
		begin: "{{- if .Values.guard.enabled }}\n", end: "{{- end }}\n",
	},
	{
		name: "guard-mutating", base: "config/guard/mutating.yaml",
		begin: `{{- if and .Values.guard.enabled .Values.guard.mutating (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy") }}` + "\n", end: "{{- end }}\n",
	},
	{
		name: "fast", base: "config/fast",
		begin: `{{- if .Values.fast.enabled }}
{{- if .Values.namespaceSelector }}
{{- fail "fast.enabled selects namespaces by watchNamespaces only: with namespaceSelector set fast.enabled=false, and apply config/fast with that selector in its binding" }}
{{- end }}
{{- if .Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" }}
`, end: "{{- end }}\n{{- end }}\n",
		values: []value{{"  policyName: sparkgate-finalizer\n", `  {{- with .Values.watchNamespaces }}
  matchResources:
    namespaceSelector:
      matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values:
        {{- toYaml . | nindent 8 }}
  {{- end }}
`}},
	},
	{
		name: "adopt", base: "config/adopt/role.yaml",
		begin: "{{- if .Values.adopt.enabled }}\n", end: "{{- end }}\n",
	},
	{
		name: "adopt-everywhere", base: "config/adopt/binding.yaml", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
		begin: "{{- if and .Values.adopt.enabled (not (or .Values.watchNamespaces .Values.namespaceSelector)) }}\n", end: "{{- end }}\n",
	},
	dashboard,
	{
		name: "monitoring", base: "config/monitoring", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
		begin: "{{- if .Values.monitoring.enabled }}\n", end: "{{- end }}\n", labels: ".Values.monitoring.labels",
		values: []value{
			{"    port: metrics\n", "    {{- with .Values.monitoring.endpoint }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n"},
		},
	},
	{
		name: "job-namespaces", base: "config/job-namespace", from: "default", replace: "{{ .name | quote }}",
		begin: "{{- range .Values.jobNamespaces }}\n" + createNamespace + "---\n", end: "{{- end }}\n",
		values: []value{
			{"metadata:\n  name: spark\n  namespace: {{ .name | quote }}\n", noOtherLabels + serviceAccount},
			{"metadata:\n  name: spark-driver\n", noOtherLabels},
		},
	},
}

// operatorImage matches the image of the operator in the bases. A release changes its tag there; the chart uses its own
// version instead.
var operatorImage = regexp.MustCompile(`(docker\.io/sparkgate/sparkgate):[\w.-]+`)

const createNamespace = `{{- if .create }}
---
apiVersion: v1
kind: Namespace
metadata:
  name: {{ .name | quote }}
  annotations:
    helm.sh/resource-policy: keep
    {{- with .annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "sparkgate.merged" (list .labels $.Values.commonLabels) }}
  labels:
    {{- . | nindent 4 }}
  {{- end }}
{{- end }}
`

// noOtherLabels are the labels of an object that has none of its own.
const noOtherLabels = `  {{- with $.Values.commonLabels }}
  labels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
`

// serviceAccount is what the account of drivers has beside its name: annotations by which a cloud knows it, and Secrets with which the images of
// jobs are pulled.
const serviceAccount = `  {{- with .serviceAccount }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with .imagePullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
`

func (t template) render(root string) (string, error) {
	text, err := build(filepath.Join(root, t.base))
	if err != nil {
		return "", err
	}
	text = operatorImage.ReplaceAllString(strings.ReplaceAll(text, "{{", `{{ "{{" }}`), "$1:dev")
	if t.from != "" {
		text = strings.ReplaceAll(text, "namespace: "+t.from+"\n", "namespace: "+t.replace+"\n")
	}
	if strings.Contains(text, "\n"+partOf) {
		t.values = append(t.values, value{partOf, t.commonLabels()})
	}
	for _, v := range t.values {
		t.swaps = append(t.swaps, value{v.line, v.line + v.template})
	}
	for _, v := range t.swaps {
		if !strings.Contains(text, "\n"+v.line) {
			return "", fmt.Errorf("%s has no line %q", t.base, v.line)
		}
		text = strings.ReplaceAll(text, "\n"+v.line, "\n"+v.template)
	}
	return "{{- /* " + fmt.Sprintf(notice, t.base) + " */ -}}\n" + t.begin + text + t.end, nil
}

// commonLabels returns the text for the labels that the user sets for all objects of the chart, and for those of this
// template.
func (t template) commonLabels() string {
	if t.labels == "" {
		return "    {{- with $.Values.commonLabels }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n"
	}
	return `    {{- with include "sparkgate.merged" (list ` + t.labels + " $.Values.commonLabels) }}\n    {{- . | nindent 4 }}\n    {{- end }}\n"
}

// build returns the objects of a kustomize base, or those of a single file with the label that all bases set.
func build(path string) (string, error) {
	fs, dir := filesys.MakeFsOnDisk(), path
	if filepath.Ext(path) == ".yaml" {
		content, err := fs.ReadFile(path)
		if err != nil {
			return "", err
		}
		fs, dir = filesys.MakeFsInMemory(), "/"
		if err := fs.WriteFile("/objects.yaml", content); err != nil {
			return "", err
		}
		kustomization := "resources: [objects.yaml]\nlabels:\n- pairs:\n    app.kubernetes.io/part-of: sparkgate\n"
		if err := fs.WriteFile("/kustomization.yaml", []byte(kustomization)); err != nil {
			return "", err
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, dir)
	if err != nil {
		return "", err
	}
	text, err := built.AsYaml()
	return string(text), err
}
