// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

func restartWithNothing(p *play) {
	p.quota(1)
	p.restartOperator()
	p.granted(p.ask("pi"))
}

func restartWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	p.restartOperator()
	p.waits(ask, "")
	p.quota(1)
	p.granted(ask)
}

func restartBeforeGrantIsWritten(p *play) {
	p.quota(1)
	ask := p.ask("pi")
	before := p.reaches(ask, queueing.Granted)
	p.restartOperator()
	after := p.reaches(ask, queueing.Granted)
	after.Grant.Epoch = before.Grant.Epoch // of another leader
	if diff := cmp.Diff(before, after); diff != "" {
		p.Errorf("the grant is another one after the restart (-before +after):\n%s", diff)
	}
	p.take(ask, after)
	p.release(ask.Key)
}

func restartWhileHolding(p *play) {
	p.quota(1)
	holder, other := p.ask("holder"), p.ask("other")
	p.granted(holder)
	p.restartOperator()
	p.waits(other, "")
	p.reaches(next(holder), queueing.Evicting)
	p.restartOperator()
	p.release(holder.Key)
	p.granted(other)
}

func restartAfterRelease(p *play) {
	p.quota(1)
	first, second := p.ask("first"), p.ask("second")
	p.granted(first)
	p.release(first.Key)
	p.restartOperator()
	p.granted(second)
}

// restartBeforeRelease covers an operator that ended after the status said that nothing is held, but before it could
// release the grant.
func restartBeforeRelease(p *play) {
	p.quota(1)
	first, second := p.ask("first"), p.ask("second")
	p.granted(first)
	delete(p.held, first.Key)
	delete(p.asked, first.Key)
	p.restartOperator()
	p.release(first.Key)
	p.granted(second)
}

func quotaComesMeanwhile(p *play) {
	p.quota(1)
	first, second := p.ask("first"), p.ask("second")
	p.granted(first)
	p.waits(second, "")
	p.release(first.Key)
	p.restartOperator()
	p.granted(second)
}

func otherRestartsWhileWaiting(p *play) {
	p.quota(0)
	ask := p.ask("pi")
	p.waits(ask, "")
	p.Restart(p.T)
	p.waits(ask, "")
	p.quota(1)
	p.granted(ask)
}

func otherRestartsWhileHolding(p *play) {
	p.quota(1)
	holder, other := p.ask("holder"), p.ask("other")
	p.granted(holder)
	p.waits(other, "")
	p.Restart(p.T)
	p.waits(other, "")
	p.reaches(next(holder), queueing.Evicting)
	p.release(holder.Key)
	p.granted(other)
}
