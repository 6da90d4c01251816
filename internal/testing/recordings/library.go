// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package recordings

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

// Library reads the recordings of this repository.
type Library struct {
	// cases are the recorded cases by name.
	cases map[string]Case
}

// Case has the files of spark-submit, which are not part of the recording.
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

// recording has the form that submitrecording.Read and sparkctl diff-submit take.
type recording struct {
	Name         string            `json:"name"`
	SparkVersion string            `json:"sparkVersion"`
	Args         []string          `json:"args"`
	Env          map[string]string `json:"env"`
	Files        map[string]string `json:"files"`
	Requests     []request         `json:"requests"`
	Exit         int               `json:"exit"`
	ErrorLines   []string          `json:"errorLines"`
}

type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
}

// Read returns the recording in the archive at path (see Open) as one JSON file.
func (l Library) Read(path string) ([]byte, error) {
	archive, err := Open(path)
	if err != nil {
		return nil, err
	}
	return l.JSON(archive)
}

// JSON returns the recording in an archive as one JSON file.
func (l Library) JSON(archive Archive) ([]byte, error) {
	r := &recording{Name: archive.Case, SparkVersion: archive.SparkVersion, Env: map[string]string{}}
	words := shellWords(strings.TrimSuffix(string(archive.Files["command.txt"]), "\n"))
	program := slices.Index(words, "spark-submit")
	if program < 0 {
		return nil, fmt.Errorf("recording %s/%s: command.txt does not call spark-submit", archive.SparkVersion, archive.Case)
	}
	for _, variable := range words[:program] {
		name, value, _ := strings.Cut(variable, "=")
		r.Env[name] = value
	}
	r.Args = words[program+1:]
	if err := l.addFiles(r); err != nil {
		return nil, err
	}
	if message, refused := archive.Files["error.txt"]; refused {
		r.Exit, r.ErrorLines = 1, strings.Split(strings.TrimSpace(string(message)), "\n")
	} else if err := r.addRequests(archive.Files); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// addFiles adds the files of the case.
func (l Library) addFiles(r *recording) error {
	c := l.cases[r.Name]
	r.Files = map[string]string{}
	maps.Copy(r.Files, c.Files)
	for name, content := range c.ConfFiles {
		r.Env["SPARK_CONF_DIR"] = "/TMP/conf"
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

// addRequests adds the objects that were sent. The properties are in a file of their own.
func (r *recording) addRequests(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		body, sent := files[name], request{Method: "PATCH", Path: "/" + name}
		switch name {
		case "pod.json":
			sent = request{Method: "POST", Path: "/pods"}
		case "configmap.json":
			var err error
			if body, err = withProperties(body, files["spark.properties"]); err != nil {
				return err
			}
		}
		sent.Body = string(body)
		r.Requests = append(r.Requests, sent)
	}
	return nil
}

// withProperties puts the properties back into their ConfigMap.
func withProperties(configMap, properties []byte) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(configMap, &object); err != nil {
		return nil, err
	}
	object["data"].(map[string]any)["spark.properties"] = string(properties)
	return json.Marshal(object)
}

// shellWords splits a line whose only quotes are single ones, and whose only escapes are \' and the line end.
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
