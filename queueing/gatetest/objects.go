// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

func objectsGo(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	p.granted(ask)
	if !p.Exists(p.T, ask) {
		p.Fatal("nothing was made for the ask")
	}
	p.release(ask.Key)
	p.settles("gone with the release", func() bool { return !p.Exists(p.T, ask) })
}

func deletedWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	p.Delete(p.T, ask)
	p.until(ask, "asking again", func(queueing.Verdict) bool { return p.Exists(p.T, ask) })
	p.quota(1)
	p.granted(ask)
}

func deletedWhileHolding(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	p.granted(ask)
	p.Delete(p.T, ask)
	p.kept(ask)
}

func deletedMeanwhile(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	p.granted(ask)
	p.Delete(p.T, ask)
	p.restartOperator()
	p.kept(ask)
}

// kept waits until a grant whose object was deleted is restored or reclaimed.
func (p *play) kept(ask queueing.Ask) {
	p.Helper()
	ensurer, ensures := p.gate.(queueing.ReservationEnsurer)
	evictor, evicts := p.gate.(queueing.Evictor)
	if !ensures && !evicts {
		p.Fatal("the gate can neither restore what stands for a grant nor ask the grant back")
	}
	p.wokenUntil(ask, "kept or asked back", func() bool {
		if ensures {
			if _, err := ensurer.EnsureReservation(p.Context(), ask); err != nil {
				p.Fatalf("keep: %v", err)
			}
			return p.Exists(p.T, ask)
		}
		return evictor.Eviction(ask.Key, ask.Run, ask.Attempt) != nil
	})
	p.release(ask.Key)
}

// wokenUntil checks a condition now and whenever the gate wakes the asker, until it holds.
func (p *play) wokenUntil(ask queueing.Ask, what string, is func() bool) {
	p.Helper()
	deadline := time.After(answerTimeout)
	for !is() {
		select {
		case <-p.woken(ask.Key):
		case <-deadline:
			p.Fatalf("%s is not %s", ask, what)
		}
	}
}

func nameIsTaken(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	p.Occupy(p.T, ask)
	v := p.waits(ask, queueing.ReasonWaitingForGate)
	if !strings.Contains(v.Message, ask.Objects.Name) {
		p.Errorf("the message does not name %s: %s", ask.Objects.Name, v.Message)
	}
	p.release(ask.Key)
	p.waits(ask, queueing.ReasonWaitingForGate)
	p.restartOperator()
	p.waits(ask, queueing.ReasonWaitingForGate)
	if !p.Occupied(p.T, ask) {
		p.Fatal("the object of another owner was changed or deleted")
	}
	p.Vacate(p.T, ask)
	p.granted(ask)
}

func kindsAreMissing(p *play) {
	p.Uninstall(p.T)
	p.restartOperator()
	ask := p.ask("pi")
	v := p.waits(ask, queueing.ReasonGateNotInstalled)
	if !strings.Contains(v.Message, p.Name) || !strings.Contains(strings.ToLower(v.Message), "install") {
		p.Errorf("the message does not say what to install: %s", v.Message)
	}
	p.release(ask.Key)
	p.waits(ask, queueing.ReasonGateNotInstalled)
	p.Install(p.T)
	p.quota(1)
	p.granted(ask)
}

func kindsGo(p *play) {
	p.quota(1)
	holder, other := p.ask("holder"), p.ask("other")
	p.granted(holder)
	p.waits(other, "")
	p.Uninstall(p.T)
	p.waits(other, queueing.ReasonGateNotInstalled)
	p.release(holder.Key)
	p.Install(p.T)
	p.quota(1)
	p.granted(other)
}
