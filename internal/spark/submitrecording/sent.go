// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podtemplate"
)

// Sent returns the objects that spark-submit sent. An error names the request that cannot be parsed.
func (r *Recording) Sent() (*Objects, error) {
	all := map[string]map[string]any{}
	var order []string
	for i, request := range r.Requests {
		object, err := request.object()
		if err != nil {
			return nil, fmt.Errorf("requests[%d] (%s %s): %w", i, request.Method, request.Path, err)
		}
		if object == nil {
			continue
		}
		id := idOf(object)
		if all[id] == nil {
			all[id] = map[string]any{}
			order = append(order, id)
		}
		overlay(all[id], object)
	}
	set := &Objects{partial: r.Exit != 0}
	for _, id := range order {
		set.add(all[id])
	}
	set.finish()
	return set, nil
}

// object returns the object that a request creates or applies; nil for other requests, such as a patch with owner
// references only.
func (q Request) object() (map[string]any, error) {
	switch strings.ToUpper(q.Method) {
	case "POST", "PUT", "PATCH":
	default:
		return nil, nil
	}
	var value any
	if err := yaml.Unmarshal([]byte(q.Body), &value); err != nil {
		return nil, fmt.Errorf("the body is neither JSON nor YAML: %w", err)
	}
	object, _ := value.(map[string]any)
	if strings.HasSuffix(q.place(), "/pods") && object != nil {
		object["kind"] = "Pod" // a template may have another kind
	}
	if kind, _ := object["kind"].(string); kind == "" || kind == "Status" || strings.HasSuffix(kind, "Options") {
		return nil, nil
	}
	return object, nil
}

// idOf returns kind and name of an object.
func idOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	return fmt.Sprintf("%v %v", object["kind"], metadata["name"])
}

// overlay merges a later request for an object into the earlier ones.
func overlay(to, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		if old, wasMap := to[key].(map[string]any); isMap && wasMap {
			overlay(old, inner)
			continue
		}
		to[key] = value
	}
}

// decoded decodes an object into its type and encodes it again, as the API server does, so that spelling does not
// matter. Fields that the type does not know are kept. An object that the API server would refuse is returned
// unchanged.
func decoded(object map[string]any, into any) map[string]any {
	written, err := json.Marshal(object)
	if err != nil || json.Unmarshal(written, into) != nil {
		return object
	}
	plain, err := generic(into)
	if err != nil {
		return object
	}
	keep(plain, object)
	return plain
}

// generic returns an object as maps, lists and strings.
func generic(object any) (map[string]any, error) {
	written, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	return plain, json.Unmarshal(written, &plain)
}

// keep adds the fields of an object that its type does not know.
func keep(known, object map[string]any) {
	for key, value := range object {
		member, ok := known[key]
		if !ok {
			if !isEmpty(value) {
				known[key] = value
			}
			continue
		}
		keepIn(member, value)
	}
}

func keepIn(known, value any) {
	switch value := value.(type) {
	case map[string]any:
		if member, ok := known.(map[string]any); ok {
			keep(member, value)
		}
	case []any:
		members, ok := known.([]any)
		for i := range value {
			if ok && i < len(members) {
				keepIn(members[i], value[i])
			}
		}
	}
}

// isEmpty reports whether a value is empty or zero.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return reflect.ValueOf(value).IsZero()
}

// add stores an object by its kind.
func (s *Objects) add(object map[string]any) {
	kind, _ := object["kind"].(string)
	switch kind {
	case "Pod":
		s.read(object, &s.pod, &corev1.Pod{})
	case "Service":
		s.read(object, &s.service, &corev1.Service{})
	case "NetworkPolicy":
		s.read(object, &s.networkPolicy, &networkingv1.NetworkPolicy{})
	case "PersistentVolumeClaim":
		s.unplaced = append(s.unplaced, decoded(object, &corev1.PersistentVolumeClaim{}))
	case "ConfigMap":
		s.addConfigMap(object)
	default:
		s.others = append(s.others, object)
	}
}

// read decodes an object. A second one of the same kind is unexpected.
func (s *Objects) read(object map[string]any, into *map[string]any, kind any) {
	if *into != nil {
		s.others = append(s.others, object)
		return
	}
	*into = decoded(object, kind)
}

// addConfigMap distinguishes the ConfigMaps of a submission by their keys.
func (s *Objects) addConfigMap(object map[string]any) {
	data, _ := object["data"].(map[string]any)
	template, isTemplate := data[templateKey].(string)
	properties, isDriver := data[propertiesKey].(string)
	switch {
	case isDriver:
		data = maps.Clone(data)
		delete(data, propertiesKey)
		object["data"] = data
		s.properties, s.lines = conf.Parse(properties), linesOf(properties)
		s.read(object, &s.configMap, &corev1.ConfigMap{})
	case isTemplate:
		s.templateName = nameOf(object)
		pod, err := podtemplate.Read([]byte(template))
		if err != nil {
			pod = map[string]any{"unreadable": template}
		}
		s.executor = decoded(pod, &corev1.Pod{})
	default:
		s.others = append(s.others, object)
	}
}

// Empty reports whether nothing was sent.
func (s *Objects) Empty() bool { return s.pod == nil && s.service == nil && s.configMap == nil }
