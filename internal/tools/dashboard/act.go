// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/sparkgate/sparkgate/internal/tools/dashboard/pages"
)

// act carries out an action with the credentials of the viewer and redirects to the page of the application.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	namespace, name, action := r.PathValue("namespace"), r.PathValue("name"), r.PathValue("action")
	if _, known := pages.ApplicationActions[action]; !known {
		pages.WriteProblem(w, s.site.Base, http.StatusNotFound, "An application can be suspended, resumed and run again.")
		return
	}
	v, _, err := s.viewerOf(r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer s.left(v)
	c := v.Cluster.In(namespace)
	switch action {
	case pages.ActionSuspend.Name:
		_, _, err = c.SuspendApplication(r.Context(), name, true)
	case pages.ActionResume.Name:
		_, _, err = c.SuspendApplication(r.Context(), name, false)
	default:
		_, err = c.Rerun(r.Context(), name, s.options.Clock.Now().UTC().Format(time.RFC3339Nano))
	}
	if err != nil {
		pages.WriteProblem(w, s.site.Base, pages.StatusOf(err), err.Error())
		return
	}
	http.Redirect(w, r, pages.PathOf(s.site.Base, "applications", namespace, name)+"?done="+action, http.StatusSeeOther)
}

// runSchedule requests a run of a schedule with the credentials of the viewer, and shows the list again.
func (s *Server) runSchedule(w http.ResponseWriter, r *http.Request) {
	v, _, err := s.viewerOf(r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer s.left(v)
	token := s.options.Clock.Now().UTC().Format(time.RFC3339Nano)
	if _, err := v.Cluster.In(r.PathValue("namespace")).RunSchedule(r.Context(), r.PathValue("name"), token); err != nil {
		pages.WriteProblem(w, s.site.Base, pages.StatusOf(err), err.Error())
		return
	}
	list := r.URL.Query()
	list.Set("done", pages.ActionRun.Name)
	http.Redirect(w, r, s.site.Base+"/schedules?"+list.Encode(), http.StatusSeeOther)
}
