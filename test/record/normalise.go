// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What random and local values are replaced by. Every replacement of an id has
// the length of what it replaces, so that limits on names keep their meaning.
const (
	// ApplicationID replaces spark.app.id.
	ApplicationID = "spark-00000000000000000000000000000000"
	// PrefixID replaces the id at the end of the prefix of all names.
	PrefixID = "aaaaaaaaaaaaaaaa"
	// ServiceID replaces the second id, of a Service whose name would be too long.
	ServiceID = "bbbbbbbbbbbbbbbb"
	// ConfigID replaces the id in the name of the driver's ConfigMap.
	ConfigID = "cccccccccccccccc"
	// localDirID replaces the id in the path of the default local folder.
	localDirID = "00000000-0000-0000-0000-000000000000"
	// submitTime replaces spark.app.submitTime.
	submitTime = "1700000000000"
	// recordedAddress replaces the fake API server's.
	recordedAddress = "127.0.0.1:8001"
	// recordedFolder replaces the working folder of spark-submit.
	recordedFolder = "/submit"
)

// propertiesKey is the file with Spark's properties in the driver's ConfigMap.
const propertiesKey = "spark.properties"

// Object is a normalised request.
type Object struct {
	// Line is method, path, query and content type.
	Line string
	// Name is metadata.name.
	Name string
	// Body is the object; nil for a request without one.
	Body map[string]any
}

var (
	anyApplicationID = regexp.MustCompile(`spark-[0-9a-f]{32}`)
	anyUniqueID      = regexp.MustCompile(`(?:^|[^0-9a-z])([0-9a-fx][0-9a-f]{15})(?:[^0-9a-z]|$)`)
	anyLocalDir      = regexp.MustCompile(`(/var/data/spark-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anySubmitTime    = regexp.MustCompile(`(?m)^(spark\.app\.submitTime=)([0-9]+)$`)
	configMapID      = regexp.MustCompile(`spark-drv-([0-9a-f]{16})-conf-map`)
)

// Normalise replaces what is random or local in the requests of a run, and
// puts into order what Spark leaves unordered.
func Normalise(run Run) ([]Object, error) {
	replace, err := replacer(run)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, 0, len(run.Requests))
	for _, request := range run.Requests {
		object := Object{Line: strings.TrimSpace(replace(request.Method + " " + target(request) + " " + request.ContentType))}
		if request.Body != nil {
			var body any
			decoder := json.NewDecoder(bytes.NewReader(request.Body))
			decoder.UseNumber()
			if err := decoder.Decode(&body); err != nil {
				return nil, fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
			}
			object.Body, _ = mapStrings(body, replace).(map[string]any)
			object.Name = name(object.Body)
			sortProperties(object.Body)
			orderLocalDirs(object.Body)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func target(request Request) string {
	if request.Query == "" {
		return request.Path
	}
	return request.Path + "?" + request.Query
}

func name(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// replacer returns a function that replaces the run's random and local values in a text.
func replacer(run Run) (func(string) string, error) {
	var all strings.Builder
	for _, request := range run.Requests {
		all.WriteString(request.Path + "\n")
		all.Write(request.Body)
		all.WriteString("\n")
	}
	pairs := []string{
		run.Folder, recordedFolder,
		run.Address, recordedAddress,
		strings.Replace(run.Address, ":", `\:`, 1), strings.Replace(recordedAddress, ":", `\:`, 1),
	}
	ids := map[string]bool{}
	for _, id := range anyApplicationID.FindAllString(all.String(), -1) {
		ids[id] = true
		pairs = append(pairs, id, ApplicationID)
	}
	if len(ids) > 1 {
		return nil, fmt.Errorf("%d application ids in one submission", len(ids))
	}
	unique, err := uniqueIDs(all.String(), run)
	if err != nil {
		return nil, err
	}
	pairs = append(pairs, unique...)
	fixed := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = fixed.Replace(text)
		text = anyLocalDir.ReplaceAllString(text, "${1}"+localDirID)
		return anySubmitTime.ReplaceAllStringFunc(text, func(line string) string {
			key, value, _ := strings.Cut(line, "=")
			if millis, err := strconv.ParseInt(value, 10, 64); err == nil && within(time.UnixMilli(millis), run) {
				return key + "=" + submitTime
			}
			return line
		})
	}, nil
}

// uniqueIDs pairs each of Spark's unique ids in the text with its replacement.
// Spark makes them of three random bytes and the time in milliseconds (its
// lower 40 bits), so one that the case itself spells out is distinguished by its
// time. A name that begins with an id has x in place of a digit there.
func uniqueIDs(text string, run Run) (pairs []string, err error) {
	var config string
	if match := configMapID.FindStringSubmatch(text); match != nil {
		config = match[1]
		pairs = append(pairs, config, ConfigID)
	}
	var others []string
	for _, match := range anyUniqueID.FindAllStringSubmatch(text, -1) {
		if id := match[1]; id != config && ofRun(id, run) && !slices.Contains(others, id) {
			others = append(others, id)
		}
	}
	// The pod comes first, so the first id is that of the prefix; the Service alone may have its own.
	for i, id := range others {
		switch i {
		case 0:
			pairs = append(pairs, id, PrefixID)
		case 1:
			pairs = append(pairs, id, ServiceID)
		default:
			return nil, fmt.Errorf("more unique ids than the recorder knows of: %q", others)
		}
	}
	return pairs, nil
}

// ofRun reports whether the time in the id lies within the run.
func ofRun(id string, run Run) bool {
	const bits = 1<<40 - 1
	low, err := strconv.ParseInt(id[6:], 16, 64)
	if err != nil {
		return false
	}
	return within(time.UnixMilli(run.Started.UnixMilli()&^bits|low), run)
}

func within(t time.Time, run Run) bool {
	return !t.Before(run.Started.Add(-time.Second)) && !t.After(run.Ended.Add(time.Second))
}

// mapStrings applies f to every key and text of a decoded JSON value.
func mapStrings(value any, f func(string) string) any {
	switch v := value.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = mapStrings(v[i], f)
		}
	case map[string]any:
		mapped := make(map[string]any, len(v))
		for key, inner := range v {
			mapped[f(key)] = mapStrings(inner, f)
		}
		return mapped
	}
	return value
}
