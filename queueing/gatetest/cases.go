// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"maps"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

func asksAndIsGranted(p *play) {
	p.quota(2)
	ask := p.ask("pi")
	first := p.reaches(ask, queueing.Granted)
	if again := p.sync(ask); !cmp.Equal(first, again) {
		p.Errorf("the same ask has another verdict (-first +second):\n%s", cmp.Diff(first, again))
	}
	p.take(ask, first)
	if again := p.sync(ask); again.State != queueing.Granted {
		p.Errorf("a confirmed grant is %s", again.State)
	}
	p.release(ask.Key)
	p.release(ask.Key) // once more changes nothing
}

func releasesTheUnknown(p *play) {
	ask := p.ask("nobody")
	p.release(ask.Key)
	if lister, ok := p.gate.(queueing.KeyLister); ok && len(keysFor(lister, ask.Key)) > 0 {
		p.Errorf("it holds %v", keysFor(lister, ask.Key))
	}
}

func waitsForQuota(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	if lister, ok := p.gate.(queueing.KeyLister); ok {
		p.settles("known as one who asks", func() bool { return len(keysFor(lister, ask.Key)) == 1 })
	}
	p.quota(1)
	p.granted(ask)
}

func oneOfTwo(p *play) {
	p.quota(1)
	first, second := p.ask("first"), p.ask("second")
	p.granted(first)
	p.waits(second, "")
	p.release(first.Key)
	p.granted(second)
}

func refuses(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	p.Impossible(p.T, &ask)
	p.reaches(ask, queueing.Refused)
}

func namesTheMissingQueue(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	known := ask.Queue
	p.Lose(p.T, &ask)
	p.waits(ask, queueing.ReasonReferenceNotFound)
	ask.Queue = known
	p.granted(ask)
}

func changesWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	smaller := shrink(ask)
	p.waits(smaller, "")
	p.quota(1)
	v := p.reaches(smaller, queueing.Granted) // its pod sets are held against those of the smaller ask
	p.take(smaller, v)
}

// inputsChangeWhileHolding checks that quota granted for other inputs is not presented as granted for the current ones.
func inputsChangeWhileHolding(p *play) {
	p.quota(2)
	ask := p.ask("pi")
	p.granted(ask)
	other := ask
	other.Inputs += "b"
	if _, holds := p.gate.(queueing.KeyLister); holds {
		if v := p.sync(other); v.State == queueing.Granted && v.Grant.Inputs != ask.Inputs {
			p.Errorf("what was granted for %q is passed off as %q", ask.Inputs, v.Grant.Inputs)
		}
	}
	p.release(ask.Key)
	p.granted(other)
}

// queueChangesWhileHolding checks that quota of one queue is not presented as quota of another one.
func queueChangesWhileHolding(p *play) {
	p.quota(2)
	ask := p.ask("pi")
	p.granted(ask)
	other := ask
	p.Lose(p.T, &other)
	other.Objects.Labels = maps.Clone(ask.Objects.Labels)
	other.Objects.Labels[v1alpha1.QueueLabel] = other.Queue
	if v := p.sync(other); v.State == queueing.Granted && v.Grant.Queue != ask.Queue {
		p.Errorf("what was granted in queue %s is passed off as granted in queue %s", ask.Queue, v.Grant.Queue)
	}
	p.release(ask.Key)
	p.waits(other, queueing.ReasonReferenceNotFound)
}

func inputsChangeWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	ask.Inputs += "b"
	p.waits(ask, "")
	p.quota(1)
	p.granted(ask)
}

// shrink returns the same ask with one executor less.
func shrink(ask queueing.Ask) queueing.Ask {
	smaller := ask
	smaller.PodSets = append([]queueing.PodSet(nil), ask.PodSets...)
	smaller.PodSets[len(smaller.PodSets)-1].Count--
	return smaller
}

// next returns the ask of the next attempt.
func next(ask queueing.Ask) queueing.Ask {
	ask.Attempt++
	ask.Objects.Name += "b"
	return ask
}

func anotherAttemptWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	p.waits(next(ask), "")
	p.quota(1)
	p.granted(next(ask))
	if p.Exists != nil {
		p.settles("rid of what the attempt before asked for", func() bool { return !p.Exists(p.T, ask) })
	}
}

func anotherAttemptWhileHolding(p *play) {
	p.quota(2)
	ask := p.ask("pi")
	p.granted(ask)
	p.reaches(next(ask), queueing.Evicting)
	p.release(ask.Key)
	p.granted(next(ask))
}

func leavesTheQueue(p *play) {
	p.quota(1)
	first, second, third := p.ask("first"), p.ask("second"), p.ask("third")
	p.granted(first)
	p.waits(second, "")
	p.release(second.Key)
	p.release(first.Key)
	p.granted(third)
}

func evicts(p *play) {
	evictor, ok := p.gate.(queueing.Evictor)
	if !ok {
		p.Fatal("the gate is no Evictor")
	}
	p.quota(1)
	ask := p.ask("pi")
	p.granted(ask)
	if e := evictor.Eviction(ask.Key, ask.Run, ask.Attempt); e != nil {
		p.Fatalf("asked back at once: %+v", e)
	}
	p.Evict(p.T, ask)
	e := p.eviction(evictor, ask)
	if e.Message == "" || e.Reason != queueing.ReasonPreempted && e.Reason != queueing.ReasonQueueHeld {
		p.Errorf("eviction %+v", e)
	}
	p.release(ask.Key)
	if e := evictor.Eviction(ask.Key, ask.Run, ask.Attempt); e != nil {
		p.Errorf("still asked back after the release: %+v", e)
	}
	p.reaches(next(ask), queueing.Waiting)
}

// eviction waits until the gate reclaims a grant.
func (p *play) eviction(evictor queueing.Evictor, ask queueing.Ask) *queueing.Eviction {
	p.Helper()
	var e *queueing.Eviction
	p.wokenUntil(ask, "asked back", func() bool {
		e = evictor.Eviction(ask.Key, ask.Run, ask.Attempt)
		return e != nil
	})
	return e
}

// keysFor returns the keys that a gate has for the name of a key.
func keysFor(lister queueing.KeyLister, key queueing.Key) []queueing.Key {
	return lister.KeysFor(key.Kind, key.Namespace, key.Name)
}
