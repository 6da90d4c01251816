// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/usage"
)

//go:embed static
var static embed.FS

const (
	// mostViewers bounds the credentials that are served at the same time.
	mostViewers = 500
	// mostOfOne bounds those of one user, so that no user takes all places: a user may have any number of tokens.
	mostOfOne = 100
	// forgetAfter is how long credentials are remembered after the last page with them was closed.
	forgetAfter = 5 * time.Minute
)

// Options of a server.
type Options struct {
	// Local is the way to the cluster with the rights of a kubeconfig. If it is nil, each request has to bring the token
	// of its viewer, and ForToken returns the way to the cluster with it.
	Local    *client.Cluster
	ForToken func(token string) (*client.Cluster, error)
	// Secret is the first element of all paths of a local server: other users of the machine do not know it.
	Secret string
	// Once is a path, without its slash, that leads to the first page the first time it is asked for: the address that a
	// browser is started with, which other users of the machine see among its arguments. Default: none.
	Once string
	// Hosts are the values of the header Host that are answered; empty is any. A local server needs them against names
	// that lead to the loopback address.
	Hosts []string
	// Prices of usage for viewers who give none of their own; nil for no costs.
	Prices *usage.Prices
	// HistoryServer is the address that a server for many viewers asks for the measurements of runs that have ended.
	HistoryServer string
	Clock         clock.WithDelayedExecution
}

// Server answers requests for pages. It is safe for concurrent use.
type Server struct {
	options Options
	// base is what all paths begin with: empty, or a slash and the secret.
	base  string
	ctx   context.Context
	turns *turns
	stock *stock

	mu      sync.Mutex
	viewers map[[sha256.Size]byte]*viewer
	// once is that of the options until it was asked for.
	once string
}

// New returns a server; what it watches ends with ctx.
func New(ctx context.Context, o Options) *Server {
	s := &Server{options: o, ctx: ctx, turns: newTurns(), stock: newStock(), viewers: map[[sha256.Size]byte]*viewer{}, once: o.Once}
	if o.Secret != "" {
		s.base = "/" + o.Secret
	}
	return s
}

// Handler returns the handler of all paths.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.base+"/queues", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /queues", s.page(buildQueues))
	mux.HandleFunc("GET /queues/{name}", s.page(buildQueue))
	mux.HandleFunc("GET /applications", s.page(buildApplications))
	mux.HandleFunc("GET /applications/{namespace}/{name}", s.page(buildApplication))
	mux.HandleFunc("GET /applications/{namespace}/{name}/manifest", s.page(buildManifest))
	mux.HandleFunc("POST /applications/{namespace}/{name}/{action}", s.act)
	mux.HandleFunc("GET /schedules", s.page(buildSchedules))
	mux.HandleFunc("POST /schedules/{namespace}/{name}/"+actionRun.Name, s.runSchedule)
	mux.HandleFunc("GET /usage", s.page(buildUsage))
	mux.HandleFunc("GET /what-if", s.page(buildWhatIf))
	mux.HandleFunc("GET /", s.page(buildNothing))
	if s.options.Local == nil {
		mux.HandleFunc("GET /login", s.login)
		mux.HandleFunc("POST /login", s.logIn)
		mux.HandleFunc("POST /logout", s.logOut)
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the files are part of the program
	}
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
	return s.guard(mux)
}

// errNoCredentials is the error of a request without a token.
var errNoCredentials = errors.New("the request carries no token")

// viewerOf returns the viewer of a request. The API server is asked each time for the user that it takes them for, so that a token that
// is no longer good opens no page.
func (s *Server) viewerOf(r *http.Request) (v *viewer, name string, err error) {
	if s.options.Local != nil {
		v, err := s.viewer("", "", s.options.Local)
		return v, "", err
	}
	token := tokenOf(r)
	if token == "" {
		return nil, "", errNoCredentials
	}
	c, err := s.options.ForToken(token)
	if err != nil {
		return nil, "", err
	}
	if name, err = c.WhoAmI(r.Context()); err != nil {
		return nil, "", err
	}
	v, err = s.viewer(token, name, c)
	return v, name, err
}

// viewer returns what is known of credentials of a user, with c for those that are new.
func (s *Server) viewer(token, user string, c *client.Cluster) (*viewer, error) {
	key := sha256.Sum256([]byte(token))
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.viewers[key]; v != nil {
		return v, nil
	}
	party := partyOf(user)
	if s.full(party) {
		maps.DeleteFunc(s.viewers, func(_ [sha256.Size]byte, v *viewer) bool { return v.idle() })
	}
	if s.full(party) {
		return nil, errors.New("too many viewers at the same time: try again in a minute")
	}
	v := newViewer(s.ctx, c, s.stock, s.turns, s.options.Clock)
	v.party = party
	s.viewers[key] = v
	return v, nil
}

// full reports whether there is no place for further credentials of a party.
func (s *Server) full(party string) bool {
	of := 0
	for _, v := range s.viewers {
		if v.party == party {
			of++
		}
	}
	return len(s.viewers) >= mostViewers || of >= mostOfOne
}

// partyOf returns who is behind the name of a user. All ServiceAccounts of a namespace are one: who may create some
// creates many.
func partyOf(user string) string {
	const accounts = "system:serviceaccount:"
	if account, is := strings.CutPrefix(user, accounts); is {
		namespace, _, _ := strings.Cut(account, ":")
		return accounts + namespace
	}
	return user
}

// left says that a request of a viewer has ended. Some time after the last one their credentials are forgotten.
func (s *Server) left(v *viewer) {
	if s.options.Local != nil {
		return
	}
	visits := v.visits.Add(1)
	s.options.Clock.AfterFunc(forgetAfter, func() {
		if v.visits.Load() == visits && v.idle() {
			s.forget(v)
		}
	})
}

// forget drops the credentials of a viewer. Pages that are open stay until they are closed, or their watches are renewed.
func (s *Server) forget(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.viewers, func(_ [sha256.Size]byte, known *viewer) bool { return known == v })
}

// page returns the handler of a page, and of the stream of its changes.
func (s *Server) page(build builder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		known, name, err := s.viewerOf(r)
		if err != nil {
			s.unknown(w, r, err)
			return
		}
		v := &visit{
			viewer: known, ctx: r.Context(), request: r, base: s.base, local: s.options.Local != nil, prices: s.options.Prices, history: s.options.HistoryServer,
			wake: make(chan struct{}, 1), used: map[string]*shared{},
		}
		defer s.left(known)
		defer v.end()
		if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			s.stream(w, v, build)
			return
		}
		now := v.view(build)
		body, err := content(v, now)
		if err != nil {
			http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
			return
		}
		writePage(w, layout{
			Base: s.base, Title: now.title, Section: now.section, Content: body, User: name, Logout: s.options.Local == nil && r.Header.Get("Authorization") == "",
			Live: now.template != templateProblem && !now.still, Log: v.driver != nil,
		}, now.status)
	}
}

// unknown answers a request whose viewer is not known.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request, err error) {
	signIn := errors.Is(err, errNoCredentials) || client.IsUnauthorized(err)
	switch {
	case signIn && r.Method == http.MethodGet && r.Header.Get("Authorization") == "" && !strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		to := "/login?to=" + url.QueryEscape(r.URL.RequestURI())
		if !errors.Is(err, errNoCredentials) {
			to += "&expired=1"
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	case signIn:
		writeProblem(w, s.base, http.StatusUnauthorized, "The API server does not accept the token: it may have expired. Log in again.")
	default:
		writeProblem(w, s.base, http.StatusServiceUnavailable, err.Error())
	}
}
