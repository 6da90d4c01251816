// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package eventlog_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/advise/eventlog"
)

var update = flag.Bool("update", false, "rewrite golden files")

const recorded = "skewed/eventlog_v2_app-20261123212223-0000"

// TestRecordedLogs: what is read from the logs of real runs of one program, and what follows from it.
func TestRecordedLogs(t *testing.T) {
	t.Parallel()
	for version, log := range map[string]string{
		"3.5.9": "3.5.9/app-20261125014503-0000.gz", "4.0.5": "4.0.5/eventlog_v2_app-20261125014601-0000", "4.1.4": recorded,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			run, err := eventlog.Read(os.DirFS("testdata"), log)
			if err != nil {
				t.Fatal(err)
			}
			if run.SparkVersion != version || !run.Complete || run.Tasks == 0 || run.Driver.Heap == 0 || run.Executor.Heap == 0 {
				t.Errorf("read %+v", run)
			}
			golden(t, filepath.Join(path.Dir(log), "advice.json"), advise.Advise(run))
			run.Properties = nil
			golden(t, filepath.Join(path.Dir(log), "run.json"), run)
		})
	}
}

func golden(t *testing.T, name string, got any) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// plain returns the text of the recorded log.
func plain(t *testing.T) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", recorded, "events_1_app-20261123212223-0000.zstd"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForms: the same run comes out of every form in which a log may be kept.
func TestForms(t *testing.T) {
	t.Parallel()
	want, err := eventlog.Read(os.DirFS("testdata"), recorded)
	if err != nil {
		t.Fatal(err)
	}
	text := plain(t)
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	file := func(data []byte) *fstest.MapFile { return &fstest.MapFile{Data: data} }
	for name, files := range map[string]fstest.MapFS{
		"one file as text":         {"log": file(text)},
		"being written":            {"log.inprogress": file(text)},
		"gzip":                     {"log.gz": file(zipped(t, text))},
		"a folder with one log":    {"log/app-1": file(text), "log/.app-1.crc": file([]byte("x"))},
		"parts that roll":          {"log/eventlog_v2_a/events_2_a": file(text[half:]), "log/eventlog_v2_a/events_1_a": file(text[:half]), "log/eventlog_v2_a/appstatus_a": file(nil)},
		"tenth part after the 2nd": {"log/events_10_a": file(text[half:]), "log/events_2_a": file(text[:half])},
		"a last line that is cut":  {"log": file(append(bytes.Clone(text), `{"Event":"SparkListenerTaskEnd","Sta`...))},
		"empty lines":              {"log": file(bytes.ReplaceAll(text, []byte("\n"), []byte("\n\r\n")))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := "log"
			for file := range files {
				if strings.HasPrefix(file, "log.") {
					log = file
				}
			}
			got, err := eventlog.Read(files, log)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCutShort: a log that ends early gives what it has, and says that it is not complete.
func TestCutShort(t *testing.T) {
	t.Parallel()
	text := plain(t)
	for name, data := range map[string][]byte{"log": text[:len(text)*2/3], "log.gz": zipped(t, text)[:9000]} {
		run, err := eventlog.Read(fstest.MapFS{name: &fstest.MapFile{Data: data}}, name)
		if err != nil || run.Complete || run.Tasks == 0 && name == "log" {
			t.Errorf("%s: %v, %+v", name, err, run)
		}
	}
}

// TestNotALog: what is not an event log is refused with what to do.
func TestNotALog(t *testing.T) {
	t.Parallel()
	two := fstest.MapFS{"log/a": &fstest.MapFile{}, "log/b": &fstest.MapFile{}}
	for name, tc := range map[string]struct {
		files fstest.MapFS
		path  string
		want  string
	}{
		"absent":            {fstest.MapFS{}, "log", "not exist"},
		"empty":             {fstest.MapFS{"log": {}}, "log", "log is not an event log of Spark"},
		"another text":      {fstest.MapFS{"log": {Data: []byte("hello\nworld\n")}}, "log", "line 1 is not an event of Spark"},
		"JSON of others":    {fstest.MapFS{"log": {Data: []byte("{\"a\":1}\n{}\n")}}, "log", `it has no field "Event"`},
		"a wrong type":      {fstest.MapFS{"log": {Data: []byte(`{"Event":"SparkListenerTaskEnd","Stage ID":"x"}` + "\n{}\n")}}, "log", "line 1"},
		"a codec":           {fstest.MapFS{"log.lz4": {Data: []byte("x")}}, "log.lz4", "set spark.eventLog.compression.codec to zstd"},
		"not gzip":          {fstest.MapFS{"log.gz": {Data: []byte("hello")}}, "log.gz", "not compressed with gzip"},
		"not zstd":          {fstest.MapFS{"log.zstd": {Data: []byte("hello world")}}, "log.zstd", "magic number"},
		"several logs":      {two, "log", "has 2 event logs; name one of them, such as log/b"},
		"a folder of none":  {fstest.MapFS{"log/.x": {}}, "log", "log has no event log"},
		"events of no kind": {fstest.MapFS{"log": {Data: []byte("\n\n")}}, "log", "has no event"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := eventlog.Read(tc.files, tc.path)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestHostileEvents: numbers that no Spark writes make nothing negative, and a line without end is passed over.
func TestHostileEvents(t *testing.T) {
	t.Parallel()
	long := `{"Event":"SparkListenerTaskEnd","Task Info":{"Launch Time":` + strings.Repeat("1", 17<<20) + "}}\n"
	text := long + `{"Event":"SparkListenerExecutorAdded","Timestamp":5000,"Executor ID":"1","Executor Info":{"Total Cores":-4}}
{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task Info":{"Launch Time":9000,"Finish Time":1000,"Executor ID":"1"},"Task Executor Metrics":{"JVMHeapMemory":-5,"JVMOffHeapMemory":9223372036854775807}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":1}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":77}}
{"Event":"SparkListenerExecutorRemoved","Timestamp":1000,"Executor ID":"1","Removed Reason":"Command exited with code 137"}
{"Event":"SparkListenerExecutorRemoved","Timestamp":1000,"Executor ID":"2"}
`
	run, err := eventlog.Read(fstest.MapFS{"log": {Data: []byte(text)}}, "log")
	if err != nil {
		t.Fatal(err)
	}
	if run.BusyTime != 0 || run.SlotTime != 0 || run.Executor.Heap != 0 || run.Executor.OffHeap > 1<<50 || run.OutOfMemory != 1 || run.Tasks != 1 {
		t.Errorf("run %+v", run)
	}
	if advice := advise.Advise(run); len(advice.Unknown) == 0 || run.Duration > time.Hour {
		t.Errorf("advice %+v", advice)
	}
}
