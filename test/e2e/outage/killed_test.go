// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package outage

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// mayMiss are writes that not every life has. How often a queue publishes its numbers, which stages share a status
// write, and how many ledgers the operator has taken over before the trap is set all depend on timing. The first status
// holds the grant, the second may be the end; one write of a ledger records the grant.
var mayMiss = regexp.MustCompile(`sparkqueues/\*/status (#|\(ledger\) #[2-9])|sparkapplications/\*/status #[3-9]`)

// TestOperatorKilledBetweenWrites: an operator that is killed forgets everything, so what follows depends only on the
// cluster: the state after a write is the state before the next one. Killing the operator before every write and after
// the last one therefore covers all cases.
//
// The lives overlap: while one application has its operator killed, those before it continue with whatever operator
// there is, and are interrupted as well. Each is applied, succeeds, and is deleted.
func TestOperatorKilledBetweenWrites(t *testing.T) {
	s := env.NewTenant(t, 1)
	env.StopOperator(t)
	l := &lives{Namespace: s, t: t, proxy: startProxy(t), deleted: map[string]bool{}}
	writes := l.wholeLife()
	t.Logf("the writes of a life:\n%s", strings.Join(writes, "\n"))
	for n, write := range writes {
		if !l.killedAt(n, write, false) && !mayMiss.MatchString(write) {
			t.Errorf("%s did not come a second time: the lives are not alike", write)
		}
	}
	l.killedAt(len(writes)-1, writes[len(writes)-1], true)
	l.proxy.set(nil)
	startProcess(t, l.proxy.server.URL)
	for _, name := range l.names {
		l.awaitGone(name)
		l.check(name)
	}
}

// lives are the applications of the test.
type lives struct {
	*env.Namespace
	t     *testing.T
	proxy *proxy
	names []string
	// deleted are those that the user has deleted after their success.
	deleted map[string]bool
}

// wholeLife returns the writes of a life in which nothing is killed.
func (l *lives) wholeLife() []string {
	tr := l.begin("life-whole", "", false)
	l.awaitGone(tr.name)
	tr.kill()
	return l.proxy.seen(tr)
}

// killedAt starts a life, and kills the operator before or after one of its writes. It returns false if the life ended
// without that write.
func (l *lives) killedAt(n int, write string, after bool) bool {
	l.t.Helper()
	position := "before"
	if after {
		position = "after"
	}
	tr := l.begin(fmt.Sprintf("life-%02d-%s", n, position), write, after)
	for deadline := time.After(env.Patience); ; {
		l.deleteSucceeded()
		select {
		case <-tr.sprung:
			l.t.Logf("%s: killed %s %s", tr.name, position, write)
			return true
		case <-deadline:
			l.t.Fatalf("%s: neither killed nor over; writes:\n%s", tr.name, strings.Join(l.proxy.seen(tr), "\n"))
		case <-time.After(50 * time.Millisecond):
		}
		if l.deleted[tr.name] && l.Application(tr.name) == nil {
			tr.kill()
			l.t.Logf("%s: over without %s", tr.name, write)
			return false
		}
	}
}

// begin starts an operator and applies an application.
func (l *lives) begin(name, at string, after bool) *trap {
	l.t.Helper()
	operator := startProcess(l.t, l.proxy.server.URL)
	tr := &trap{name: name, at: at, after: after, kill: operator.kill, sprung: make(chan struct{})}
	l.proxy.set(tr)
	l.names = append(l.names, name)
	l.Apply(env.Queue(name, "1", "3Gi"), env.Pi(name, name, env.Brief()))
	return tr
}

// deleteSucceeded plays the user, who deletes every application once it has succeeded.
func (l *lives) deleteSucceeded() {
	l.t.Helper()
	for _, name := range l.names {
		if app := l.Application(name); app != nil && !l.deleted[name] && env.StageOf(app) == v1alpha1.SucceededReason {
			l.deleted[name] = true
			l.Kubectl("delete", "sgapp", name, "--wait=false")
		}
	}
}

func (l *lives) awaitGone(name string) {
	l.t.Helper()
	l.Await(name+" to succeed and go", func() error {
		l.deleteSucceeded()
		if app := l.Application(name); app != nil {
			return fmt.Errorf("it is %s", env.StageOf(app))
		}
		if !l.deleted[name] {
			return errors.New("it was not seen yet")
		}
		return nil
	})
}

// check checks that there was one driver and one attempt, that it succeeded, and that nothing is held.
func (l *lives) check(name string) {
	l.t.Helper()
	if drivers := l.Pods(name, v1alpha1.SparkRoleDriver); len(drivers) != 1 {
		l.t.Errorf("%s had %d drivers, want 1", name, len(drivers))
	}
	versions := l.Versions(name)
	last := versions[len(versions)-1]
	if last.Status.Run != 1 || last.Status.Attempt != 1 || !slices.Contains(l.Stages(name, env.First), v1alpha1.SucceededReason) {
		l.t.Errorf("%s ended in run %d, attempt %d, after the stages %v", name, last.Status.Run, last.Status.Attempt, l.Stages(name, env.First))
	}
	l.GivenBack(name)
}
