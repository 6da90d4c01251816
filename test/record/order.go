// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
)

// sortProperties orders the lines of spark.properties in a ConfigMap: comments
// first, then the properties. Every property is one line, because line breaks
// are escaped; Java up to 17 writes them in the order of a hash map.
func sortProperties(object map[string]any) {
	data, _ := object["data"].(map[string]any)
	text, found := data[propertiesKey].(string)
	if !found {
		return
	}
	var comments, properties []string
	for line := range strings.Lines(text) {
		switch {
		case !strings.HasPrefix(line, "#"):
			properties = append(properties, line)
		case len(comments) == 0:
			comments = append(comments, line)
		default: // the second comment is the date
			comments = append(comments, "#"+fixedDate+"\n")
		}
	}
	slices.Sort(properties)
	data[propertiesKey] = strings.Join(comments, "") + strings.Join(properties, "")
}

const (
	localDirVolume = "spark-local-dir-"
	localDirsEnv   = "SPARK_LOCAL_DIRS"
)

// orderLocalDirs sorts the local folders of a pod, which Spark shuffles. Where
// Spark numbers the volumes itself their mounts are numbered anew, in the
// sorted order; volumes that the user named keep their paths.
func orderLocalDirs(pod map[string]any) {
	spec, _ := pod["spec"].(map[string]any)
	for _, container := range objectsIn(spec["containers"]) {
		for _, env := range objectsIn(container["env"]) {
			value, _ := env["value"].(string)
			if env["name"] != localDirsEnv || !strings.Contains(value, ",") {
				continue
			}
			dirs := strings.Split(value, ",")
			if shuffled(container, dirs) {
				renumber(container, dirs)
			}
			slices.Sort(dirs)
			env["value"] = strings.Join(dirs, ",")
		}
	}
}

// shuffled reports whether the folders in their order are those of the volumes that Spark numbers: the i-th folder is
// mounted from volume i, and all of these volumes come together near the end of the list.
func shuffled(container map[string]any, dirs []string) bool {
	for i, dir := range dirs {
		mount := mountNamed(container, fmt.Sprintf("%s%d", localDirVolume, i+1))
		if mount == nil || mount["mountPath"] != dir {
			return false
		}
	}
	return true
}

func renumber(container map[string]any, dirs []string) {
	sorted := slices.Sorted(slices.Values(dirs))
	for i, dir := range sorted {
		mountNamed(container, fmt.Sprintf("%s%d", localDirVolume, i+1))["mountPath"] = dir
	}
}

func mountNamed(container map[string]any, name string) map[string]any {
	for _, mount := range objectsIn(container["volumeMounts"]) {
		if mount["name"] == name {
			return mount
		}
	}
	return nil
}

// objectsIn returns the objects of a decoded JSON list.
func objectsIn(list any) []map[string]any {
	items, _ := list.([]any)
	found := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}
