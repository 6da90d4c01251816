// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Random parts of executors: of the name of their ConfigMap, and of the path of the default local folder.
var (
	randomName   = regexp.MustCompile(`(spark-exec-)[0-9a-f]{16}(-conf-map)`)
	randomFolder = regexp.MustCompile(`(/var/data/spark-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// executorLine returns labels, annotations and the spec of the executor of a case, without Spark's own variables and arguments.
func executorLine(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, executorFile))
	if errors.Is(err, os.ErrNotExist) {
		reason, err := os.ReadFile(filepath.Join(folder, errorFile))
		return "", errors.Join(err, fmt.Errorf("Spark cannot build its executor: %s", bytes.TrimSpace(reason)))
	}
	if err != nil {
		return "", err
	}
	var pod struct {
		Metadata map[string]any `json:"metadata"`
		Spec     map[string]any `json:"spec"`
	}
	if err := json.Unmarshal(text, &pod); err != nil {
		return "", err
	}
	containers, _ := pod.Spec["containers"].([]any)
	for _, container := range containers {
		fields, _ := container.(map[string]any)
		delete(fields, "args")
		sortBy("mountPath", fields["volumeMounts"])
		numberLocalDirs(pod.Spec["volumes"], fields["volumeMounts"])
		variables, _ := fields["env"].([]any)
		if variables = slices.DeleteFunc(variables, isSparks); len(variables) == 0 {
			delete(fields, "env")
		} else {
			fields["env"] = variables
		}
	}
	sortBy("name", pod.Spec["volumes"])
	maps.DeleteFunc(pod.Metadata, func(field string, _ any) bool { return field != "labels" && field != "annotations" })
	line, err := json.Marshal(map[string]any{"metadata": pod.Metadata, "spec": pod.Spec})
	text = randomName.ReplaceAll(line, []byte("${1}0000000000000000${2}"))
	return string(randomFolder.ReplaceAll(text, []byte("${1}00000000-0000-0000-0000-000000000000"))), err
}

// sortBy sorts a list of objects by a field.
func sortBy(field string, list any) {
	objects, _ := list.([]any)
	slices.SortStableFunc(objects, func(a, b any) int { return strings.Compare(textOf(field, a), textOf(field, b)) })
}

func textOf(field string, object any) string {
	fields, _ := object.(map[string]any)
	text, _ := fields[field].(string)
	return text
}

// numberLocalDirs numbers mounts of local folders in their order, because Spark shuffles these before it numbers them; not where the volumes are
// different ones, which the application has numbered itself.
func numberLocalDirs(volumes, mounts any) {
	all, _ := volumes.([]any)
	for _, volume := range all {
		if fields, _ := volume.(map[string]any); strings.HasPrefix(textOf("name", volume), localDirVolume) && fields["emptyDir"] == nil {
			return
		}
	}
	list, _ := mounts.([]any)
	n := 0
	for _, mount := range list {
		if fields, _ := mount.(map[string]any); strings.HasPrefix(textOf("name", mount), localDirVolume) {
			n++
			fields["name"] = fmt.Sprint(localDirVolume, n)
		}
	}
}

// isSparks reports whether a variable is one of those that Spark gives all executors.
func isSparks(variable any) bool {
	fields, _ := variable.(map[string]any)
	name, _ := fields["name"].(string)
	return strings.HasPrefix(name, "SPARK_")
}
