// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// observer is a client.Observer of applications.
type observer interface {
	Replace(all []v1alpha1.SparkApplication)
	Change(app *v1alpha1.SparkApplication, deleted bool)
	Lost(why error)
}

// Outcome is how an application stands.
type Outcome int

// Outcomes.
const (
	Open Outcome = iota
	Succeeded
	Failed
)

// Ending passes on what a watch sees, and says when all that it sees has ended. It is for one goroutine.
type Ending struct {
	To observer
	// Judge returns how an application stands, and false for one that is not wanted.
	Judge func(*v1alpha1.SparkApplication) (Outcome, bool)
	// Over is called once nothing is open, and may be called again.
	Over func()

	known map[types.UID]known
}

type known struct {
	name    string
	outcome Outcome
}

// Replace implements client.Observer.
func (e *Ending) Replace(all []v1alpha1.SparkApplication) {
	e.To.Replace(all)
	e.known = map[types.UID]known{}
	for i := range all {
		e.judge(&all[i])
	}
	e.look()
}

// Change implements client.Observer.
func (e *Ending) Change(app *v1alpha1.SparkApplication, deleted bool) {
	e.To.Change(app, deleted)
	if delete(e.known, app.UID); !deleted {
		e.judge(app)
	}
	e.look()
}

// Lost implements client.Observer.
func (e *Ending) Lost(why error) { e.To.Lost(why) }

func (e *Ending) judge(app *v1alpha1.SparkApplication) {
	if outcome, wanted := e.Judge(app); wanted {
		e.known[app.UID] = known{app.Namespace + "/" + app.Name, outcome}
	}
}

func (e *Ending) look() {
	if len(e.Names(Open)) == 0 {
		e.Over()
	}
}

// Seen returns how many applications there are.
func (e *Ending) Seen() int { return len(e.known) }

// Names returns those that stand so, in order.
func (e *Ending) Names(outcome Outcome) []string {
	var names []string
	for k := range maps.Values(e.known) {
		if k.outcome == outcome {
			names = append(names, k.name)
		}
	}
	slices.Sort(names)
	return names
}
