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
	"github.com/sparkgate/sparkgate/internal/spark/deviations"
)

// Difference is a place in which two sets of objects differ.
type Difference struct {
	// Path is object and path, one word for each step, as in deviations.Deviation.
	Path []string
	// Recorded and Rendered are the two values, "-" if there is none. Values of sensitive properties are masked.
	Recorded, Rendered string
}

// String returns the difference for users.
func (d Difference) String() string {
	return strings.Join(d.Path, " ") + "\n  spark-submit: " + d.Recorded + "\n  sparkgate:    " + d.Rendered
}

// Compare returns the differences between the objects that spark-submit sent and those that were rendered, sorted by
// path within each object. If spark-submit was stopped, objects that it did not send are not compared.
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

// escapes returns the properties whose values are equal but escaped differently.
func escapes(sent, rendered *Objects) []Difference {
	var all []Difference
	for _, key := range slices.Sorted(maps.Keys(sent.properties)) {
		a, b := sent.plain(sent.lines[key]), rendered.plain(rendered.lines[key])
		value, both := rendered.properties[key]
		if _, isName := sent.whole[sent.properties[key]]; !isName && both && sent.plain(sent.properties[key]) == rendered.plain(value) && a != b {
			all = append(all, Difference{[]string{"properties", key, "text"}, shown(key, a), shown(key, b)})
		}
	}
	return all
}

// shown formats a value, masked if it may be a secret.
func shown(key string, value any) string {
	if value != nil && conf.Sensitive(key) {
		return conf.Masked
	}
	return printed(value)
}

// walk compares two values recursively.
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
		// An absent map is compared like an empty one, so that the paths of its members are reported in both cases.
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

// printed formats a value for comparison and for messages.
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

// canonical converts lists of named objects to maps, so that an additional element does not shift the others, and sorts
// what has no order in Spark. name is the key of the list or object.
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

// canonicalList converts a list to a map. The order of containers and variables matters, that of volumes and mounts
// does not.
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
		return list // it is compared as a whole
	}
	if name == "env" || name == "containers" || name == "initContainers" {
		members["order"] = strings.Join(order, " ")
	}
	return members
}

// sortUnordered sorts the variables that have no order in Spark: those from properties, between the application id and
// the bind address, and those from Secrets after it.
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

// orderLocalDirs names the volumes for local folders after their paths, and sorts the folders, because Spark shuffles
// them.
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

// Entry returns the entry of a list that covers a path, with its reason; false if there is none.
func Entry(list []deviations.Deviation, path []string) (where, reason string, ok bool) {
	for _, deviation := range list {
		for _, where := range deviation.Where {
			if covers(strings.Fields(where), path) {
				return where, deviation.Reason, true
			}
		}
	}
	return "", "", false
}

// EntryOfField is Entry for a field of an application. A typed field is also looked up by the property that it sets.
func EntryOfField(list []deviations.Deviation, app *v1alpha1.SparkApplication, field string) (where, reason string, ok bool) {
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

// covers reports whether a path matches a pattern or is below it.
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

// matches compares one step. A star at the beginning or end of the pattern matches anything.
func matches(pattern, step string) bool {
	switch {
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(step, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		return strings.HasPrefix(step, pattern[:len(pattern)-1])
	}
	return pattern == step
}
