// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package templatehash

import (
	"encoding/json"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const pi = `{"type":"Python","sparkVersion":"4.1.4","image":"spark:4.1","mainApplicationFile":"local:///pi.py","arguments":["4"],
	"queue":{"name":"team-a"},"driver":{"cores":1,"memory":"512m","template":{"spec":{"hostNetwork":false,"containers":[{"name":"x"}]}}}}`

// piHash must never change: it stands in the status of objects that older versions have run. A change of this line means that an
// upgrade runs every finished job again.
const piHash = "v1:6ff0a5138b94897310c46ef4997c7f5a6771159e540cfac18c8faef97cf9a743"

func parse(t *testing.T, text string) *v1alpha1.SparkApplicationSpec {
	t.Helper()
	spec := &v1alpha1.SparkApplicationSpec{}
	if err := json.Unmarshal([]byte(text), spec); err != nil {
		t.Fatalf("parse spec: %v", err)
	}
	return spec
}

func TestAnUpgradeAloneStartsNothing(t *testing.T) {
	got, err := Of(parse(t, pi))
	if err != nil {
		t.Fatal(err)
	}
	if got != piHash {
		t.Errorf("hash of the stored example = %s, want %s", got, piHash)
	}
	if same, err := Matches(parse(t, pi), piHash); err != nil || !same {
		t.Errorf("Matches = %v, %v; want true", same, err)
	}
}

func TestWhatAChangeMeans(t *testing.T) {
	cases := map[string]struct {
		change func(*v1alpha1.SparkApplicationSpec)
		same   bool
	}{
		"arguments are part of the template":       {func(s *v1alpha1.SparkApplicationSpec) { s.Arguments = []string{"5"} }, false},
		"runID is part of the template":            {func(s *v1alpha1.SparkApplicationSpec) { s.RunID = "again" }, false},
		"sparkConf is part of the template":        {func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{"spark.a": "b"} }, false},
		"the pod template is part of the template": {func(s *v1alpha1.SparkApplicationSpec) { s.Driver.Template.Raw = []byte(`{"spec":{}}`) }, false},
		"order of keys in a pod template is not": {func(s *v1alpha1.SparkApplicationSpec) {
			s.Driver.Template.Raw = []byte(`{"spec":{"containers":[{"name":"x"}],"hostNetwork":false}}`)
		}, true},
		"suspend is not":                               {func(s *v1alpha1.SparkApplicationSpec) { s.Suspend = true }, true},
		"the queue is not":                             {func(s *v1alpha1.SparkApplicationSpec) { s.Queue.Name = "team-b" }, true},
		"timeouts are not":                             {func(s *v1alpha1.SparkApplicationSpec) { s.Timeouts = &v1alpha1.Timeouts{} }, true},
		"retention is not":                             {func(s *v1alpha1.SparkApplicationSpec) { s.Retention = &v1alpha1.Retention{Policy: "Never"} }, true},
		"the user interface is not":                    {func(s *v1alpha1.SparkApplicationSpec) { s.UI = &v1alpha1.UserInterface{} }, true},
		"an empty executor is the same as no executor": {func(s *v1alpha1.SparkApplicationSpec) { s.Executor = v1alpha1.ExecutorSpec{} }, true},
	}
	before, err := Of(parse(t, pi))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			spec := parse(t, pi)
			c.change(spec)
			same, err := Matches(spec, before)
			if err != nil {
				t.Fatal(err)
			}
			if same != c.same {
				t.Errorf("Matches = %v, want %v", same, c.same)
			}
		})
	}
}

func TestAHashOfAUnknownStageIsNoChange(t *testing.T) {
	if same, err := Matches(parse(t, pi), "v99:abc"); err != nil || !same {
		t.Errorf("Matches = %v, %v; want true", same, err)
	}
	if same, err := Matches(parse(t, pi), ""); err != nil || same {
		t.Errorf("Matches of no hash = %v, %v; want false", same, err)
	}
}

// TestServer: how a server is reached may change while it runs; which one it is, and its token, may not.
func TestServer(t *testing.T) {
	t.Parallel()
	const server = `{"type":"Scala","sparkVersion":"4.1.4","image":"spark:4.1","server":{"type":"Connect"`
	before, err := Of(parse(t, server+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		server + `,"allowedNamespaces":["hub"],"route":{"hostname":"a.example.org","parentRefs":[{"name":"public"}]},"ingress":{"host":"b.example.org"}}}`: true,
		server + `,"token":{"name":"notebooks","key":"token"}}}`:                                 false,
		`{"type":"Scala","sparkVersion":"4.1.4","image":"spark:4.1","server":{"type":"Thrift"}}`: false,
	} {
		if same, err := Matches(parse(t, text), before); err != nil || same != want {
			t.Errorf("%s is the same: %t, %v; want %t", text, same, err, want)
		}
	}
}
