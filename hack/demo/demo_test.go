// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// state makes an application with the given conditions, each "Type=Status/Reason: message".
func state(name string, conditions ...string) application {
	var a application
	a.Metadata.Name = name
	a.Status.Queue = "team-a"
	a.Status.Driver.PodName = name + "-driver"
	for _, c := range conditions {
		kind, rest, _ := strings.Cut(c, "=")
		status, rest, _ := strings.Cut(rest, "/")
		reason, message, _ := strings.Cut(rest, ": ")
		a.Status.Conditions = append(a.Status.Conditions, condition{Type: kind, Status: status, Reason: reason, Message: message})
	}
	return a
}

func TestProgress(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		states []application
		want   string
	}{
		"every stage by itself": {
			states: []application{
				state("pi"),
				state("pi", "Ready=Unknown/Queued", "Admitted=False/WaitingForQuota: needs 3 cpu, 1 is left"),
				state("pi", "Ready=Unknown/Queued", "Admitted=False/WaitingForQuota: needs 3 cpu, 1 is left"),
				state("pi", "Ready=Unknown/Submitting", "Admitted=True/Granted"),
				state("pi", "Ready=Unknown/Starting", "Admitted=True/Granted"),
				state("pi", "Ready=Unknown/Running"),
				state("pi", "Ready=Unknown/Finalizing"),
				state("pi", "Ready=True/Succeeded"),
			},
			want: "queued in queue team-a; queued needs 3 cpu, 1 is left; admitted; submitted driver pi-driver; running; succeeded",
		},
		"stages that share a write": {
			states: []application{state("pi", "Ready=Unknown/Running")},
			want:   "queued in queue team-a; admitted; submitted driver pi-driver; running",
		},
		"a failure before the start": {
			states: []application{
				state("pi", "Ready=Unknown/Queued"),
				state("pi", "Ready=False/InvalidSpec: set mainClass", "Stalled=True/InvalidSpec"),
			},
			want: "queued in queue team-a; failed InvalidSpec: set mainClass",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &progress{name: "pi"}
			var got []string
			for _, a := range tt.states {
				for _, s := range p.update(a) {
					got = append(got, strings.TrimSpace(s.stage.String()+" "+s.note))
				}
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("steps: got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestResultLine(t *testing.T) {
	t.Parallel()
	if got := resultLine("INFO start\nPi is roughly 3.14\nINFO end\n"); got != "Pi is roughly 3.14" {
		t.Errorf("line: got %q", got)
	}
	if got := resultLine("nothing\n"); got != "" {
		t.Errorf("line: got %q, want none", got)
	}
}

func TestHeartbeatWithoutATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	begin := time.Unix(0, 0)
	v := &view{out: &out, begin: begin, lastLine: begin}
	apps := []*progress{{name: "pi", reached: running}}
	for i := range 25 {
		v.live(begin.Add(time.Duration(i)*time.Second), apps)
	}
	want := "   9.0s  pi running\n  18.0s  pi running\n"
	if out.String() != want {
		t.Errorf("lines: got %q, want %q", out.String(), want)
	}
}

// TestRun plays the whole demo against a script in kubectl's place.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "kubectl")
	body := `#!/bin/sh
echo "$*" >> ` + dir + `/calls
case "$*" in
*--dry-run*) echo pi ;;
*--watch*) echo '{"metadata":{"name":"pi"},"status":{"driver":{"podName":"pi-1"},"conditions":[{"type":"Ready","status":"True","reason":"Succeeded"}]}}'; exec sleep 60 ;;
*logs*) echo "Pi is roughly 3.1" ;;
esac
`
	if err := os.WriteFile(script, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	o := options{kubectl: kubectl{program: script, namespace: "default"}, queues: "q.yaml", timeout: time.Minute, manifests: []string{"pi.yaml"}}
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"apply --filename q.yaml", "--dry-run", "delete", "apply --filename pi.yaml", "--watch", "logs pi-1"} {
		if !strings.Contains(strings.Split(string(calls), "\n")[i], want) {
			t.Errorf("call %d: want %q in:\n%s", i, want, calls)
		}
	}
}

func TestAnEarlyEndSaysWhereItStands(t *testing.T) {
	t.Parallel()
	o := options{kubectl: kubectl{program: "true"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := o.follow(ctx, &view{out: &bytes.Buffer{}, begin: time.Now()}, []*progress{{name: "pi", reached: queued}})
	if want := "pi queued"; err == nil || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("error: got %v, want %q in it", err, want)
	}
}
