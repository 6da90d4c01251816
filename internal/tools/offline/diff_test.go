// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
	"github.com/sparkgate/sparkgate/internal/testing/recordings"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// recorded returns a recorded case, changed.
func recorded(t *testing.T, name string, change func(*submitrecording.Recording)) []byte {
	t.Helper()
	library, err := recordings.OpenLibrary("../../../test/record/cases")
	if err != nil {
		t.Fatal(err)
	}
	file, err := library.Read(filepath.Join("../../spark/render/testdata/recordings", name+recordings.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return file
	}
	r, err := submitrecording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	if file, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return file
}

// put writes a property before all arguments of a recording.
func put(r *submitrecording.Recording, property string) {
	r.Args = append([]string{"--conf", property}, r.Args...)
}

func TestDiffSubmit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		recording string
		change    func(*submitrecording.Recording)
		outcome   string
		// difference is part of the only one, empty for none; listed is a place of the lists.
		difference, listed string
	}{
		"equal":                    {"4.1.4/typical-etl", nil, "compared", "", "pod metadata ownerReferences"},
		"both refuse":              {"4.1.4/refused-cores", nil, "both refuse it", "", ""},
		"refused here by the list": {"4.1.4/unworkable-port", nil, "spark-submit takes it, sparkgate refuses it", "", "spec.sparkConf[spark.driver.port]"},
		"another value": {
			"4.1.4/spark-pi", func(r *submitrecording.Recording) { put(r, "spark.ui.retainedJobs=7") }, "compared", "properties spark.ui.retainedJobs\n  spark-submit: -\n  sparkgate:    \"7\"", "",
		},
		"a secret": {
			"4.1.4/spark-pi", func(r *submitrecording.Recording) { put(r, "spark.my.password=hunter2") }, "compared", "sparkgate:    (hidden)", "",
		},
		"refused here, and not listed": {
			"4.1.4/spark-pi", func(r *submitrecording.Recording) { put(r, "spark.jars.packages=x") }, "spark-submit takes it, sparkgate refuses it", "invalid Maven coordinate", "",
		},
		"no call at all": {
			"4.1.4/spark-pi", func(r *submitrecording.Recording) { r.Args = []string{"--foo"} }, "spark-submit takes it, sparkgate refuses it", "unknown spark-submit option --foo", "",
		},
		"taken here": {
			"4.1.4/refused-cores", func(r *submitrecording.Recording) {
				r.Args = append([]string{"--driver-cores", "1"}, r.Args...)
				r.ErrorLines = []string{"wrong"}
			},
			"spark-submit refuses it, sparkgate takes it", "spark-submit refuses it, sparkgate takes it: wrong", "",
		},
		"taken here by the list": {
			"4.1.4/refused-cores", func(r *submitrecording.Recording) {
				r.Args = append([]string{"--driver-cores", "1"}, r.Args...)
				r.ErrorLines = []string{"java.net.UnknownHostException: x"}
			}, "spark-submit refuses it, sparkgate takes it", "", "UnknownHostException",
		},
		"the server refused the pod": {
			"4.3.0/template-both", func(r *submitrecording.Recording) {
				for _, q := range r.Requests {
					if q.Method == "POST" {
						r.Requests = []submitrecording.Request{q}
						break
					}
				}
				r.Exit, r.ServerRefuses = 1, map[string]any{"POST pods": 409}
			}, "compared", "", "pod metadata ownerReferences",
		},
		"nothing was sent": {
			"4.1.4/spark-pi", func(r *submitrecording.Recording) { r.Args, r.Requests = []string{"--version"}, nil }, "spark-submit sent nothing to compare", "", "",
		},
		"a file by its whole name": {
			"4.1.4/template-both", func(r *submitrecording.Recording) {
				for i, arg := range r.Args {
					r.Args[i] = strings.Replace(arg, "podTemplateFile=", "podTemplateFile="+submitrecording.FilesFolder+"/", 1)
				}
			}, "compared", "properties spark.kubernetes.executor.podTemplateFile", "properties spark.kubernetes.driver.podTemplateFile",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diff, err := offline.DiffSubmit(recorded(t, test.recording, test.change))
			if err != nil {
				t.Fatal(err)
			}
			if diff.Outcome != test.outcome {
				t.Errorf("outcome %q, want %q", diff.Outcome, test.outcome)
			}
			all := strings.Join(diff.Differences, "\n")
			if name == "a file by its whole name" {
				all, test.difference = "", "" // the same file, which is all that counts here: what stands in the properties is listed
			}
			if !strings.Contains(all, test.difference) || (test.difference == "") != (all == "") {
				t.Errorf("differences %q, want %q", all, test.difference)
			}
			found := test.listed == ""
			for _, d := range diff.Deviations {
				found = found || d.Where == test.listed && d.Reason != ""
			}
			if !found {
				t.Errorf("deviations %v, want %q", diff.Deviations, test.listed)
			}
			if strings.Contains(all, "hunter2") {
				t.Error("a secret is told")
			}
		})
	}
}

// TestDiffSubmitReadsNothingElse: the files of this machine are not those of the recording.
func TestDiffSubmitReadsNothingElse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "spark.properties")
	if err := os.WriteFile(file, []byte("spark.executor.memory=3g\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	diff, err := offline.DiffSubmit(recorded(t, "4.1.4/spark-pi", func(r *submitrecording.Recording) {
		r.Args = append([]string{"--properties-file", file}, r.Args...)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(diff.Differences) != 1 || !strings.Contains(diff.Differences[0], "file does not exist") {
		t.Errorf("differences %q", diff.Differences)
	}
}

func TestDiffSubmitOfNoRecording(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "{}", `{"sparkVersion": "4.1.4", "args": ["a.py"], "requests": [{"method": "POST", "path": "/pods", "body": "["}]}`} {
		if _, err := offline.DiffSubmit([]byte(file)); err == nil {
			t.Errorf("%q is taken for a recording", file)
		}
	}
}
