// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/sparkgate/sparkgate/queueing"
)

// answerTimeout is how long a gate may take to answer: much longer than any gate takes.
const answerTimeout = 90 * time.Second

// play is the run of one case: its askers, and the operator whose gate they ask.
type play struct {
	*testing.T
	System
	gate queueing.Gate
	// held holds the grants in the status of askers, asked the keys that have asked.
	held  map[queueing.Key]queueing.Grant
	asked map[queueing.Key]bool
	// asks counts the asks of the play.
	asks int

	mu    sync.Mutex
	wakes map[queueing.Key]chan struct{}
}

func begin(t *testing.T, s System) *play {
	p := &play{T: t, System: s, held: map[queueing.Key]queueing.Grant{}, asked: map[queueing.Key]bool{}, wakes: map[queueing.Key]chan struct{}{}}
	p.restartOperator()
	t.Cleanup(func() {
		for key := range p.asked {
			if err := p.gate.Release(context.WithoutCancel(t.Context()), key, queueing.Release{}); err != nil { // t's context has ended
				t.Errorf("release at the end: %v", err)
			}
		}
	})
	return p
}

// quota sets the quota to this many gangs, if the system has quotas.
func (p *play) quota(gangs int) {
	p.Helper()
	if p.SetQuota != nil {
		p.SetQuota(p.T, gangs)
	}
}

// restartOperator replaces the operator. The new one knows only what is in the cluster and in the status of askers.
func (p *play) restartOperator() {
	p.Helper()
	past := Past{Waker: waker{p}, Held: maps.Clone(p.held)}
	for key := range p.asked {
		if _, holds := p.held[key]; !holds {
			past.Waiting = append(past.Waiting, key)
		}
	}
	p.gate = p.Start(p.T, past)
}

// waker wakes the askers of a play.
type waker struct{ p *play }

// Wake implements queueing.Waker.
func (w waker) Wake(key queueing.Key) {
	select {
	case w.p.woken(key) <- struct{}{}:
	default:
	}
}

// WakeAfter implements queueing.Waker.
func (w waker) WakeAfter(key queueing.Key, after time.Duration) {
	time.AfterFunc(after, func() { w.Wake(key) })
}

// woken returns a channel that receives when the asker with this kind and name is woken.
func (p *play) woken(key queueing.Key) chan struct{} {
	name := key.Named()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wakes[name] == nil {
		p.wakes[name] = make(chan struct{}, 1)
	}
	return p.wakes[name]
}

// sync asks once.
func (p *play) sync(ask queueing.Ask) queueing.Verdict {
	p.Helper()
	p.asked[ask.Key] = true
	verdict, err := p.gate.Sync(p.Context(), ask)
	if err != nil {
		p.Fatalf("ask for %s: %v", ask, err)
	}
	return verdict
}

// until asks now and whenever the gate wakes the asker, until the verdict is the wanted one.
func (p *play) until(ask queueing.Ask, what string, wanted func(queueing.Verdict) bool) queueing.Verdict {
	p.Helper()
	deadline := time.After(answerTimeout)
	woken := p.woken(ask.Key)
	for {
		verdict := p.sync(ask)
		if wanted(verdict) {
			p.sound(ask, verdict)
			return verdict
		}
		select {
		case <-woken:
		case <-deadline:
			p.Fatalf("%s is not %s; the last verdict, after which it was not woken: %s %s %q", ask, what, verdict.State, verdict.Reason, verdict.Message)
		}
	}
}

func (p *play) reaches(ask queueing.Ask, state queueing.State) queueing.Verdict {
	p.Helper()
	return p.until(ask, state.String(), func(v queueing.Verdict) bool { return v.State == state })
}

// waits waits for the verdict Waiting, with the given reason unless it is empty.
func (p *play) waits(ask queueing.Ask, reason string) queueing.Verdict {
	p.Helper()
	return p.until(ask, "Waiting "+reason, func(v queueing.Verdict) bool {
		return v.State == queueing.Waiting && (reason == "" || v.Reason == reason)
	})
}

