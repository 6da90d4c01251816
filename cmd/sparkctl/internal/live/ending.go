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

// Outcome is the outcome of an application so far.
type Outcome int

// Outcomes.
const (
	Open Outcome = iota
	Succeeded
	Failed
	// Deleted means that the application was deleted before it ended.
	Deleted
)

// Ending is an observer that forwards to another one, and reports when all applications that it has seen have ended. An
// application that ended and was then deleted still counts with its outcome. It is not safe for concurrent use.
type Ending struct {
	To observer
	// Judge returns the outcome of an application, and false if the application is not wanted.
	Judge func(*v1alpha1.SparkApplication) (Outcome, bool)
	// Over is called when no application is open. It may be called several times.
	Over func()

	judged map[types.UID]judgement
	// open is the number of open applications.
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

// delete records that an application is gone.
func (e *Ending) delete(uid types.UID) {
	if is := e.judged[uid]; is.outcome == Open && is.name != "" {
		e.put(uid, judgement{is.name, Deleted}, true)
	}
}

// put records the outcome of an application, or drops an application that is not wanted.
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

// look calls Over if no application is open.
func (e *Ending) look() {
	if e.open == 0 {
		e.Over()
	}
}

// Seen returns the number of applications seen so far, including deleted ones.
func (e *Ending) Seen() int { return len(e.judged) }

// Names returns the names of the applications with an outcome, sorted.
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
