// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Difference is one place where two sets of objects differ.
type Difference struct {
	// Path is object and path, one word a step, as in render.Deviation.
	Path []string
	// Recorded and Rendered are the two values for people, "-" for none. Those of sensitive properties are hidden.
	Recorded, Rendered string
}

// String returns the difference for people.
func (d Difference) String() string {
	return strings.Join(d.Path, " ") + "\n  spark-submit: " + d.Recorded + "\n  sparkgate:    " + d.Rendered
}

// Compare returns the differences between what the real client sent and what is rendered, in ascending order of their
// paths within each object. Where the client was stopped on the way, what it did not send is not compared.
func Compare(sent, rendered *Objects) []Difference {
	var all []Difference
	for _, part := range []struct {
		name           string
		sent, rendered any
		there          bool
	}{
		{"pod", sent.pod, rendered.pod, sent.pod != nil},
		{"service", sent.service, rendered.service, sent.service != nil},
		{"configmap", sent.configMap, rendered.configMap, sent.configMap != nil},
		{"networkpolicy", sent.networkPolicy, rendered.networkPolicy, sent.networkPolicy != nil},
		{"claims", sent.claims, rendered.claims, len(sent.claims) > 0},
		{"properties", sent.properties, rendered.properties, sent.properties != nil},
		{"executor", sent.executor, rendered.executor, sent.configMap != nil},
	} {
		if sent.partial && !part.there {
			continue
		}
		path := []string{part.name}
		all = append(all, walk(path, canonical("", sent.plain(part.sent)), canonical("", rendered.plain(part.rendered)))...)
	}
	all = append(all, escapes(sent, rendered)...)
	for _, kind := range kindsOf(sent.others) {
		all = append(all, Difference{[]string{"other", kind}, "sent", "-"})
	}
	for _, kind := range kindsOf(rendered.others) {
		all = append(all, Difference{[]string{"other", kind}, "-", "made"})
	}
	return all
}

// escapes returns the properties of one value that are written in two ways.
func escapes(sent, rendered *Objects) []Difference {
	var all []Difference
	for _, key := range sorted(sent.properties) {
		a, b := sent.plain(sent.lines[key]), rendered.plain(rendered.lines[key])
		value, both := rendered.properties[key]
		if _, isName := sent.whole[sent.properties[key]]; !isName && both && sent.plain(sent.properties[key]) == rendered.plain(value) && a != b {
			all = append(all, Difference{[]string{"properties", key, "text"}, shown(key, a), shown(key, b)})
		}
	}
	return all
}

// shown prints a value, unless the key says that it may be a secret.
func shown(key string, value any) string {
	if value != nil && conf.Sensitive(key) {
		return conf.Masked
	}
	return printed(value)
}

// walk compares two values member by member.
func walk(path []string, recorded, rendered any) []Difference {
	a, isMapA := recorded.(map[string]any)
	b, isMapB := rendered.(map[string]any)
	if !isMapA || !isMapB {
		if printed(recorded) == printed(rendered) {
			return nil
		}
		key := path[len(path)-1]
		if key == "value" && len(path) > 1 {
			key = path[len(path)-2] // of a variable
		}
		return []Difference{{slices.Clone(path), shown(key, recorded), shown(key, rendered)}}
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var all []Difference
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

// canonical turns lists of things with names into maps, so that an additional member does not shift the others, and
// puts into order what Spark leaves unordered. The name is the list's or object's own.
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

// canonicalList turns a list into a map. The order of containers and variables counts, that of volumes and mounts does
// not.
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

// sortUnordered sorts the variables that Spark leaves unordered among themselves: those of properties, between the
// application id and the bind address, and those of Secrets behind it.
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

// Entry returns which place of a list a path lies at or below, and why it is there; false if at none.
func Entry(list []render.Deviation, path []string) (where, reason string, ok bool) {
	for _, deviation := range list {
		for _, where := range deviation.Where {
			if covers(strings.Fields(where), path) {
				return where, deviation.Reason, true
			}
		}
	}
	return "", "", false
}

// EntryOfField returns Entry for a field of an application. A typed field counts as the property that it stands for,
// too.
func EntryOfField(list []render.Deviation, app *v1alpha1.SparkApplication, field string) (where, reason string, ok bool) {
	if where, reason, ok = Entry(list, []string{field}); ok {
		return where, reason, ok
	}
	properties, _ := conf.Merge(app, conf.Sources{})
	for _, property := range properties.Sorted() {
		if property.Origin.Field != field {
			continue
		}
		if where, reason, ok = Entry(list, []string{"spec.sparkConf[" + property.Key + "]"}); ok {
			return where, reason, ok
		}
	}
	return "", "", false
}

// covers reports whether a path lies at or below a pattern.
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