// waitReasons are the reasons of a condition Admitted=False that a gate may return (ReferenceNotFound becomes a stage).
var waitReasons = []string{
	queueing.ReasonWaitingForQuota, queueing.ReasonQueueHeld, queueing.ReasonNamespaceNotAllowed, queueing.ReasonExceedsQuota,
	queueing.ReasonMaxRunning, queueing.ReasonFlavorMismatch, queueing.ReasonGateNotInstalled, queueing.ReasonWaitingForGate,
	queueing.ReasonReferenceNotFound,
}

// sound checks what must hold for every verdict.
func (p *play) sound(ask queueing.Ask, v queueing.Verdict) {
	p.Helper()
	switch v.State {
	case queueing.Granted:
		p.soundGrant(ask, v)
	case queueing.Waiting, queueing.Refused:
		if !slices.Contains(waitReasons, v.Reason) {
			p.Errorf("reason %q is none of those that there are", v.Reason)
		}
		if v.Message == "" {
			p.Errorf("%s/%s says nothing for people", v.State, v.Reason)
		}
		if word := foreignWord.FindString(v.Message); ask.Key.Kind == otherKind && word != "" {
			p.Errorf("the message names a %s to an asker that has none: %s", word, v.Message)
		}
		if v.Grant != nil {
			p.Errorf("%s comes with a grant: %+v", v.State, v.Grant)
		}
		if again := p.sync(ask); again.State == v.State && again.Message != v.Message && again.Reason == v.Reason {
			p.Errorf("the message ticks:\n%s\n%s", v.Message, again.Message)
		}
	case queueing.Undecided, queueing.Evicting:
	}
}

func (p *play) soundGrant(ask queueing.Ask, v queueing.Verdict) {
	p.Helper()
	g := v.Grant
	if g == nil {
		p.Fatal("granted without a grant")
	}
	if g.Run != ask.Run || g.Attempt != ask.Attempt || g.Gate != p.Name {
		p.Errorf("the grant is of gate %s for run %d attempt %d, asked was gate %s for %s", g.Gate, g.Run, g.Attempt, p.Name, ask)
	}
	if g.Inputs != ask.Inputs {
		p.Errorf("the grant is for the inputs %q, asked was for %q", g.Inputs, ask.Inputs)
	}
	if v.Reason != "" && v.Reason != queueing.ReasonDelegatedToScheduler {
		p.Errorf("granted for reason %q", v.Reason)
	}
	for _, wanted := range ask.PodSets {
		p.soundPodSet(wanted, g)
	}
}

func (p *play) soundPodSet(wanted queueing.PodSet, g *queueing.Grant) {
	p.Helper()
	granted := slices.IndexFunc(g.PodSets, func(s queueing.PodSetGrant) bool { return s.Name == wanted.Name })
	if granted < 0 {
		if wanted.Count > 0 {
			p.Errorf("pod set %s is not in the grant", wanted.Name)
		}
		return
	}
	got := g.PodSets[granted]
	if got.Count < wanted.Least() || got.Count > wanted.Count {
		p.Errorf("%d pods of %s granted, asked were %d to %d", got.Count, wanted.Name, wanted.Least(), wanted.Count)
	}
	if diff := cmp.Diff(wanted.Requests, got.Requests); diff != "" {
		p.Errorf("requests of %s (-asked +granted):\n%s", wanted.Name, diff)
	}
}

// take writes the grant into the asker's status and confirms it.
func (p *play) take(ask queueing.Ask, v queueing.Verdict) {
	p.Helper()
	p.held[ask.Key] = *v.Grant
	p.gate.Persisted(p.Context(), ask.Key, *v.Grant)
}

// granted asks until there is a grant, and takes it.
func (p *play) granted(ask queueing.Ask) {
	p.Helper()
	p.take(ask, p.reaches(ask, queueing.Granted))
}

// release releases what the asker holds or asks for.
func (p *play) release(key queueing.Key) {
	p.Helper()
	delete(p.held, key)
	delete(p.asked, key)
	if err := p.gate.Release(p.Context(), key, queueing.Release{}); err != nil {
		p.Fatalf("release: %v", err)
	}
}

// settles waits for a condition about which no asker is woken.
func (p *play) settles(what string, is func() bool) {
	p.Helper()
	err := wait.PollUntilContextTimeout(p.Context(), 20*time.Millisecond, answerTimeout, true, func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		p.Fatalf("not %s: %v", what, err)
	}
}
