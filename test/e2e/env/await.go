// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Attempt identifies an attempt of an application.
type Attempt struct{ Run, Attempt int64 }

// First is the first attempt of the first run.
var First = Attempt{1, 1}

// lookInterval is the interval at which objects that are not watched are read.
const lookInterval = 500 * time.Millisecond

// hopeless is an error that waiting does not change.
type hopeless struct{ error }

// Await waits until check returns nil. It calls check whenever an object of the namespace changes, and in between, so
// that check may also look at other objects. It fails the test if nothing in the namespace has changed for Patience.
func (s *Namespace) Await(what string, check func() error) {
	s.t.Helper()
	for deadline := time.After(Patience); ; {
		changed, broken := s.history.next()
		err := check()
		if err == nil {
			return
		}
		var never hopeless
		switch {
		case errors.As(err, &never):
			s.t.Fatalf("waiting for %s: %v", what, err)
		case broken != nil:
			s.t.Fatalf("waiting for %s: the record broke off: %v", what, broken)
		}
		select {
		case <-changed:
			deadline = time.After(Patience)
		case <-time.After(lookInterval):
		case <-deadline:
			s.t.Fatalf("waiting for %s: %v", what, err)
		case <-s.t.Context().Done():
			s.t.Fatalf("waiting for %s: the test was ended: %v", what, err)
		}
	}
}

// Versions returns all versions of an application, in order, including those of earlier objects of the same name.
func (s *Namespace) Versions(name string) []*v1alpha1.SparkApplication {
	var versions []*v1alpha1.SparkApplication
	for _, e := range eventsOf(s.history, &s.history.apps, name) {
		versions = append(versions, e.Object)
	}
	return versions
}

// Application returns the current version of an application; nil if it does not exist.
func (s *Namespace) Application(name string) *v1alpha1.SparkApplication {
	events := eventsOf(s.history, &s.history.apps, name)
	if len(events) == 0 || events[len(events)-1].Gone {
		return nil
	}
	return events[len(events)-1].Object
}

// Reaches waits until an attempt of an application has been in a stage, even if it has left it again, and returns that
// version. It fails the test if the application stalls in another stage.
func (s *Namespace) Reaches(name string, attempt Attempt, stage string) *v1alpha1.SparkApplication {
	s.t.Helper()
	var found *v1alpha1.SparkApplication
	s.Await(fmt.Sprintf("%s to reach %s in run %d, attempt %d", name, stage, attempt.Run, attempt.Attempt), func() error {
		for _, app := range s.Versions(name) {
			if StageOf(app) == stage && (Attempt{app.Status.Run, app.Status.Attempt}) == attempt {
				found = app
				return nil
			}
		}
		return s.notYet(name)
	})
	return found
}

// Becomes is Reaches for any run: it waits until an application is in a stage, with a status for the current spec.
func (s *Namespace) Becomes(name, stage string) *v1alpha1.SparkApplication {
	s.t.Helper()
	return s.Shows(name, stage, func(app *v1alpha1.SparkApplication) error {
		if StageOf(app) == stage && app.Status.ObservedGeneration == app.Generation {
			return nil
		}
		return s.notYet(name)
	})
}

// Shows waits until check returns nil for an application, and returns that version. The application may not exist yet.
func (s *Namespace) Shows(name, what string, check func(*v1alpha1.SparkApplication) error) *v1alpha1.SparkApplication {
	s.t.Helper()
	var app *v1alpha1.SparkApplication
	s.Await(name+" to be "+what, func() error {
		if app = s.Application(name); app == nil {
			return fmt.Errorf("%s does not exist", name)
		}
		return check(app)
	})
	return app
}

// notYet returns an error that describes an application. The error is hopeless if the application stalls.
func (s *Namespace) notYet(name string) error {
	app := s.Application(name)
	if app == nil {
		return fmt.Errorf("%s does not exist", name)
	}
	err := fmt.Errorf("it is in run %d, attempt %d, stage %s: %s", app.Status.Run, app.Status.Attempt, StageOf(app), Condition(app, v1alpha1.ReadyCondition).Message)
	if Condition(app, v1alpha1.StalledCondition).Status == metav1.ConditionTrue && app.Status.ObservedGeneration == app.Generation && app.Status.Times.Finished != nil {
		return hopeless{err}
	}
	return err
}

// Gone waits until an application no longer exists.
func (s *Namespace) Gone(name string) {
	s.t.Helper()
	s.Await(name+" to be gone", func() error {
		if s.Application(name) == nil {
			return nil
		}
		return s.notYet(name)
	})
}

// Pod is the last version of a pod; Gone reports whether it no longer exists.
type Pod struct {
	*corev1.Pod
	Gone bool
}

// Pods returns all pods that an application ever had in a role (driver or executor), in the order of their creation.
func (s *Namespace) Pods(application, role string) []Pod {
	index := map[string]int{}
	var pods []Pod
	for _, e := range eventsOf(s.history, &s.history.pods, "") {
		labels := e.Object.Labels
		if labels[v1alpha1.ApplicationLabel] != application || labels[v1alpha1.SparkRoleLabel] != role {
			continue
		}
		i, known := index[string(e.Object.UID)]
		if !known {
			i = len(pods)
			index[string(e.Object.UID)] = i
			pods = append(pods, Pod{})
		}
		pods[i] = Pod{e.Object, e.Gone}
	}
	return pods
}

// Queue returns the current version of a queue; nil if it does not exist.
func (s *Namespace) Queue(name string) *v1alpha1.SparkQueue {
	events := eventsOf(s.history, &s.history.queues, name)
	if len(events) == 0 || events[len(events)-1].Gone {
		return nil
	}
	return events[len(events)-1].Object
}

// QueueBecomes waits until check returns nil for a queue.
func (s *Namespace) QueueBecomes(name, what string, check func(*v1alpha1.SparkQueue) error) {
	s.t.Helper()
	s.Await("queue "+name+" to be "+what, func() error {
		queue := s.Queue(name)
		if queue == nil {
			return fmt.Errorf("it does not exist")
		}
		return check(queue)
	})
}

// GivenBack waits until no quota of a queue is used.
func (s *Namespace) GivenBack(name string) {
	s.t.Helper()
	s.QueueBecomes(name, "unused", func(queue *v1alpha1.SparkQueue) error {
		if queue.Status.Admitted != 0 {
			return fmt.Errorf("%d applications hold room", queue.Status.Admitted)
		}
		for _, u := range queue.Status.Usage {
			if !u.Used.IsZero() {
				return fmt.Errorf("%s of %s is used", u.Used.String(), u.Resource)
			}
		}
		return nil
	})
}

// StageOf returns the stage of an application: the reason of Ready.
func StageOf(app *v1alpha1.SparkApplication) string {
	return Condition(app, v1alpha1.ReadyCondition).Reason
}

// Condition returns a condition of an application; one without status if there is none of that type.
func Condition(app *v1alpha1.SparkApplication, conditionType string) metav1.Condition {
	if c := apimeta.FindStatusCondition(app.Status.Conditions, conditionType); c != nil {
		return *c
	}
	return metav1.Condition{Type: conditionType}
}
