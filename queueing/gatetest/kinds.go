// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// A kind of asker that no gate can know, and the names of its pod sets.
const (
	otherKind   = "Test"
	leadSet     = "head"
	elasticSet  = "tail"
	elasticPods = 1
)

// foreignWord matches words that only hold for applications.
var foreignWord = regexp.MustCompile(`(?i)driver|executor|application`)

// ask returns the ask of a new asker: the first, third, … one in a play is of otherKind, the others are applications.
func (p *play) ask(name string) queueing.Ask {
	ask := p.Ask(p.T, name)
	if p.asks++; p.asks%2 == 1 {
		ask = ofOtherKind(ask)
	}
	return ask
}

// ofOtherKind returns an ask with the same needs of an asker that has neither the labels nor the pod sets of an
// application.
func ofOtherKind(ask queueing.Ask) queueing.Ask {
	ask.Key.Kind, ask.Objects.Owner.Kind = otherKind, otherKind
	ask.Objects.Labels = maps.Clone(ask.Objects.Labels)
	delete(ask.Objects.Labels, v1alpha1.ApplicationLabel)
	delete(ask.Objects.Labels, v1alpha1.ApplicationUIDLabel)
	ask.PodSets, ask.Lead = slices.Clone(ask.PodSets), leadSet
	templates := map[string]*corev1.PodTemplateSpec{}
	for i, name := range []string{leadSet, elasticSet} {
		templates[name] = ask.Objects.Templates[ask.PodSets[i].Name]
		templates[name].Labels, templates[name].Spec.Containers[0].Name = nil, name
		ask.PodSets[i].Name = name
	}
	ask.Objects.Templates = templates
	return ask
}

// growsAndShrinks checks that a grant gets pods above its base gang, keeps them over a restart, and gives them back.
func growsAndShrinks(p *play) {
	if !p.gate.Capabilities().Resizes {
		p.Logf("PASSED OVER: grants of gate %s keep their size", p.Name)
		return
	}
	p.quota(2)
	holder, other := p.ask("holder"), p.ask("other")
	holder.Elastic = holder.PodSets[1].Name
	p.granted(holder)
	want := queueing.ResizeRequest{PodSet: holder.Elastic, Count: elasticPods}
	p.wokenUntil(holder, "larger", func() bool { return p.resize(holder, want) == elasticPods })
	p.waits(other, "")
	p.restartOperator()
	p.waits(other, "")
	p.settles("larger after the restart", func() bool { return p.resize(holder, want) == elasticPods })

	want.Count = 0
	p.settles("smaller, and the other granted", func() bool {
		held := p.held[holder.Key]
		held.PodSets = slices.DeleteFunc(slices.Clone(held.PodSets), func(s queueing.PodSetGrant) bool { return s.Elastic })
		p.held[holder.Key] = held
		p.resize(holder, want)
		return p.sync(other).State == queueing.Granted
	})
}

// resize asks for pods above the base gang, stores what is allocated, and returns how many of them the grant has.
func (p *play) resize(ask queueing.Ask, want queueing.ResizeRequest) int32 {
	p.Helper()
	allocation := p.gate.(queueing.Resizer).Resize(p.Context(), ask.Key, p.held[ask.Key], want)
	if word := foreignWord.FindString(allocation.Why); word != "" {
		p.Errorf("the message names a %s: %s", word, allocation.Why)
	}
	if allocation.Grant != nil && want.Count > 0 {
		p.held[ask.Key] = *allocation.Grant
	}
	p.gate.Persisted(p.Context(), ask.Key, p.held[ask.Key])
	var n int32
	for _, set := range p.held[ask.Key].PodSets {
		if set.Elastic {
			n += set.Count
			if set.Name != ask.Elastic {
				p.Errorf("%d pods of %s above the base gang, asked were some of %s", set.Count, set.Name, ask.Elastic)
			}
		}
	}
	return n
}

// sameName checks that askers of two kinds with the same namespace and name are told apart.
func sameName(p *play) {
	p.quota(2)
	first, second := p.ask("pi"), p.ask("pi")
	second.Key.Name, second.Objects.Owner.Name = first.Key.Name, first.Key.Name
	p.granted(first)
	p.granted(second)
	p.release(first.Key)
	if lister, ok := p.gate.(queueing.KeyLister); ok {
		p.settles("the only one known", func() bool { return len(keysFor(lister, first.Key)) == 0 })
		if keys := keysFor(lister, second.Key); !slices.Equal(keys, []queueing.Key{second.Key}) {
			p.Errorf("%v ask or hold something, want %v", keys, second.Key)
		}
	}
	if v := p.sync(second); v.State != queueing.Granted {
		p.Errorf("the grant of %s is %s after the release of %s", second.Key, v.State, first.Key)
	}
}

// explains checks that the explanation of a pending ask names its own pod sets, and those of no other kind.
func explains(p *play) {
	p.quota(1)
	first, second := p.ask("first"), p.ask("second")
	p.granted(second)
	p.waits(first, "")
	text := p.Explain(p.T, first.Key)
	if word := foreignWord.FindString(text); word != "" || !strings.Contains(text, leadSet) || !strings.Contains(text, elasticSet) {
		p.Errorf("the explanation names a %q, or not both pod sets: %s", word, text)
	}
}
