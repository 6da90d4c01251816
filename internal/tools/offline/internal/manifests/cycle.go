// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// cycles returns a finding for each cycle of parents among the queues, at its first queue. Queues in a cycle admit
// nothing.
func cycles(objects []Object) []Finding {
	parents, places := map[string]string{}, map[string]*Object{}
	for i := range objects {
		var queue v1alpha1.SparkQueue
		if o := &objects[i]; o.Kind == v1alpha1.SparkQueueKind && json.Unmarshal(o.JSON, &queue) == nil {
			parents[o.Name], places[o.Name] = queue.Spec.Parent, o
		}
	}
	var findings []Finding
	known := map[string]bool{}
	for i := range objects {
		if places[objects[i].Name] != &objects[i] || known[objects[i].Name] {
			continue
		}
		if names := cycleFrom(objects[i].Name, parents); names != nil {
			for _, name := range names {
				known[name] = true
			}
			findings = append(findings, objects[i].Place([]Finding{{Field: "spec.parent", Message: fmt.Sprintf(
				"queue %s is its own ancestor (%s), and queues of a cycle admit nothing: change one of their parents",
				names[0], strings.Join(append(names, names[0]), " → "))}})...)
		}
	}
	return findings
}

// cycleFrom returns the queues of the cycle that start is in; nil if it is in none.
func cycleFrom(start string, parents map[string]string) []string {
	names := []string{start}
	for name := parents[start]; name != start; name = parents[name] {
		if name == "" || len(names) > len(parents) {
			return nil
		}
		names = append(names, name)
	}
	return names
}
