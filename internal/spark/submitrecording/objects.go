// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Keys of the driver's ConfigMap.
const (
	propertiesKey = "spark.properties"
	templateKey   = "podspec-configmap-key"
)

// Objects are the objects of a submission, as maps, lists and strings, in the form in which they are compared.
type Objects struct {
	pod, service, configMap, networkPolicy map[string]any
	// claims are the claims by the name of the driver's volume; unplaced those that have not been assigned to a volume
	// yet.
	claims   map[string]any
	unplaced []map[string]any
	// properties are those of the driver, lines the lines of their file by key, with escapes.
	properties, lines map[string]string
	executor          map[string]any
	// templateName is the name of the ConfigMap with the executor template; empty if it has no ConfigMap of its own.
	templateName string
	// others are objects of unexpected kinds, and second objects of a kind that should exist once.
	others []map[string]any
	// partial reports that not everything was sent. Missing objects are not compared.
	partial bool
	// whole maps names that are complete values to placeholders; parts replaces names that may also be within other
	// values.
	whole map[string]string
	parts *strings.Replacer
}

// Rendered returns the objects that render has built, in the form in which they are compared.
func Rendered(objects render.Objects) (*Objects, error) {
	set := &Objects{properties: conf.Parse(objects.ConfigMap.Data[propertiesKey]), lines: linesOf(objects.ConfigMap.Data[propertiesKey])}
	for _, object := range objects.InOrder() {
		object.GetObjectKind().SetGroupVersionKind(render.KindOf(object))
		plain, err := generic(object)
		if err != nil {
			return nil, err
		}
		switch object := render.KindOf(object).Kind; object {
		case "Pod":
			set.pod = plain
		case "Service":
			set.service = plain
		case "NetworkPolicy":
			set.networkPolicy = plain
		case "ConfigMap":
			set.configMap = plain
			delete(plain["data"].(map[string]any), propertiesKey)
		case "PersistentVolumeClaim":
			set.unplaced = append(set.unplaced, plain)
		default:
			set.others = append(set.others, plain)
		}
	}
	var err error
	set.executor, err = generic(objects.ExecutorTemplate)
	set.finish()
	return set, err
}

// SubmitTime returns the submission time according to the client, or the Unix epoch if there is none.
func (s *Objects) SubmitTime() time.Time {
	millis, err := strconv.ParseInt(s.properties[conf.AppSubmitTime], 10, 64)
	if err != nil {
		return time.UnixMilli(0)
	}
	return time.UnixMilli(millis)
}

// finish assigns claims to volumes and collects the names.
func (s *Objects) finish() {
	s.whole = map[string]string{}
	s.placeClaims()
	if name := nameOf(s.pod); name != "" {
		s.whole[name] = "DRIVER-POD"
	}
	if s.templateName == "" {
		s.templateName = s.mountedMap("pod-template-volume")
	}
	configMap := cmp.Or(nameOf(s.configMap), s.mountedMap("spark-conf-volume-driver"))
	if s.templateName == configMap {
		s.templateName = "" // here it is a key of the same ConfigMap
	}
	var pairs []string
	for _, pair := range []struct{ name, stands string }{
		{nameOf(s.service), "SERVICE"}, {nameOf(s.networkPolicy), "NETWORK-POLICY"}, {s.templateName, "TEMPLATE-CONFIGMAP"},
		{configMap, "CONFIGMAP"}, {cmp.Or(s.properties[conf.AppID], s.label(v1alpha1.SparkSelectorLabel)), "APPLICATION-ID"},
	} {
		if pair.name != "" {
			pairs = append(pairs, pair.name, pair.stands)
		}
	}
	s.parts = strings.NewReplacer(pairs...)
	if s.executor == nil {
		s.executor = map[string]any{}
	}
}

// mountedMap returns the name of the ConfigMap of a volume. If the client was stopped, only the pod has the names.
func (s *Objects) mountedMap(volume string) string {
	spec, _ := s.pod["spec"].(map[string]any)
	for _, v := range listOf(spec["volumes"]) {
		source, _ := v["configMap"].(map[string]any)
		if name, ok := source["name"].(string); ok && v["name"] == volume {
			return name
		}
	}
	return ""
}

// label returns a label of the driver.
func (s *Objects) label(key string) string {
	metadata, _ := s.pod["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	value, _ := labels[key].(string)
	return value
}

// placeClaims assigns claims to the volumes that reference them, because Spark numbers volumes in random order. A claim
// that no volume references is unexpected.
func (s *Objects) placeClaims() {
	s.claims = map[string]any{}
	spec, _ := s.pod["spec"].(map[string]any)
	for _, claim := range s.unplaced {
		name, placed := nameOf(claim), false
		for _, volume := range listOf(spec["volumes"]) {
			source, _ := volume["persistentVolumeClaim"].(map[string]any)
			if source["claimName"] == name {
				id, _ := volume["name"].(string)
				s.claims[id], s.whole[name], placed = claim, "CLAIM-"+id, true
			}
		}
		if !placed {
			s.others = append(s.others, claim)
		}
	}
}

// anyLocalDir matches the random folder that Spark uses for scratch space.
var anyLocalDir = regexp.MustCompile(`/var/data/spark-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// plain returns a copy of a value with its names replaced by placeholders.
func (s *Objects) plain(value any) any {
	switch v := value.(type) {
	case string:
		if stands, ok := s.whole[v]; ok {
			return stands
		}
		return anyLocalDir.ReplaceAllString(s.parts.Replace(v), "LOCAL-DIR")
	case []any:
		list := make([]any, 0, len(v))
		for _, member := range v {
			list = append(list, s.plain(member))
		}
		return list
	case map[string]any:
		members := make(map[string]any, len(v))
		for key, member := range v {
			members[key] = s.plain(member)
		}
		return members
	case map[string]string:
		members := make(map[string]any, len(v))
		for key, member := range v {
			members[key] = s.plain(member)
		}
		return members
	}
	return value
}

// nameOf returns the name of an object, empty if it has none.
func nameOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// listOf returns the objects of a list.
func listOf(value any) []map[string]any {
	list, _ := value.([]any)
	var objects []map[string]any
	for _, member := range list {
		if object, ok := member.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// linesOf returns the lines of a properties file by key. Every property is one line, because line breaks are escaped.
func linesOf(file string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(file) {
		for key := range conf.Parse(line) {
			lines[key] = strings.TrimSuffix(line, "\n")
		}
	}
	return lines
}

// kindsOf returns the sorted kinds of objects that have no counterpart.
func kindsOf(objects []map[string]any) []string {
	kinds := map[string]bool{}
	for _, object := range objects {
		kind, _ := object["kind"].(string)
		kinds[strings.ToLower(kind)] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}
