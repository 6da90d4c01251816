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
	// Deleted: it was deleted before it ended.
	Deleted
)

// Ending passes on what a watch sees, and says when all that it sees has ended. What has ended counts also once it is
// deleted. It is for one goroutine.
type Ending struct {
	To observer
	// Judge returns how an application stands, and false for one that is not wanted.
	Judge func(*v1alpha1.SparkApplication) (Outcome, bool)
	// Over is called once nothing is open, and may be called again.
	Over func()

	judged map[types.UID]judgement
	// open is how many of them are.
	open int
}

type judgement struct {
	name    string
	outcome Outcome
}

// Replace implements client.Observer.
func (e *Ending) Replace(all []v1alpha1.SparkApplication) {
	e.To.Replace(all)
	there := make(map[types.UID]bool, len(all))
	for i := range all {
		there[all[i].UID] = true
		e.judge(&all[i])
	}
	for uid := range e.judged {
		if !there[uid] {
			e.delete(uid)
		}
	}
	e.look()
}

// Change implements client.Observer.
func (e *Ending) Change(app *v1alpha1.SparkApplication, deleted bool) {
	e.To.Change(app, deleted)
	e.judge(app)
	if deleted {
		e.delete(app.UID)
	}
	e.look()
}

// Lost implements client.Observer.
func (e *Ending) Lost(why error) { e.To.Lost(why) }

func (e *Ending) judge(app *v1alpha1.SparkApplication) {
	outcome, wanted := e.Judge(app)
	e.put(app.UID, judgement{app.Namespace + "/" + app.Name, outcome}, wanted)
}

// delete notes that an application is gone.
func (e *Ending) delete(uid types.UID) {
	if is := e.judged[uid]; is.outcome == Open && is.name != "" {
		e.put(uid, judgement{is.name, Deleted}, true)
	}
}

func (e *Ending) put(uid types.UID, is judgement, wanted bool) {
	if before, known := e.judged[uid]; known && before.outcome == Open {
		e.open--
	}
	if !wanted {
		delete(e.judged, uid)
		return
	}
	if e.judged == nil {
		e.judged = map[types.UID]judgement{}
	}
	if e.judged[uid] = is; is.outcome == Open {
		e.open++
	}
}

func (e *Ending) look() {
	if e.open == 0 {
		e.Over()
	}
}

// Seen returns how many applications there are or were.
func (e *Ending) Seen() int { return len(e.judged) }

// Names returns those that stand so, in order.
func (e *Ending) Names(outcome Outcome) []string {
	var names []string
	for is := range maps.Values(e.judged) {
		if is.outcome == outcome {
			names = append(names, is.name)
		}
	}
	slices.Sort(names)
	return names
}
