// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/controllers/internal/spark/render"
)

// difference is one place where two object sets differ.
type difference struct {
	path               []string
	recorded, rendered string
}

// compare returns the differences between two object sets, in ascending order of their paths.
func compare(recorded, rendered objectSet) []difference {
	var all []difference
	for _, pair := range []struct {
		name               string
		recorded, rendered any
	}{
		{"pod", recorded.plain(recorded.pod), rendered.plain(rendered.pod)},
		{"service", recorded.plain(recorded.service), rendered.plain(rendered.service)},
		{"configmap", recorded.plain(recorded.configMap), rendered.plain(rendered.configMap)},
		{"networkpolicy", recorded.plain(recorded.networkPolicy), rendered.plain(rendered.networkPolicy)},
		{"claims", recorded.plain(recorded.claims), rendered.plain(rendered.claims)},
		{"properties", recorded.plain(recorded.properties), rendered.plain(rendered.properties)},
		{"executor", recorded.plain(recorded.executor), rendered.plain(rendered.executor)},
	} {
		all = append(all, walk([]string{pair.name}, canonical("", pair.recorded), canonical("", pair.rendered))...)
	}
	return all
}

// walk compares two values member by member.
func walk(path []string, recorded, rendered any) []difference {
	a, isMapA := recorded.(map[string]any)
	b, isMapB := rendered.(map[string]any)
	if !isMapA || !isMapB {
		if printed(recorded) == printed(rendered) {
			return nil
		}
		return []difference{{slices.Clone(path), printed(recorded), printed(rendered)}}
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var all []difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		inA, inB := a[key], b[key]
		// An absent map is compared as an empty one, so that paths are as long with it as without.
		if _, isMap := inA.(map[string]any); isMap && inB == nil {
			inB = map[string]any{}
		}
		if _, isMap := inB.(map[string]any); isMap && inA == nil {
			inA = map[string]any{}
		}
		all = append(all, walk(append(path, key), inA, inB)...)
	}
	return all
}

// printed writes a value for comparison and for people.
func printed(value any) string {
	if value == nil {
		return "-"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // values were decoded from JSON
	}
	return string(text)
}

// canonical turns lists of things with names into maps, so that an additional member does not shift the others, and puts into order what
// Spark leaves unordered. The name is the list's or object's own.
func canonical(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		orderLocalDirs(v)
		members := map[string]any{}
		for key, member := range v {
			members[key] = canonical(key, member)
		}
		return members
	case []any:
		return canonicalList(name, v)
	}
	return value
}

// canonicalList turns a list into a map. The order of containers and variables counts, that of volumes and mounts does not.
func canonicalList(name string, list []any) any {
	if name == "env" {
		sortUnordered(list)
	}
	key := map[string]string{
		"env": "name", "containers": "name", "initContainers": "name", "volumes": "name", "volumeMounts": "name", "items": "key",
	}[name]
	members := map[string]any{}
	var order []string
	for i, member := range list {
		id := fmt.Sprint(i)
		if object, ok := member.(map[string]any); ok && key != "" {
			id = fmt.Sprint(object[key])
		}
		for unique := id; members[id] != nil; id = unique + "+" {
			unique = id
		}
		members[id] = canonical("", member)
		order = append(order, id)
	}
	if name == "ownerReferences" {
		return list // compared as a whole
	}
	if name == "env" || name == "containers" || name == "initContainers" {
		members["order"] = strings.Join(order, " ")
	}
	return members
}

// sortUnordered sorts the variables that Spark leaves unordered among themselves: those of properties, between the application id and the
// bind address, and those of Secrets behind it.
func sortUnordered(env []any) {
	name := func(i int) string { return fmt.Sprint(env[i].(map[string]any)["name"]) }
	start := slices.IndexFunc(env, func(v any) bool { return v.(map[string]any)["name"] == "SPARK_APPLICATION_ID" }) + 1
	if start == 0 {
		return
	}
	end := start
	for end < len(env) && name(end) != "SPARK_DRIVER_BIND_ADDRESS" {
		end++
	}
	byName := func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(env[start:end], byName)
	start = min(end+1, len(env))
	for end = start; end < len(env) && env[end].(map[string]any)["valueFrom"] != nil; end++ {
		continue
	}
	slices.SortFunc(env[start:end], byName)
}

// orderLocalDirs names the volumes of local folders after their paths, and sorts the folders: Spark shuffles them.
func orderLocalDirs(object map[string]any) {
	if object["name"] == "SPARK_LOCAL_DIRS" {
		dirs := strings.Split(fmt.Sprint(object["value"]), ",")
		slices.Sort(dirs)
		object["value"] = strings.Join(dirs, ",")
	}
	containers, _ := object["containers"].([]any)
	volumes, _ := object["volumes"].([]any)
	renamed := map[any]string{}
	for _, container := range containers {
		mounts, _ := container.(map[string]any)["volumeMounts"].([]any)
		for _, mount := range mounts {
			m := mount.(map[string]any)
			if strings.HasPrefix(fmt.Sprint(m["name"]), "spark-local-dir-") {
				renamed[m["name"]] = "spark-local-dir " + fmt.Sprint(m["mountPath"])
				m["name"] = renamed[m["name"]]
			}
		}
	}
	for _, volume := range volumes {
		if name := renamed[volume.(map[string]any)["name"]]; name != "" {
			volume.(map[string]any)["name"] = name
		}
	}
}

// entryOf returns which entry of a list a path lies at or below, "" if none.
func entryOf(list []render.Deviation, path []string) string {
	for _, deviation := range list {
		for _, where := range deviation.Where {
			if covers(strings.Fields(where), path) {
				return where
			}
		}
	}
	return ""
}

// covers says whether a path lies at or below a pattern.
func covers(pattern, path []string) bool {
	if len(path) < len(pattern) {
		return false
	}
	for i, step := range pattern {
		if !matches(step, path[i]) {
			return false
		}
	}
	return true
}

// matches compares one step; a star at its beginning or end stands for anything.
func matches(pattern, step string) bool {
	switch {
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(step, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		return strings.HasPrefix(step, pattern[:len(pattern)-1])
	}
	return pattern == step
}
