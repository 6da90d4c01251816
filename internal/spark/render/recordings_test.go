// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/deviations"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/testing/recordings"
)

// TestRecordings renders the application of every recorded submission and compares the objects with those that the real client sent. What
// differs has to be one of deviations.Intended, what only we refuse one of deviations.Rejections.
func TestRecordings(t *testing.T) {
	outcomes := map[string]int{}
	for _, archive := range archives(t) {
		t.Run(archive.SparkVersion+"/"+archive.Case, func(t *testing.T) {
			outcomes[compareRecording(t, archive)]++
		})
	}
	t.Logf("recordings: %v", outcomes)
}

// archives returns all recordings.
func archives(t *testing.T) []recordings.Archive {
	t.Helper()
	paths, err := filepath.Glob("testdata/recordings/*/*" + recordings.Suffix)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var all []recordings.Archive
	for _, path := range paths {
		archive, err := recordings.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, archive)
	}
	return all
}

// TestSupportedVersionsAreRecorded: a version is supported once recordings of its client hold, with as many cases as any other.
func TestSupportedVersionsAreRecorded(t *testing.T) {
	t.Parallel()
	cases := map[string]int{}
	for _, version := range render.Supported {
		paths, err := filepath.Glob(filepath.Join("testdata", "recordings", version+".*", "*"+recordings.Suffix))
		if err != nil {
			t.Fatal(err)
		}
		cases[version] = len(paths)
		if cases[version] == 0 || cases[version] != cases[render.Supported[0]] {
			t.Errorf("Spark %s has %d recorded cases; record all of them with test/record (%v)", version, cases[version], cases)
		}
	}
}

// library reads the recordings.
var library = sync.OnceValues(func() (recordings.Library, error) {
	return recordings.OpenLibrary("../../../test/record/cases")
})

// submissionFile returns what the real client was given and did, as one JSON file.
func submissionFile(t *testing.T, archive recordings.Archive) []byte {
	t.Helper()
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	file, err := lib.JSON(archive)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// readSubmission reads what the real client was given and did.
func readSubmission(t *testing.T, archive recordings.Archive) *submitrecording.Recording {
	t.Helper()
	submission, err := submitrecording.Read(submissionFile(t, archive))
	if err != nil {
		t.Fatal(err)
	}
	return submission
}

// compareRecording compares one recording and returns what came of it.
func compareRecording(t *testing.T, archive recordings.Archive) string {
	submission := readSubmission(t, archive)
	app, sources := readApplication(t, archive)
	findings := validate.Submission(app, sources)
	switch {
	case submission.Refused() && len(findings) == 0:
		t.Errorf("the real client refused it, we do not: %s", submission.Message())
		return "refused"
	case submission.Refused():
		return "refused"
	case len(findings) > 0:
		compareOwnRefusal(t, app, findings)
		return "refused by intention"
	}
	sent, err := submission.Sent()
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range submitrecording.Compare(sent, renderedObjects(t, app, sources)) {
		if _, _, listed := submitrecording.Entry(deviations.Intended, difference.Path); !listed {
			t.Error(difference)
		}
	}
	return "compared"
}

// compareOwnRefusal makes sure that what we refuse and the real client takes is refused by intention. A field counts as the property that it
// stands for.
func compareOwnRefusal(t *testing.T, app *v1alpha1.SparkApplication, findings []validate.Finding) {
	t.Helper()
	for _, finding := range findings {
		if _, _, listed := submitrecording.EntryOfField(deviations.Rejections, app, finding.Field); !listed {
			t.Errorf("the real client took it, we do not: %s", finding)
		}
	}
}

// readApplication reads the application, with the uid that it would have, and the ConfigMap that it names.
func readApplication(t *testing.T, archive recordings.Archive) (*v1alpha1.SparkApplication, conf.Sources) {
	t.Helper()
	var app v1alpha1.SparkApplication
	decode(t, archive.Files["app.yaml"], &app)
	app.UID = "22222222-2222-2222-2222-222222222222"
	var sources conf.Sources
	if inputs, found := archive.Files["inputs.yaml"]; found {
		var configMap corev1.ConfigMap
		decode(t, inputs, &configMap)
		if configMap.Name != app.Spec.SparkConfigMap {
			t.Fatalf("inputs.yaml holds ConfigMap %q, the application names %q", configMap.Name, app.Spec.SparkConfigMap)
		}
		sources.ConfigMap = configMap.Data
	}
	return &app, sources
}

// decode reads YAML or JSON strictly.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatal(err)
	}
}

// renderedObjects builds what we would send.
func renderedObjects(t *testing.T, app *v1alpha1.SparkApplication, sources conf.Sources) *submitrecording.Objects {
	t.Helper()
	in, findings := render.NewInput(app, sources)
	if len(findings) > 0 {
		t.Fatalf("findings of conf.Merge: %v", findings)
	}
	in.Queue, in.SubmitTime = "default", time.UnixMilli(1700000000000)
	objects, err := render.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := submitrecording.Rendered(objects)
	if err != nil {
		t.Fatal(err)
	}
	return rendered
}
