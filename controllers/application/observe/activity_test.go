// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// TestLastOf reads answers of Spark 4.1.4's REST API to the question for the jobs of an application, cut down to what
// matters.
func TestLastOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC)
	const (
		older = `{"jobId": 0, "name": "sql", "submissionTime": "2026-11-28T19:50:00.100GMT", "completionTime": "2026-11-28T19:50:01.200GMT", "status": "SUCCEEDED"}`
		newer = `{"jobId": 1, "completionTime": "2026-11-28T19:55:00.000GMT", "status": "FAILED"}`
		runs  = `{"jobId": 2, "submissionTime": "2026-11-28T19:40:00.000GMT", "status": "RUNNING"}`
		ahead = `{"jobId": 3, "completionTime": "2026-11-28T20:55:00.000GMT", "status": "SUCCEEDED"}`
	)
	tests := map[string]struct {
		answer string
		want   time.Time
		err    string
	}{
		"no job yet":             {answer: `[]`},
		"one":                    {answer: "[" + older + "]", want: time.Date(2026, 11, 28, 19, 50, 1, 200e6, time.UTC)},
		"the last one first":     {answer: "[" + newer + "," + older + "]", want: time.Date(2026, 11, 28, 19, 55, 0, 0, time.UTC)},
		"the last one last":      {answer: "[" + older + "," + newer + "]", want: time.Date(2026, 11, 28, 19, 55, 0, 0, time.UTC)},
		"one runs":               {answer: "[" + newer + "," + runs + "]", want: now},
		"a clock that is ahead":  {answer: "[" + ahead + "]", want: now},
		"a time of another form": {answer: `[{"completionTime": "yesterday", "status": "SUCCEEDED"}]`, want: now},
		"a page":                 {answer: `<html>`, err: "does not answer as Spark does"},
		"another object":         {answer: `{"jobs": []}`, err: "does not answer as Spark does"},
		"cut off":                {answer: "[" + older, err: "does not answer as Spark does"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := lastOf[job](strings.NewReader(tc.answer), now)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if !got.Equal(tc.want) {
				t.Errorf("the last job ended at %s, want %s", got, tc.want)
			}
		})
	}
}

// TestLastSession reads answers of Spark 4.3.0's REST API to the question for the sessions of Spark Connect.
func TestLastSession(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1795909000000)
	const (
		open   = `{"sessionId": "d689f954-1483-4ec3-a463-47670eef824c", "userId": "", "startTimestamp": 1795908197268, "finishTimestamp": 0, "totalExecution": 2, "totalTime": 1862}`
		closed = `{"sessionId": "d689f954-1483-4ec3-a463-47670eef824c", "userId": "", "startTimestamp": 1795908197268, "finishTimestamp": 1795908199200, "totalExecution": 2, "totalTime": 1932}`
	)
	for answer, want := range map[string]time.Time{
		"[ ]":                           {},
		"[" + closed + "]":              time.UnixMilli(1795908199200),
		"[" + closed + "," + open + "]": now,
	} {
		got, err := lastOf[session](strings.NewReader(answer), now)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %s, %v, want %s", answer, got, err, want)
		}
	}
}

// TestAliveIn reads answers of Spark 4.1.4's master, cut down to what matters: the workers that are ALIVE, and the cores in use.
func TestAliveIn(t *testing.T) {
	t.Parallel()
	const (
		free = `{"id": "worker-1", "host": "10.0.0.7", "port": 41017, "webuiaddress": "http://10.0.0.7:8081", "cores": 2, "coresused": 0, "coresfree": 2, "state": "ALIVE", "lastheartbeat": 1790000000000}`
		busy = `{"id": "worker-2", "host": "10.0.0.8", "cores": 2, "coresused": 2, "state": "ALIVE"}`
		dead = `{"id": "worker-3", "host": "10.0.0.9", "cores": 2, "coresused": 0, "state": "DEAD"}`
		back = `{"id": "worker-4", "host": "10.0.0.9", "cores": 2, "coresused": 1, "state": "ALIVE"}`
	)
	tests := map[string]struct {
		answer string
		waits  bool
		want   map[string]lifecycle.Worker
		err    string
	}{
		"two":                        {answer: `{"url": "spark://10.0.0.1:7077", "workers": [` + free + "," + busy + `], "aliveworkers": 2, "status": "ALIVE"}`, want: map[string]lifecycle.Worker{"10.0.0.7": {}, "10.0.0.8": {Cores: 2}}},
		"one is gone":                {answer: `{"workers": [` + dead + "," + free + `], "status": "ALIVE"}`, want: map[string]lifecycle.Worker{"10.0.0.7": {}}},
		"one of the same address":    {answer: `{"workers": [` + back + "," + dead + `], "status": "ALIVE"}`, want: map[string]lifecycle.Worker{"10.0.0.9": {Cores: 1}}},
		"none yet":                   {answer: `{"workers": [], "status": "ALIVE"}`, want: map[string]lifecycle.Worker{}},
		"a program waits":            {answer: `{"workers": [` + busy + `], "activeapps": [{"state": "RUNNING"}, {"state": "WAITING"}], "status": "ALIVE"}`, waits: true, want: map[string]lifecycle.Worker{"10.0.0.8": {Cores: 2}}},
		"it recovers":                {answer: `{"workers": [` + free + `], "status": "RECOVERING"}`, err: `it is "RECOVERING"`},
		"a page":                     {answer: `<html>`, err: "does not answer with workers"},
		"the page of something else": {answer: `{"ready": true}`, err: "does not answer with workers"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, waits, err := aliveIn(strings.NewReader(tc.answer))
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || waits != tc.waits {
				t.Errorf("a program waits: %t, workers (-want +got):\n%s", waits, diff)
			}
		})
	}
}
