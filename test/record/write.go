// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// Files of one recording.
const (
	appFile        = "app.yaml"
	inputsFile     = "inputs.yaml"
	commandFile    = "command.txt"
	requestsFile   = "requests.txt"
	errorFile      = "error.txt"
	propertiesFile = "spark.properties"
)

// propertiesElsewhere stands in configmap.json where the text of spark.properties was.
const propertiesElsewhere = "<the file spark.properties beside this one>"

// Recording returns the files of one case by name.
func Recording(c Case, run Run, version string) (map[string]string, error) {
	if run.Failed != c.Refused {
		return nil, fmt.Errorf("spark-submit failed: %t, expected: %t; it printed:\n%s", run.Failed, c.Refused, run.Output)
	}
	objects, err := Normalise(run)
	if err != nil {
		return nil, err
	}
	files, err := c.files(version)
	if err != nil {
		return nil, err
	}
	if c.Refused {
		files[errorFile], err = refusal(run)
		return files, err
	}
	return files, addObjects(files, objects)
}

// files returns those that follow from the case alone.
func (c Case) files(version string) (map[string]string, error) {
	manifest, err := yamlText(c.Manifest(version))
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		appFile:     manifest,
		commandFile: shellLine(caseEnvironment(c), c.Command("k8s://http://"+recordedAddress, version)),
	}
	if configMap := c.ConfMap(); configMap != nil {
		files[inputsFile], err = yamlText(configMap)
	}
	return files, err
}

// caseEnvironment is what is worth telling of the environment.
func caseEnvironment(c Case) map[string]string {
	env := map[string]string{"SPARK_USER": "spark"}
	maps.Copy(env, c.Env)
	return env
}

// addObjects adds a file for every object and the list of requests.
func addObjects(files map[string]string, objects []Object) error {
	var lines strings.Builder
	for _, object := range objects {
		lines.WriteString(object.Line + "\n")
		if object.Body == nil {
			continue
		}
		file := objectFile(object)
		if _, twice := files[file]; twice {
			return fmt.Errorf("two objects want to be %s", file)
		}
		if data, _ := object.Body["data"].(map[string]any); file == "configmap.json" {
			text, _ := data[propertiesKey].(string)
			files[propertiesFile] = text
			data[propertiesKey] = propertiesElsewhere
		}
		text, err := jsonText(object.Body)
		if err != nil {
			return err
		}
		files[file] = text
	}
	files[requestsFile] = lines.String()
	for _, file := range []string{"pod.json", "service.json", "configmap.json"} {
		if _, found := files[file]; !found {
			return fmt.Errorf("spark-submit sent no %s; its requests:\n%s", strings.TrimSuffix(file, ".json"), lines.String())
		}
	}
	return nil
}

// objectFile names the file of an object: pod.json, service.json,
// configmap.json and networkpolicy.json for those that every submission has,
// the last one from Spark 4.2 on, else the kind and what follows the common
// prefix in the object's name.
func objectFile(object Object) string {
	kind, _ := object.Body["kind"].(string)
	kind = strings.ToLower(kind)
	_, rest, found := strings.Cut(object.Name, PrefixID+"-")
	switch {
	case kind == "pod", kind == "service", kind == "networkpolicy", kind == "configmap" && strings.HasPrefix(object.Name, "spark-drv-"):
		return kind + ".json"
	case found:
		return kind + "-" + rest + ".json"
	}
	return kind + "-" + object.Name + ".json"
}

var exceptionLine = regexp.MustCompile(`(?m)^(?:Exception in thread "main" |Error: )(.*(?:\n[^\t\n].*)*)`)

// refusal returns the message with which spark-submit gave up.
func refusal(run Run) (string, error) {
	if len(run.Requests) > 0 {
		return "", fmt.Errorf("spark-submit sent %d requests before it failed", len(run.Requests))
	}
	match := exceptionLine.FindStringSubmatch(run.Output)
	if match == nil {
		return "", fmt.Errorf("no message in what spark-submit printed:\n%s", run.Output)
	}
	return strings.ReplaceAll(match[1], run.Folder, recordedFolder) + "\n", nil
}

func jsonText(value any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return b.String(), err
}

func yamlText(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return string(text), err
}

// archiveSuffix ends the names of recordings: one txtar file for each case.
const archiveSuffix = ".txtar"

// Write replaces the recording at path. Texts in secret (paths and names of this machine) must not occur in it, and what is
// written has to be what a reader finds.
func Write(path string, files map[string]string, secret []string) error {
	archive := &txtar.Archive{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, text := range secret {
			if strings.Contains(files[name], text) {
				return fmt.Errorf("%s has %q of this machine in it", name, text)
			}
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(files[name])})
	}
	data := txtar.Format(archive)
	if !maps.Equal(files, partsOf(data)) {
		return fmt.Errorf("%s: a recorded file does not end with a newline, or has a line that begins a part of a txtar file", filepath.Base(path))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// partsOf returns the files in a recording by name.
func partsOf(data []byte) map[string]string {
	files := map[string]string{}
	for _, file := range txtar.Parse(data).Files {
		files[file.Name] = string(file.Data)
	}
	return files
}
