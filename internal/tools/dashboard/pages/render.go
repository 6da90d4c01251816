// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

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

	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

//go:embed templates
var templateFiles embed.FS

// templateProblem is the template of a page with only an error.
const templateProblem = "problem"

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"say": say, "brief": brief, "long": long, "tone": tone, "stamp": stamp, "ago": func(now, at time.Time) string { return duration.HumanDuration(now.Sub(at)) },
	"took": duration.HumanDuration, "path": PathOf, "amount": amount, "rounded": charts.Rounded, "clock": charts.ClockOf, "axis": charts.AxisOf,
	"rows": func(base string, now time.Time, at string, rows []overviewRow) overviewRows {
		return overviewRows{base, at, now, rows}
	},
}).ParseFS(templateFiles, "templates/*.html"))

// section is an entry of the navigation.
type section struct{ Path, Name string }

// The sections, in the order of the navigation.
var (
	sectionOverview     = section{"overview", "Overview"}
	sectionQueues       = section{"queues", "Queues"}
	sectionApplications = section{"applications", "Applications"}
	sectionSchedules    = section{"schedules", "Schedules"}
	sectionUsage        = section{"usage", "Usage"}
	sectionWhatIf       = section{"what-if", "What if"}

	sections = []section{sectionOverview, sectionQueues, sectionApplications, sectionSchedules, sectionUsage, sectionWhatIf}
)

// layout is the frame around the content of a page.
type layout struct {
	Base, Title, User string
	Section           section
	Content           template.HTML
	// Logout shows a button that removes the token. Live connects to the stream of changes. Bare leaves out the
	// navigation.
	Logout, Live, Log, Bare bool
}

// Sections returns the entries of the navigation.
func (layout) Sections() []section { return sections }

// fragment renders a template. Templates use names without further escaping, because the API server allows only
// harmless characters in them; if one has an unprintable character nevertheless, it is escaped here.
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

// content renders what a page shows, with notices about its data.
func content(v *Visit, now view) (template.HTML, error) {
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

// view returns what a page shows. An error becomes a page with its text.
func (v *Visit) view(build Builder) view {
	now, err := build(v)
	if err == nil {
		return now
	}
	status := StatusOf(err)
	return view{title: problemTitle(status), section: now.section, template: templateProblem, data: problemPage{Title: problemTitle(status), Text: err.Error()}, status: status}
}

// problemPage is a page with only an error.
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
	// If the browser has gone, the error does not matter.
	_, _ = w.Write(out.Bytes())
}

// WriteProblem writes a page with only an error.
func WriteProblem(w http.ResponseWriter, base string, status int, text string) {
	body, err := fragment(templateProblem, problemPage{Title: problemTitle(status), Text: text})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writePage(w, layout{Base: base, Title: problemTitle(status), Content: body, Bare: true}, status)
}

// say returns a text from outside in one line, with unprintable characters as escapes.
func say(text string) string { return redact.Visible(strings.Join(strings.Fields(text), " ")) }

const (
	// maxBrief and maxLong are how many characters of a text are shown in lists and on pages of single objects, so
	// that pages stay small. The manifest has the whole text.
	maxBrief = 300
	maxLong  = 1200
)

func brief(text string) string { return cutAt(say(text), maxBrief) }

func long(text string) string { return cutAt(say(text), maxLong) }

// cutAt cuts a text to most characters.
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

// amount formats a quantity.
func amount(q resource.Quantity) string { return amounts.Text(q) }

// stamp formats a time for scripts.
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

// PathOf returns the path of a page below base.
func PathOf(base string, parts ...string) string {
	var out strings.Builder
	out.WriteString(base)
	for _, part := range parts {
		out.WriteString("/")
		out.WriteString(url.PathEscape(part))
	}
	return out.String()
}

// Reader is what the frame of a page says of its reader.
type Reader struct {
	User string
	// Logout shows a button that removes the token.
	Logout bool
}

// Show writes a page.
func (v *Visit) Show(w http.ResponseWriter, build Builder, of Reader) {
	now := v.view(build)
	if now.redirect != "" {
		http.Redirect(w, v.request, now.redirect, http.StatusSeeOther)
		return
	}
	v.remember(w, now)
	body, err := content(v, now)
	if err != nil {
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	writePage(w, layout{
		Base: v.site.Base, Title: now.title, Section: now.section, Content: body, User: of.User, Logout: of.Logout,
		Live: now.template != templateProblem && !now.still, Log: v.driver != nil,
	}, now.status)
}

// LoginPage is the login form.
type LoginPage struct {
	To, Problem string
}

// WriteLogin writes the login form.
func WriteLogin(w http.ResponseWriter, base string, p LoginPage, status int) {
	body, err := fragment("login", p)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writePage(w, layout{Base: base, Title: "Log in", Content: body, Bare: true}, status)
}
