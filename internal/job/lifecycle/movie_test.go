// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/testing/movies"
	"github.com/sparkgate/sparkgate/queueing"
)

// movie plays a story: for each command it writes the time since the beginning, who did something, and what.
type movie struct {
	*world
	out io.Writer
	// logged is the number of lines of the world's log that are in out.
	logged int
	// started is when the driver had started before the clock was set.
	started time.Time
}

// TestMovies plays the stories in testdata. Run it with -update to write the current results, and review the
// difference.
func TestMovies(t *testing.T) {
	t.Parallel()
	movies.Play(t, func(t *testing.T, out io.Writer) movies.Player {
		m := &movie{world: newWorld(t), out: out}
		t.Cleanup(func() {
			for attempt, n := range m.created {
				if n > 1 {
					t.Errorf("attempt %s had %d drivers", attempt, n)
				}
			}
		})
		return m
	})
}

// TestFinalMessagesAdviseWhatCanBeDone: when an attempt or a run has failed, its pods are gone, so no message asks
// users to look at a pod, or says that something in it continues.
func TestFinalMessagesAdviseWhatCanBeDone(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.movie")
	if err != nil || len(files) == 0 {
		t.Fatalf("no movies: %v", err)
	}
	final, late := regexp.MustCompile(`(?:Failed|Exceeded|Timeout|Conflict)=False: (.*)`), regexp.MustCompile(`kubectl describe pod|automatically|by itself|may still`)
	seen := 0
	for _, file := range files {
		story, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range final.FindAllStringSubmatch(string(story), -1) {
			if seen++; late.MatchString(message[1]) {
				t.Errorf("%s: %s", file, message[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no movie has a final message")
	}
}

// Play implements movies.Player.
func (m *movie) Play(verb, rest string) bool {
	act := acts[verb]
	if act == nil {
		return false
	}
	act(m, rest)
	for ; m.logged < len(m.log); m.logged++ {
		fmt.Fprintln(m.out, m.log[m.logged])
	}
	return true
}

// acts are the commands, by actor.
var acts = map[string]func(m *movie, rest string){
	// The operator.
	"settle":    func(m *movie, _ string) { m.settle() },
	"remember":  func(m *movie, _ string) { m.memory.on = true },
	"next-look": func(m *movie, _ string) { m.nextLook() },
	"crash":     func(m *movie, rest string) { m.crashes(number(m, rest)) },

	// The clock: "after 20s" lets time pass, "clock -5h" sets the clock of the machine.
	"after": func(m *movie, rest string) { m.after(duration(m, rest)) },
	"clock": func(m *movie, rest string) { m.setTheClock(rest) },

	// The user. "spec JSON" is merged into the spec before the application is first seen, "edit WHAT JSON" later.
	"spec": func(m *movie, rest string) { merge(m, &m.app.Spec, rest) },
	"label": func(m *movie, rest string) {
		key, value, _ := strings.Cut(rest, "=")
		m.app.Labels = map[string]string{key: value}
	},
	"edit":    func(m *movie, rest string) { m.editSpec(rest) },
	"force":   func(m *movie, rest string) { m.force(rest) },
	"delete":  func(m *movie, _ string) { m.remove() },
	"mistake": func(m *movie, rest string) { m.mistake = rest },
	"missing": func(m *movie, rest string) { m.missing = rest },
	"inputs":  func(m *movie, rest string) { m.inputs = rest },

	// The gate.
	"gate":        func(m *movie, rest string) { m.room = stateNamed(m, rest) },
	"driver-only": func(m *movie, _ string) { m.alone = true },
	"gate-type":   func(m *movie, rest string) { m.gate = rest },
	"elastic": func(m *movie, rest string) {
		count, why, _ := strings.Cut(rest, " ")
		m.elastic, m.crowded = int32(number(m, count)), why
	},
	"evict":           func(m *movie, rest string) { reason, message, _ := strings.Cut(rest, " "); m.wants(reason, message) },
	"keep":            func(m *movie, _ string) { m.wanted = nil },
	"queue":           func(m *movie, rest string) { m.drained = rest == "drained" },
	"namespace":       func(m *movie, rest string) { m.closed = rest == "refused" },
	"preempting":      func(m *movie, _ string) { m.displacing = true },
	"bound":           func(m *movie, rest string) { m.bound = duration(m, rest) },
	"grant":           func(m *movie, rest string) { merge(m, m.app.Status.Grant, rest) },
	"grant-of-inputs": func(m *movie, rest string) { m.granted, m.grantedInputs = &Start{Run: 1, Attempt: 1}, rest },

	// The kubelet, Spark and nodes. "pod NAME JSON" is merged into a pod.
	"runs":                func(m *movie, _ string) { m.runs() },
	"runs-with-executors": func(m *movie, _ string) { m.runsWithExecutors() },
	"executor": func(m *movie, rest string) {
		name, phase, _ := strings.Cut(rest, " ")
		m.executor(name, phase == "running")
	},
	"exits": func(m *movie, rest string) {
		code, reason, _ := strings.Cut(rest, " ")
		m.exits(int32(number(m, code)), reason)
	},
	"fails":               func(m *movie, _ string) { m.fails() },
	"ends-with-executors": func(m *movie, rest string) { m.endsWithExecutors(int32(number(m, rest))) },
	"ended":               func(m *movie, rest string) { m.ended(rest) },
	"pod":                 func(m *movie, rest string) { m.changePod(rest) },
	"warning":             func(m *movie, rest string) { m.warning = rest },
	"busy":                func(m *movie, rest string) { m.jobs = rest == "now" },
	"job-ends":            func(m *movie, _ string) { m.jobs, m.busy = false, m.now },
	"uses": func(m *movie, rest string) {
		name, cores, _ := strings.Cut(rest, " ")
		if m.used == nil {
			m.used = map[string]int32{}
		}
		m.used[name] = int32(number(m, cores))
	},
	"programs":      func(m *movie, rest string) { m.clusterCores, m.waits = int64(number(m, rest)), false },
	"program-waits": func(m *movie, _ string) { m.waits = true },
	"cluster-lost":  func(m *movie, rest string) { m.clusterLost = rest },
	"no-worker":     func(m *movie, rest string) { m.noWorker = rest },
	"away":          func(m *movie, rest string) { m.away = map[string]bool{rest: true} },
	"silent":        func(m *movie, rest string) { m.silent = rest },
	"questions":     func(m *movie, _ string) { m.logf("the driver was asked %d times", m.questions) },
	"log-says":      func(m *movie, rest string) { m.logCause = rest },
	"vanish":        func(m *movie, rest string) { delete(m.pods, rest) },
	"unreachable":   func(m *movie, rest string) { m.setUnreachable(rest) },
	"watch":         func(m *movie, _ string) { m.lagging = map[string]*pods.Record{} },

	// Others.
	"say":           func(m *movie, rest string) { m.logf("%s", rest) },
	"name-taken":    func(m *movie, _ string) { m.taken() },
	"foreign-pod":   func(m *movie, rest string) { m.foreignPod(rest) },
	"create-driver": func(m *movie, _ string) { m.createDriver() },
	"rejects":       func(m *movie, rest string) { m.rejection = rest },
	"relabel": func(m *movie, rest string) {
		m.logf("user: changes the labels of %s", rest)
		m.stray[m.pods[rest].UID] = true
	},
	"empty-status": func(m *movie, _ string) {
		m.logf("an administrator empties the status")
		m.app.Status = v1alpha1.SparkApplicationStatus{ObservedGeneration: -1}
		clear(m.created) // runs are counted from 1 again
	},
	"stray-driver": func(m *movie, rest string) { m.noGrant = rest == "expected" },
	"evict-pod": func(m *movie, rest string) {
		name, grace, _ := strings.Cut(rest, " ")
		m.evicted(name, duration(m, grace))
	},
	"delete-slowly": func(m *movie, rest string) { m.endless(rest) },

	// What the status says.
	"queued-since": func(m *movie, _ string) { m.logf("in line since %s", m.app.Status.Times.Queued.Sub(epoch)) },
	"run-duration": func(m *movie, _ string) { m.logf("the attempts ran for %s", m.app.Status.RunDuration.Duration) },
	"objects": func(m *movie, _ string) {
		m.logf("%d attempts have objects", len(m.objects))
	},
	"condition": func(m *movie, rest string) {
		said := "not there"
		if c := apimeta.FindStatusCondition(m.app.Status.Conditions, rest); c != nil {
			said = string(c.Status) + ": " + c.Message
		}
		m.logf("condition %s is %s", rest, said)
	},
	"executors": func(m *movie, _ string) { m.logf("the status has executors: %t", m.app.Status.Executors != nil) },
	"same-start": func(m *movie, _ string) {
		m.logf("the start is written again: %t", !m.started.Equal(m.app.Status.Times.DriverStarted.Time))
	},
}

func (m *movie) setTheClock(by string) {
	if started := m.app.Status.Times.DriverStarted; started != nil {
		m.started = started.Time
	}
	m.setClock(duration(m, by))
}

// editSpec reads a command such as: suspends it {"suspend": true}
func (m *movie) editSpec(rest string) {
	what, patch, _ := strings.Cut(rest, " {")
	m.edit(what, func(a *v1alpha1.SparkApplication) { merge(m, &a.Spec, "{"+patch) })
}

func (m *movie) force(token string) {
	m.logf("user: forces run with token %s", token)
	m.app.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": token, "reconcile.fluxcd.io/forceAt": token}
}

// changePod merges into a pod: "pi-exec-1 {"Running": false}".
func (m *movie) changePod(rest string) {
	name, patch, _ := strings.Cut(rest, " ")
	m.change(name, func(p *pods.Record) {
		origin := *p.Origin
		p.Origin = &origin
		merge(m, p, patch)
	})
}

// setUnreachable makes a node not answer; an empty name lets all answer.
func (m *movie) setUnreachable(node string) {
	if m.unreachable = nil; node != "" {
		m.unreachable = map[string]bool{node: true}
	}
}

// foreignPod creates a pod of another owner, which has ended.
func (m *movie) foreignPod(name string) {
	m.pods[name] = &pods.Record{Origin: &pods.Origin{Namespace: "default"}, Name: name, Trouble: &pods.Trouble{}, UID: "foreign", Role: pods.Other, Phase: corev1.PodSucceeded}
}

// merge applies a JSON merge patch to an object.
func merge[T any](m *movie, object *T, patch string) {
	m.t.Helper()
	before, err := json.Marshal(object)
	if err != nil {
		m.t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, []byte(patch))
	if err != nil {
		m.t.Fatalf("%s: %v", patch, err)
	}
	var merged T
	if err := json.Unmarshal(after, &merged); err != nil {
		m.t.Fatalf("%s: %v", patch, err)
	}
	*object = merged
}

func stateNamed(m *movie, name string) queueing.State {
	for _, s := range []queueing.State{queueing.Undecided, queueing.Waiting, queueing.Granted, queueing.Refused} {
		if s.String() == name {
			return s
		}
	}
	m.t.Fatalf("%q is not the state of an ask", name)
	return 0
}

func duration(m *movie, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		m.t.Fatal(err)
	}
	return d
}

func number(m *movie, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}
