// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestParseProcessStat(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		line string
		want time.Duration
		fail bool
	}{
		"ordinary":               {line: "17 (sparkgate) S 1 17 17 0 -1 4194560 900 0 3 0 250 31 0 0 20 0 9 0 1234 5 6", want: 2810 * time.Millisecond},
		"a command with a blank": {line: "17 (a b) c) R 1 17 17 0 -1 4194560 900 0 3 0 1 2 0 0 20 0", want: 30 * time.Millisecond},
		"too short":              {line: "17 (sparkgate) S 1 17", fail: true},
		"no number":              {line: "17 (sparkgate) S 1 17 17 0 -1 4194560 900 0 3 0 x 31 0 0", fail: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseProcessStat(c.line)
			if (err != nil) != c.fail || (err == nil && got != c.want) {
				t.Errorf("got %v, %v; want %v, failure %v", got, err, c.want, c.fail)
			}
		})
	}
}

// TestEnvironmentIsShipped compares the environment of measured operators with the manifest.
func TestEnvironmentIsShipped(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("../../../config/manager/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := yaml.Unmarshal(manifest, &deployment); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, variable := range deployment.Spec.Template.Spec.Containers[0].Env {
		switch {
		case variable.Value != "":
			got = append(got, variable.Name+"="+variable.Value)
		case variable.ValueFrom.ResourceFieldRef != nil:
			limit := deployment.Spec.Template.Spec.Containers[0].Resources.Limits[corev1.ResourceMemory]
			got = append(got, fmt.Sprintf("%s=%d", variable.Name, limit.Value()))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(slices.Values(Environment)), got); diff != "" {
		t.Errorf("environment of measured operators (-measured +manifest):\n%s", diff)
	}
}

func TestParseMachineStat(t *testing.T) {
	t.Parallel()
	got, err := parseMachineStat("cpu  100 20 30 99999 88888 4 6 77777 50 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n")
	if want := 1600 * time.Millisecond; err != nil || got != want {
		t.Errorf("got %v, %v; want %v: user, nice, system, irq and softirq", got, err, want)
	}
	for _, text := range []string{"", "intr 1 2 3", "cpu 1 2 3", "cpu  1 2 x 4 5 6 7 8"} {
		if _, err := parseMachineStat(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestParseParent(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][3]any{
		"17 (kube-apiserver) S 4 17 17": {17, 4, "kube-apiserver"},
		"17 (a) b) S 4 17 17":           {17, 4, "a) b"},
		"nonsense":                      {0, 0, ""},
		"17 (x)":                        {0, 0, ""},
	} {
		pid, parent, name := parseParent(line)
		if diff := cmp.Diff(want, [3]any{pid, parent, name}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestOwnProcess(t *testing.T) {
	t.Parallel()
	if _, err := ProcessCPU(os.Getpid()); err != nil {
		t.Error(err)
	}
	if bytes, err := Resident(os.Getpid()); err != nil || bytes < 1<<20 {
		t.Errorf("a test has %d bytes in RAM, %v", bytes, err)
	}
	if busy, err := MachineCPU(); err != nil || busy <= 0 {
		t.Errorf("the machine was busy for %v, %v", busy, err)
	}
	if _, err := ProcessCPU(1 << 30); err == nil {
		t.Error("a process that does not exist has used CPU")
	}
}

func TestParseCount(t *testing.T) {
	t.Parallel()
	got, err := parseCount(strings.NewReader(`# HELP apiserver_request_total Counter of requests.
apiserver_request_total{code="201",component="apiserver",dry_run="",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} 7
apiserver_request_total{code="200",component="apiserver",dry_run="",group="sparkgate.io",resource="sparkapplications",scope="resource",subresource="status",verb="PATCH",version="v1alpha1"} 1.2e+01
apiserver_request_total{code="409",component="apiserver",dry_run="",group="sparkgate.io",resource="sparkapplications",scope="resource",subresource="status",verb="PATCH",version="v1alpha1"} 2
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="cluster",subresource="",verb="LIST",version="v1"} 99
apiserver_request_total{code="200",component="apiserver",dry_run="All",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} 99
apiserver_request_total{code="200",component="apiserver",dry_run="",group="coordination.k8s.io",resource="leases",scope="resource",subresource="",verb="PUT",version="v1"} 99
apiserver_request_total{code="201",component="apiserver",dry_run="",group="authorization.k8s.io",resource="subjectaccessreviews",scope="resource",subresource="",verb="POST",version="v1"} 99
other{code="200",verb="POST"} 99
`))
	if err != nil {
		t.Fatal(err)
	}
	status := Kind{"PATCH", "sparkapplications", "status"}
	want := Count{Done: Writes{{"POST", "pods", ""}: 7, status: 12}, Failed: Writes{status: 2}, Reads: Writes{{"LIST", "pods", ""}: 99}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"apiserver_request_total{code=\"200\"", "apiserver_request_total{verb=\"POST\"} many"} {
		if _, err := parseCount(strings.NewReader(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	pods, maps, services := Kind{"POST", "pods", ""}, Kind{"POST", "configmaps", ""}, Kind{"POST", "services", ""}
	w := Writes{pods: 5, maps: 7, services: 2}.Minus(Writes{maps: 2, services: 2})
	if diff := cmp.Diff(Writes{pods: 5, maps: 5}, w); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Kind{maps, pods}, w.Kinds()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if w.Total() != 10 {
		t.Errorf("%d writes in all, want 10", w.Total())
	}
}

// TestTreeCPU: the processes that a process has started count, even if they have ended.
func TestTreeCPU(t *testing.T) {
	before, err := treeCPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	after, err := treeCPU(os.Getpid())
	used := child.ProcessState.UserTime() + child.ProcessState.SystemTime()
	if err != nil || after-before < used-2*tick {
		t.Errorf("%s more, of a child that used %s (%v)", after-before, used, err)
	}
}
