// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/status"
)

//go:embed templates
var templateFiles embed.FS

// templateProblem is the template of a page that only says what is wrong.
const templateProblem = "problem"

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"say": say, "brief": brief, "long": long, "tone": tone, "stamp": stamp, "ago": func(now, at time.Time) string { return duration.HumanDuration(now.Sub(at)) },
	"took": duration.HumanDuration, "path": pathOf, "amount": amount, "rounded": rounded, "clock": clockOf, "axis": axisOf,
}).ParseFS(templateFiles, "templates/*.html"))

// section is an entry of the navigation.
type section struct{ Path, Name string }

// The sections, in the order of the navigation.
var (
	sectionQueues       = section{"queues", "Queues"}
	sectionApplications = section{"applications", "Applications"}
	sectionSchedules    = section{"schedules", "Schedules"}
	sectionUsage        = section{"usage", "Usage"}
	sectionWhatIf       = section{"what-if", "What if"}

	sections = []section{sectionQueues, sectionApplications, sectionSchedules, sectionUsage, sectionWhatIf}
)

// layout is what surrounds the content of a page.
type layout struct {
	Base, Title, User string
	Section           section
	Content           template.HTML
	// Logout offers to forget the token. Live connects to the stream of changes. Bare leaves out the navigation.
	Logout, Live, Log, Bare bool
}

// Sections are the entries of the navigation.
func (layout) Sections() []section { return sections }

// fragment renders a template. Names that the API server keeps free of them are the only texts that templates take as they
// are; should one have a character that does more than print, that is written out here.
func fragment(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return "", err
	}
	rows := strings.Split(out.String(), "\n")
	for i, row := range rows {
		rows[i] = redact.Visible(row)
	}
	return template.HTML(strings.Join(rows, "\n")), nil //nolint:gosec // html/template has escaped it
}

// content renders what a page shows, with what has to be said of its data.
func content(v *visit, now view) (template.HTML, error) {
	loading, lost := v.notices()
	body, err := fragment(now.template, now.data)
	if err != nil {
		return "", err
	}
	return fragment("content", struct {
		Loading bool
		Lost    string
		Body    template.HTML
	}{loading, lost, body})
}

// view returns what a page shows; an error becomes a page that says it.
func (v *visit) view(build builder) view {
	now, err := build(v)
	if err == nil {
		return now
	}
	status := statusOf(err)
	return view{title: problemTitle(status), section: now.section, template: templateProblem, data: problemPage{Title: problemTitle(status), Text: err.Error()}, status: status}
}

// problemPage says what is wrong.
type problemPage struct{ Title, Text string }

func problemTitle(status int) string {
	switch status {
	case http.StatusForbidden:
		return "You are not allowed to see this"
	case http.StatusNotFound:
		return "Not found"
	case http.StatusUnauthorized:
		return "Log in again"
	}
	return "This cannot be shown right now"
}

func writePage(w http.ResponseWriter, l layout, status int) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "layout", l); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept")
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write(out.Bytes()) // a viewer who has gone away misses nothing
}

// writeProblem writes a page that only says what is wrong.
func writeProblem(w http.ResponseWriter, base string, status int, text string) {
	body, err := fragment(templateProblem, problemPage{Title: problemTitle(status), Text: text})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writePage(w, layout{Base: base, Title: problemTitle(status), Content: body, Bare: true}, status)
}

// say returns a text of others in one line, with everything that does more than print written out.
func say(text string) string { return redact.Visible(strings.Join(strings.Fields(text), " ")) }

const (
	// mostBrief and mostLong are how many characters of a text are shown where there are many, and where there are few: a
	// page stays light whatever it is about. The manifest has all of it.
	mostBrief = 300
	mostLong  = 1200
)

func brief(text string) string { return cutAt(say(text), mostBrief) }

func long(text string) string { return cutAt(say(text), mostLong) }

// cutAt cuts a text that has more characters.
func cutAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	count := 0
	for at := range text {
		if count == most {
			return text[:at] + " …"
		}
		count++
	}
	return text
}

// amount returns a quantity of a resource.
func amount(q resource.Quantity) string { return q.String() }

// stamp returns a time for machines.
func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// tone returns the color of a stage.
func tone(stage string) string {
	switch s := status.Stage(stage); {
	case s == status.Succeeded:
		return "good"
	case s.Failed(), s.Blocked():
		return "bad"
	case s == status.Running:
		return "run"
	case s.Active():
		return "busy"
	case s.Waiting():
		return "wait"
	}
	return "idle"
}

// pathOf returns the path of a page below a base.
func pathOf(base string, parts ...string) string {
	var out strings.Builder
	out.WriteString(base)
	for _, part := range parts {
		out.WriteString("/")
		out.WriteString(url.PathEscape(part))
	}
	return out.String()
}
