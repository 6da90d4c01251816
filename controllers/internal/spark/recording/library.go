// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Library reads the recordings of this repository, which have a folder each.
type Library struct {
	// cases by name: what was recorded.
	cases map[string]Case
}

// Case is what a recording does not tell of its case: the files of spark-submit.
type Case struct {
	Name                   string            `json:"name"`
	Files                  map[string]string `json:"files"`
	ConfFiles              map[string]string `json:"confFiles"`
	DriverTemplate         map[string]any    `json:"driverTemplate"`
	ExecutorTemplate       map[string]any    `json:"executorTemplate"`
	SubmitDriverTemplate   map[string]any    `json:"submitDriverTemplate"`
	SubmitExecutorTemplate map[string]any    `json:"submitExecutorTemplate"`
}

// OpenLibrary reads the cases of test/record from its folder.
func OpenLibrary(cases string) (Library, error) {
	lib := Library{cases: map[string]Case{}}
	files, err := filepath.Glob(filepath.Join(cases, "*.yaml"))
	if err != nil || len(files) == 0 {
		return lib, fmt.Errorf("no cases in %s: %w", cases, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return lib, err
		}
		var list []Case
		if err := yaml.Unmarshal(text, &list); err != nil {
			return lib, fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range list {
			lib.cases[c.Name] = c
		}
	}
	return lib, nil
}

// Read returns the recording of a folder <version>/<case>, in the form that it would have as one file.
func (l Library) Read(folder string) (*Recording, error) {
	r := &Recording{Name: filepath.Base(folder), SparkVersion: filepath.Base(filepath.Dir(folder)), Env: map[string]*string{}}
	command, err := os.ReadFile(filepath.Join(folder, "command.txt"))
	if err != nil {
		return nil, err
	}
	words := shellWords(strings.TrimSuffix(string(command), "\n"))
	program := slices.Index(words, "spark-submit")
	if program < 0 {
		return nil, fmt.Errorf("%s calls no spark-submit", folder)
	}
	for _, variable := range words[:program] {
		name, value, _ := strings.Cut(variable, "=")
		r.Env[name] = &value
	}
	r.Args = words[program+1:]
	if err := l.addFiles(r); err != nil {
		return nil, err
	}
	if message, err := os.ReadFile(filepath.Join(folder, "error.txt")); err == nil {
		r.Exit, r.ErrorLines = 1, strings.Split(strings.TrimSpace(string(message)), "\n")
		return r, nil
	}
	return r, r.addRequests(folder)
}

// addFiles adds the files that the case has.
func (l Library) addFiles(r *Recording) error {
	c := l.cases[r.Name]
	r.Files = map[string]string{}
	maps.Copy(r.Files, c.Files)
	for name, content := range c.ConfFiles {
		folder := FilesFolder + "/conf"
		r.Env["SPARK_CONF_DIR"] = &folder
		r.Files["conf/"+name] = content
	}
	for name, template := range map[string]map[string]any{
		"driver-template.yaml": c.DriverTemplate, "executor-template.yaml": c.ExecutorTemplate,
	} {
		own := map[string]map[string]any{"driver-template.yaml": c.SubmitDriverTemplate, "executor-template.yaml": c.SubmitExecutorTemplate}[name]
		if own != nil {
			template = own
		}
		if template == nil {
			continue
		}
		text, err := yaml.Marshal(template)
		if err != nil {
			return err
		}
		r.Files[name] = string(text)
	}
	return nil
}

// addRequests adds the objects that were sent. The properties stand in a file of their own.
func (r *Recording) addRequests(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		request := Request{Method: "PATCH", Path: "/" + filepath.Base(path)}
		switch filepath.Base(path) {
		case "pod.json":
			request = Request{Method: "POST", Path: "/pods"}
		case "configmap.json":
			if body, err = withProperties(body, filepath.Join(folder, "spark.properties")); err != nil {
				return err
			}
		}
		request.Body = text(body)
		r.Requests = append(r.Requests, request)
	}
	return nil
}

// withProperties puts the file of properties back into its ConfigMap.
func withProperties(configMap []byte, path string) ([]byte, error) {
	properties, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(configMap, &object); err != nil {
		return nil, err
	}
	object["data"].(map[string]any)[propertiesKey] = string(properties)
	return json.Marshal(object)
}

// shellWords splits a line that has no other quotes than single ones, and no other escapes than \' and the end of a line.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'':
			quoted, inWord = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == '\\' && text[i+1] == '\n':
			i++
		case c == '\\':
			i++
			word.WriteByte(text[i])
		case c == ' ' || c == '\n':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
