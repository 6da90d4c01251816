// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// started is when the submissions of the tests began; they took two seconds.
var started = time.UnixMilli(1_795_000_000_000)

// uniqueID returns an id as Spark makes it, at an offset from the beginning.
func uniqueID(random string, offset time.Duration) string {
	return fmt.Sprintf("%s%010x", random, started.Add(offset).UnixMilli()&(1<<40-1))
}

func runWith(requests ...Request) Run {
	return Run{Requests: requests, Started: started, Ended: started.Add(2 * time.Second), Folder: "/tmp/spark-record-1", Address: "127.0.0.1:34567"}
}

func post(resource, body string) Request {
	return Request{Method: "POST", Path: "/api/v1/namespaces/n/" + resource, ContentType: "application/json", Body: json.RawMessage(body)}
}

func TestNormaliseTexts(t *testing.T) {
	t.Parallel()
	prefix, config := uniqueID("a1b2c3", time.Second), uniqueID("0f1e2d", time.Second)
	tests := map[string]struct{ text, want string }{
		"application id":            {"spark-6d1b0a3f0b7c4b0e9a3e0d6c5b4a3f21", ApplicationID},
		"prefix":                    {"pi-" + prefix + "-driver", "pi-" + PrefixID + "-driver"},
		"prefix of a bare id":       {"x" + prefix[1:] + "-driver", PrefixID + "-driver"},
		"prefix at the end":         {"pi-" + prefix, "pi-" + PrefixID},
		"host of the Service":       {"pi-" + prefix + "-driver-svc.n.svc", "pi-" + PrefixID + "-driver-svc.n.svc"},
		"ConfigMap":                 {"spark-drv-" + config + "-conf-map", "spark-drv-" + ConfigID + "-conf-map"},
		"local folder":              {"/var/data/spark-3c9e6c1e-5b0f-4f63-9d7a-0a1b2c3d4e5f", "/var/data/spark-" + localDirID},
		"address":                   {"k8s://http://127.0.0.1:34567", "k8s://http://127.0.0.1:8001"},
		"address in properties":     {`k8s\://http\://127.0.0.1\:34567`, `k8s\://http\://127.0.0.1\:8001`},
		"working folder":            {"file:/tmp/spark-record-1/x", "file:/submit/x"},
		"submit time":               {"spark.app.submitTime=1795000001000\n", "spark.app.submitTime=1700000000000\n"},
		"submit time of the user":   {"spark.app.submitTime=1234567890123\n", "spark.app.submitTime=1234567890123\n"},
		"an id of another time":     {"x-a1b2c3" + "0000000001" + "-y", "x-a1b2c3" + "0000000001" + "-y"},
		"sixteen digits in a word":  {"x" + prefix + "y", "x" + prefix + "y"},
		"another uuid":              {"3c9e6c1e-5b0f-4f63-9d7a-0a1b2c3d4e5f", "3c9e6c1e-5b0f-4f63-9d7a-0a1b2c3d4e5f"},
		"a time in another place":   {"x=1795000001000", "x=1795000001000"},
		"several of them at a time": {prefix + " pi-" + prefix + " spark-drv-" + config + "-conf-map", PrefixID + " pi-" + PrefixID + " spark-drv-" + ConfigID + "-conf-map"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": "p"}, test.text: []any{test.text, 1, nil, true}})
			if err != nil {
				t.Fatal(err)
			}
			objects, err := Normalise(runWith(post("pods", string(body))))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"metadata": map[string]any{"name": "p"}, test.want: []any{test.want, json.Number("1"), nil, true}}
			if diff := cmp.Diff(want, objects[0].Body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNormaliseRequests(t *testing.T) {
	t.Parallel()
	prefix, service, config := uniqueID("a1b2c3", time.Second), uniqueID("d4e5f6", 2*time.Second), uniqueID("0f1e2d", time.Second)
	apply := func(resource, name string) Request {
		return Request{
			Method: "PATCH", Path: "/api/v1/namespaces/n/" + resource + "/" + name, Query: "fieldManager=f",
			ContentType: "application/apply-patch+yaml", Body: json.RawMessage(`{"metadata":{"name":"` + name + `"}}`),
		}
	}
	objects, err := Normalise(runWith(
		post("pods", `{"metadata":{"name":"long-`+prefix+`-driver"}}`),
		apply("services", "spark-"+service+"-driver-svc"),
		apply("configmaps", "spark-drv-"+config+"-conf-map"),
		Request{Method: "GET", Path: "/version"},
	))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		got = append(got, object.Line+" | "+object.Name)
	}
	want := []string{
		"POST /api/v1/namespaces/n/pods application/json | long-" + PrefixID + "-driver",
		"PATCH /api/v1/namespaces/n/services/spark-" + ServiceID + "-driver-svc?fieldManager=f application/apply-patch+yaml | spark-" + ServiceID + "-driver-svc",
		"PATCH /api/v1/namespaces/n/configmaps/spark-drv-" + ConfigID + "-conf-map?fieldManager=f application/apply-patch+yaml | spark-drv-" + ConfigID + "-conf-map",
		"GET /version | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestNormaliseRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	ids := func(count int) string {
		var names []string
		for i := range count {
			names = append(names, "x-"+uniqueID(fmt.Sprintf("%06x", i), time.Second))
		}
		return `{"metadata":{"name":"` + strings.Join(names, " ") + `"}}`
	}
	tests := map[string]string{
		"three unique ids":    ids(3),
		"two application ids": `{"a":"spark-6d1b0a3f0b7c4b0e9a3e0d6c5b4a3f21","b":"spark-7d1b0a3f0b7c4b0e9a3e0d6c5b4a3f21"}`,
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Normalise(runWith(post("pods", body))); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestSortProperties(t *testing.T) {
	t.Parallel()
	configMap := map[string]any{"data": map[string]any{
		"other":       "z\na\n",
		propertiesKey: "#made for c\n#Sat Nov 21 01:56:59 UTC 2026\nspark.z=1\nspark.a=x\\ny\nspark.m\\ n=\\  2\n",
	}}
	sortProperties(configMap)
	want := map[string]any{"data": map[string]any{
		"other":       "z\na\n",
		propertiesKey: "#made for c\n#DATE\nspark.a=x\\ny\nspark.m\\ n=\\  2\nspark.z=1\n",
	}}
	if diff := cmp.Diff(want, configMap); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
	sortProperties(map[string]any{"data": map[string]any{"x": "y"}})
	sortProperties(nil)
}

func TestOrderLocalDirs(t *testing.T) {
	t.Parallel()
	pod := func(dirs string, mounts ...any) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"env":          []any{map[string]any{"name": "OTHER", "value": "z,a"}, map[string]any{"name": "SPARK_LOCAL_DIRS", "value": dirs}},
			"volumeMounts": mounts,
		}}}}
	}
	mount := func(name, path string) any { return map[string]any{"name": name, "mountPath": path} }
	tests := map[string]struct{ pod, want map[string]any }{
		"numbered by Spark": {
			pod:  pod("/c,/a,/b", mount("spark-local-dir-1", "/c"), mount("spark-local-dir-2", "/a"), mount("spark-local-dir-3", "/b")),
			want: pod("/a,/b,/c", mount("spark-local-dir-1", "/a"), mount("spark-local-dir-2", "/b"), mount("spark-local-dir-3", "/c")),
		},
		"named by the user": {
			pod:  pod("/b,/a", mount("spark-local-dir-x", "/b"), mount("spark-local-dir-y", "/a"), mount("data", "/data")),
			want: pod("/a,/b", mount("spark-local-dir-x", "/b"), mount("spark-local-dir-y", "/a"), mount("data", "/data")),
		},
		"one folder": {
			pod:  pod("/b", mount("spark-local-dir-1", "/b")),
			want: pod("/b", mount("spark-local-dir-1", "/b")),
		},
		"no pod": {pod: map[string]any{"data": "x"}, want: map[string]any{"data": "x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			orderLocalDirs(test.pod)
			if diff := cmp.Diff(test.want, test.pod); diff != "" {
				t.Errorf("pod (-want +got):\n%s", diff)
			}
		})
	}
}
