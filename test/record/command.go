// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"
)

// Names of the pod templates in the working folder of spark-submit.
const (
	driverTemplateFile   = "driver-template.yaml"
	executorTemplateFile = "executor-template.yaml"
)

// Main program of each language, as it lies in the image.
const (
	javaClass  = "org.apache.spark.examples.SparkPi"
	javaFile   = "local:///opt/spark/examples/jars/spark-examples.jar"
	pythonFile = "local:///opt/spark/examples/src/main/python/pi.py"
)

func (c Case) image(version string) string { return "docker.io/apache/spark:" + version }

func (c Case) python() bool { return c.Language == "python" }

func (c Case) mainClass() string {
	switch {
	case c.MainClass == "-" || c.python():
		return ""
	case c.MainClass != "":
		return c.MainClass
	}
	return javaClass
}

func (c Case) mainFile() string {
	switch {
	case c.MainFile != "":
		return c.MainFile
	case c.python():
		return pythonFile
	}
	return javaFile
}

// Command returns what spark-submit is called with: the options that every submission needs, then those of the case,
// then the program.
func (c Case) Command(master, version string) []string {
	name := c.AppName
	if name == "" {
		name = c.Name
	}
	args := []string{"--master", master, "--deploy-mode", "cluster", "--name", name}
	if class := c.mainClass(); class != "" {
		args = append(args, "--class", class)
	}
	conf := map[string]string{
		"spark.kubernetes.namespace":                    namespace,
		"spark.kubernetes.container.image":              c.image(version),
		"spark.kubernetes.submission.waitAppCompletion": "false",
	}
	maps.Copy(conf, c.Conf)
	maps.Copy(conf, c.SubmitConf)
	for role, name := range map[string]string{"driver": driverTemplateFile, "executor": executorTemplateFile} {
		if c.templateFiles()[name] != nil {
			conf["spark.kubernetes."+role+".podTemplateFile"] = name
		}
	}
	args = append(args, c.Args...)
	for _, key := range slices.Sorted(maps.Keys(conf)) {
		args = append(args, "--conf", key+"="+conf[key])
	}
	return append(append(args, c.mainFile()), c.Arguments...)
}

// templateFiles returns the pod templates of spark-submit by file name; nil where there is none.
func (c Case) templateFiles() map[string]map[string]any {
	files := map[string]map[string]any{driverTemplateFile: c.DriverTemplate, executorTemplateFile: c.ExecutorTemplate}
	if c.SubmitDriverTemplate != nil {
		files[driverTemplateFile] = c.SubmitDriverTemplate
	}
	if c.SubmitExecutorTemplate != nil {
		files[executorTemplateFile] = c.SubmitExecutorTemplate
	}
	return files
}

// Manifest returns the same job as a SparkApplication.
func (c Case) Manifest(version string) map[string]any {
	spec := map[string]any{
		"type":                "Java",
		"sparkVersion":        version,
		"image":               c.image(version),
		"mainApplicationFile": c.mainFile(),
		// Spark fills no security field, so neither does the manifest unless the case wants it to.
		"podSecurity": "None",
	}
	if c.python() {
		spec["type"] = "Python"
	}
	if class := c.mainClass(); class != "" {
		spec["mainClass"] = class
	}
	if c.Arguments != nil {
		spec["arguments"] = c.Arguments
	}
	if conf := c.sparkConf(); len(conf) > 0 {
		spec["sparkConf"] = conf
	}
	if c.ConfFiles != nil {
		spec["sparkConfigMap"] = confMapName
	}
	for role, template := range map[string]map[string]any{"driver": c.DriverTemplate, "executor": c.ExecutorTemplate} {
		if template != nil {
			spec[role] = map[string]any{"template": template}
		}
	}
	merge(spec, c.Spec)
	return map[string]any{
		"apiVersion": "sparkgate.io/v1alpha1",
		"kind":       "SparkApplication",
		"metadata":   map[string]any{"name": c.Name, "namespace": namespace},
		"spec":       spec,
	}
}

func (c Case) sparkConf() map[string]any {
	conf := map[string]any{}
	for key, value := range c.Conf {
		conf[key] = value
	}
	if c.AppName != "" {
		conf["spark.app.name"] = c.AppName
	}
	return conf
}

// confMapName is the ConfigMap with the files of Spark's conf folder.
const confMapName = "spark-conf-files"

// ConfMap is that ConfigMap; nil when the case has no such files.
func (c Case) ConfMap() map[string]any {
	if c.ConfFiles == nil {
		return nil
	}
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": confMapName, "namespace": namespace},
		"data":       c.ConfFiles,
	}
}

// merge writes from over to, map by map; null removes a key.
func merge(to, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		old, wasMap := to[key].(map[string]any)
		switch {
		case value == nil:
			delete(to, key)
		case isMap && wasMap:
			merge(old, inner)
		default:
			to[key] = value
		}
	}
}

// shellLine writes a command so that it can be read and pasted: an option and
// its value on one line each.
func shellLine(env map[string]string, args []string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(env)) {
		b.WriteString(key + "=" + quote(env[key]) + " \\\n")
	}
	b.WriteString("spark-submit")
	for i, arg := range args {
		if i > 0 && strings.HasPrefix(args[i-1], "--") && args[i-1] != "--" && optionTakesValue(args[i-1]) {
			b.WriteString(" " + quote(arg))
			continue
		}
		b.WriteString(" \\\n  " + quote(arg))
	}
	return b.String() + "\n"
}

func optionTakesValue(option string) bool { return option != "--supervise" && option != "--verbose" }

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"

func quote(arg string) string {
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
