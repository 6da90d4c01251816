// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"
)

// action is something that a viewer can do to an application or a schedule.
type action struct {
	// Name is the last element of the path; Done is the message after the action.
	Name, Label, About, Done string
}

// The actions.
var (
	actionSuspend = action{"suspend", "Suspend", "Kills the run, if there is one: its pods are stopped and its quota is released. Resume continues it with a new attempt.", "spec.suspend is set: the run stops and releases its quota."}
	actionResume  = action{"resume", "Resume", "Removes spec.suspend: the application requests quota again.", "spec.suspend was removed: the application requests quota again."}
	actionRerun   = action{"rerun", "Run again", "Requests one more run with the spec as it is.", "Another run is requested."}
	actionRun     = action{"run", "Run now", "Requests a run outside the times of the schedule.", "A run is requested. It is created when the concurrency policy of the schedule allows it."}

	// actions are those on applications.
	actions = map[string]action{actionSuspend.Name: actionSuspend, actionResume.Name: actionResume, actionRerun.Name: actionRerun}
)

// act carries out an action with the credentials of the viewer and redirects to the page of the application.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	namespace, name, action := r.PathValue("namespace"), r.PathValue("name"), r.PathValue("action")
	if _, known := actions[action]; !known {
		writeProblem(w, s.base, http.StatusNotFound, "An application can be suspended, resumed and run again.")
		return
	}
	v, _, err := s.viewerOf(r)
	if err != nil {
		s.unknown(w, r, err)
		return
	}
	defer s.left(v)
	c := v.cluster.In(namespace)
	switch action {
	case actionSuspend.Name:
		_, err = c.Suspend(r.Context(), name)
	case actionResume.Name:
		_, err = c.Resume(r.Context(), name)
	default:
		_, err = c.Rerun(r.Context(), name, s.options.Clock.Now().UTC().Format(time.RFC3339Nano))
	}
	if err != nil {
		writeProblem(w, s.base, statusOf(err), err.Error())
		return
	}
	http.Redirect(w, r, pathOf(s.base, "applications", namespace, name)+"?done="+action, http.StatusSeeOther)
}

// runSchedule requests a run of a schedule with the credentials of the viewer, and shows the list again.
func (s *Server) runSchedule(w http.ResponseWriter, r *http.Request) {
	v, _, err := s.viewerOf(r)
	if err != nil {
		s.unknown(w, r, err)
		return
	}
	defer s.left(v)
	token := s.options.Clock.Now().UTC().Format(time.RFC3339Nano)
	if _, err := v.cluster.In(r.PathValue("namespace")).RunSchedule(r.Context(), r.PathValue("name"), token); err != nil {
		writeProblem(w, s.base, statusOf(err), err.Error())
		return
	}
	list := r.URL.Query()
	list.Set("done", actionRun.Name)
	http.Redirect(w, r, s.base+"/schedules?"+list.Encode(), http.StatusSeeOther)
}

// buildNothing is the builder for unknown paths.
func buildNothing(*visit) (view, error) {
	return view{}, &notFound{"there is no such page: choose one above"}
}
