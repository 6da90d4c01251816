// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Claim is a host and path that an Ingress or HTTPRoute uses.
type Claim struct {
	Place
	// Kind, Namespace, Name and UID identify the object; Since is when it was created.
	Kind, Namespace, Name string
	UID                   types.UID
	Since                 time.Time
}

// ClaimsOf returns the hosts and paths that an Ingress or HTTPRoute uses, whichever client created it. Parts that
// cannot be read are left out.
func ClaimsOf(object *unstructured.Unstructured) []Claim {
	var places []Place
	switch object.GetKind() {
	case IngressKind.Kind:
		places = ofIngress(object)
	case RouteKind.Kind, GRPCKind.Kind:
		places = ofRoute(object)
	}
	claims := make([]Claim, 0, len(places))
	for _, place := range places {
		claims = append(claims, Claim{Place: place, Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(),
			Since: object.GetCreationTimestamp().Time})
	}
	return claims
}

func ofIngress(object *unstructured.Unstructured) []Place {
	var places []Place
	for _, rule := range objectsAt(object.Object, "spec", "rules") {
		host := text(rule, "host")
		paths := objectsAt(rule, "http", "paths")
		if len(paths) == 0 {
			places = append(places, placeOf(host, ""))
		}
		for _, path := range paths {
			places = append(places, placeOf(host, text(path, "path")))
		}
	}
	return places
}

func ofRoute(object *unstructured.Unstructured) []Place {
	hosts, _, err := unstructured.NestedStringSlice(object.Object, "spec", "hostnames")
	if err != nil || len(hosts) == 0 {
		// The route has the host names of its Gateway.
		return nil
	}
	var paths []string
	for _, rule := range objectsAt(object.Object, "spec", "rules") {
		matches := objectsAt(rule, "matches")
		if len(matches) == 0 {
			paths = append(paths, "")
		}
		for _, match := range matches {
			path, _, _ := unstructured.NestedString(match, "path", "value")
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		paths = []string{""}
	}
	var places []Place
	for _, host := range hosts {
		for _, path := range paths {
			places = append(places, placeOf(host, path))
		}
	}
	return places
}

// placeOf normalizes host and path. Of a regular expression it keeps only the path segments before the first special
// character, because the rest may match anything.
func placeOf(host, path string) Place {
	path = strings.TrimSuffix(path, conf.RewritePattern)
	if at := strings.IndexAny(path, `()[]{}*+?|^$\`); at >= 0 {
		path = path[:strings.LastIndexByte("/"+path[:at], '/')]
	}
	return Place{Host: strings.ToLower(strings.TrimSuffix(host, ".")), Path: strings.TrimRight(path, "/")}
}

// objectsAt returns the objects in a list; none if there is no such list.
func objectsAt(object map[string]any, path ...string) []map[string]any {
	list, _, err := unstructured.NestedFieldNoCopy(object, path...)
	items, ok := list.([]any)
	if err != nil || !ok {
		return nil
	}
	var out []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func text(object map[string]any, key string) string {
	value, _ := object[key].(string)
	return value
}

// Conflict returns a message if a granted place is already in use: by an object in another namespace with the same host
// and an overlapping path that is not younger than own, the application's own object. It returns "" if there is none.
// own is zero if the object does not exist yet. The message does not name the other object, which users of this
// namespace may not see. It is no conflict if another object claims more than the rules reserve for the application,
// for example the root of a host on which the application has a path: the longer path wins, and administrators have
// assigned it.
func (g Granted) Conflict(namespace string, own Claim, claims []Claim) string {
	for _, c := range claims {
		if c.Namespace == namespace || c.Host != g.Place.Host || !below(c.Path, g.Place.Path) && !below(g.Place.Path, c.Path) {
			continue
		}
		if c.Path != g.area.Path && below(g.area.Path, c.Path) || own.olderThan(c) {
			continue
		}
		return fmt.Sprintf("%s: %q is held by an %s of another namespace: use another host or path", g.Field, c.Place, c.Kind)
	}
	return ""
}

// olderThan reports whether c exists and is older than other. The older one gets the place, even if both were created
// at the same time.
func (c Claim) olderThan(other Claim) bool {
	return c.UID != "" && cmp.Or(c.Since.Compare(other.Since), strings.Compare(string(c.UID), string(other.UID))) < 0
}
