// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/render"
	"github.com/sparkgate/sparkgate/controllers/offline"
)

// untranslated are the recorded calls whose translation builds something else than the real client sent, with the reason. A call that is here
// and builds the same is an error.
var untranslated = map[string]string{
	"conf-folder":          "the files of SPARK_CONF_DIR are not among the arguments: they are for a ConfigMap and spec.sparkConfigMap",
	"conf-folder-defaults": "so is spark-defaults.conf, unless --properties-file names it",
}

// TestSubmittedRecordings translates every recorded call of spark-submit into an application, builds that, and compares with what the real
// client sent. What the client refused has to be refused, too.
func TestSubmittedRecordings(t *testing.T) {
	t.Parallel()
	folders := glob(t, "testdata/recordings/*/*/command.txt")
	if len(folders) == 0 {
		t.Fatal("no recordings")
	}
	outcomes := map[string]int{}
	for _, command := range folders {
		folder := filepath.Dir(command)
		t.Run(filepath.Base(filepath.Dir(folder))+"/"+filepath.Base(folder), func(t *testing.T) {
			outcome, differences := translated(t, folder)
			outcomes[outcome]++
			_, expected := untranslated[filepath.Base(folder)]
			if expected && len(differences) == 0 {
				t.Error("the translation builds the same: take the case out of the table")
			}
			if !expected && len(differences) > 0 {
				t.Error(strings.Join(differences, "\n"))
			}
		})
	}
	t.Logf("calls: %v", outcomes)
}

// translated returns what came of a recorded call, and where it differs from what the real client did.
func translated(t *testing.T, folder string) (outcome string, differences []string) {
	t.Helper()
	submitted, err := offline.FromSubmit(offline.Submission{
		Arguments: recordedArguments(t, folder), SparkVersion: filepath.Base(filepath.Dir(folder)), ReadFile: recordedTemplates(t, filepath.Base(folder)),
	})
	var refused []string
	if err != nil {
		refused = append(refused, err.Error())
	}
	notYet := false
	for _, f := range submitted.Findings {
		if notYet = notYet || strings.Contains(f.Message, "not honoured by this version yet"); !f.Warning {
			refused = append(refused, f.Field+": "+f.Message)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "error.txt")); err == nil {
		if len(refused) == 0 && !notYet {
			differences = append(differences, "the real client refused it, we do not")
		}
		return "refused", differences
	}
	app, _ := readRecording(t, folder)
	if len(refused) > 0 {
		return "refused by intention", unintended(submitted, refused)
	}
	if notYet {
		return "not yet supported", nil
	}
	made := submitted.Application
	made.UID = app.UID
	for _, d := range compare(recordedObjects(t, folder), renderedObjects(t, made, conf.Sources{})) {
		if entryOf(render.Deviations, d.path) == "" {
			differences = append(differences, fmt.Sprintf("%s\n  real client: %s\n  rendered:    %s", strings.Join(d.path, " "), d.recorded, d.rendered))
		}
	}
	return "compared", differences
}

// unintended returns the refusals, unless one of them is listed. The list names places in sparkConf; a field counts as the property that it
// stands for.
func unintended(submitted offline.Submitted, refused []string) []string {
	properties, _ := conf.Merge(submitted.Application, conf.Sources{})
	for _, f := range submitted.Findings {
		places := []string{f.Field}
		for key, property := range properties {
			if property.Origin.Field == f.Field {
				places = append(places, "spec.sparkConf["+key+"]")
			}
		}
		listed := func(place string) bool { return entryOf(render.Refusals, []string{place}) != "" }
		if !f.Warning && slices.ContainsFunc(places, listed) {
			return nil
		}
	}
	return refused
}

// recordedArguments reads command.txt as a shell would: variables before the program, words, single quotes, lines that go on.
func recordedArguments(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "command.txt"))
	if err != nil {
		t.Fatal(err)
	}
	words := shellWords(strings.TrimSuffix(string(text), "\n"))
	start := slices.Index(words, "spark-submit")
	if start < 0 {
		t.Fatalf("%s calls no spark-submit", folder)
	}
	return words[start+1:]
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

// recordedTemplates reads the pod templates of a case, which the recorder writes into the folder of spark-submit.
func recordedTemplates(t *testing.T, name string) func(string) ([]byte, error) {
	t.Helper()
	return func(file string) ([]byte, error) {
		for _, path := range glob(t, "../../../../test/record/cases/*.yaml") {
			var cases []map[string]any
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if err := yaml.Unmarshal(text, &cases); err != nil {
				return nil, err
			}
			for _, c := range cases {
				if c["name"] == name {
					return templateOf(c, file)
				}
			}
		}
		return nil, os.ErrNotExist
	}
}

// templateOf returns a template of a case in YAML.
func templateOf(recorded map[string]any, file string) ([]byte, error) {
	keys := map[string][]string{
		"driver-template.yaml": {"submitDriverTemplate", "driverTemplate"}, "executor-template.yaml": {"submitExecutorTemplate", "executorTemplate"},
	}
	for _, key := range keys[file] {
		if recorded[key] != nil {
			return yaml.Marshal(recorded[key])
		}
	}
	return nil, fmt.Errorf("%s: %w", file, os.ErrNotExist)
}
