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

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/pages"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

//go:embed static
var static embed.FS

const (
	// maxViewers is the maximum number of tokens that are served at the same time.
	maxViewers = 500
	// maxViewersOfTenant is the maximum number of tokens of one user, so that no user can take all places: a user may
	// have any number of tokens.
	maxViewersOfTenant = 100
	// maxStreamsOfTenant is the maximum number of open pages of one user that are updated, because each keeps what it
	// shows in memory.
	maxStreamsOfTenant = 200
	// maxPagesOfTenant is the maximum number of pages of one user that are written at the same time: each is in memory
	// until its reader has it.
	maxPagesOfTenant = 32
	// unknownTokens and unknownAtOnce bound how many tokens a second are shown to the API server that it has not accepted
	// yet.
	unknownTokens, unknownAtOnce = 10, 50
	// forgetAfter is how long a token is remembered after the last page with it was closed.
	forgetAfter = 5 * time.Minute
)

// Options are the options of a server.
type Options struct {
	// Local is the client of a kubeconfig. If it is nil, each request has to have the token of its viewer, and ForToken
	// returns a client that uses it.
	Local    *client.Cluster
	ForToken func(token string) (*client.Cluster, error)
	// Secret is the first element of all paths of a local server, which other users of the machine do not know.
	Secret string
	// Once is a path, without its slash, that redirects to the first page the first time it is requested. A browser is
	// started with it, because other users of the machine can see its arguments. Default: none.
	Once string
	// Hosts are the allowed values of the header Host; if empty, all are allowed. A local server needs them, because
	// names of other sites may resolve to the loopback address.
	Hosts []string
	// Prices are used for viewers who give no prices of their own; nil for no costs.
	Prices *usage.Prices
	// HistoryServer is the address at which a server for many viewers reads measurements of runs that have ended.
	HistoryServer string
	Clock         clock.WithDelayedExecution
}

// Server answers requests for pages. It is safe for concurrent use.
type Server struct {
	options  Options
	site     pages.Site
	ctx      context.Context
	limits   *viewer.WorkLimits
	rowCache *viewer.RowCache

	mu      sync.Mutex
	viewers map[[sha256.Size]byte]*viewer.Viewer
	// streams and pages are the numbers of open streams, and of pages that are being written, by tenant.
	streams, pages map[string]int
	// unknown has a token for each token whose user is not known.
	unknown *rate.Limiter
	// once is Options.Once until it was requested.
	once string
}

// New returns a server. Its watches end with ctx.
func New(ctx context.Context, o Options) *Server {
	s := &Server{
		options: o, ctx: ctx, limits: viewer.NewWorkLimits(), rowCache: viewer.NewRowCache(), viewers: map[[sha256.Size]byte]*viewer.Viewer{},
		streams: map[string]int{}, pages: map[string]int{},
		unknown: rate.NewLimiter(unknownTokens, unknownAtOnce), once: o.Once,
	}
	s.site = pages.Site{Local: o.Local != nil, Prices: o.Prices, History: o.HistoryServer}
	if o.Secret != "" {
		s.site.Base = "/" + o.Secret
	}
	return s
}

// Handler returns the handler for all paths.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.site.Base+"/overview", http.StatusSeeOther)
	})
	for path, build := range pages.Builders {
		mux.HandleFunc("GET "+path, s.page(build))
	}
	mux.HandleFunc("POST /applications/{namespace}/{name}/{action}", s.act)
	mux.HandleFunc("POST /schedules/{namespace}/{name}/"+pages.ActionRun.Name, s.runSchedule)
	if s.options.Local == nil {
		mux.HandleFunc("GET /login", s.login)
		mux.HandleFunc("POST /login", s.logIn)
		mux.HandleFunc("POST /logout", s.logOut)
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		// The files are part of the program.
		panic(err)
	}
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
	return s.guard(mux)
}

// errNoCredentials is the error for a request without a token.
var errNoCredentials = errors.New("the request carries no token")

// viewerOf returns the viewer of a request and the name of the user. It asks the API server for the name each time, so
// that an expired token opens no page.
func (s *Server) viewerOf(r *http.Request) (v *viewer.Viewer, name string, err error) {
	if s.options.Local != nil {
		v, err := s.viewer("", "", s.options.Local)
		return v, "", err
	}
	token := tokenOf(r)
	if token == "" {
		return nil, "", errNoCredentials
	}
	c, name, err := s.userOf(r.Context(), token)
	if err != nil {
		return nil, "", err
	}
	v, err = s.viewer(token, name, c)
	return v, name, err
}

// errTooManyUnknown is the error for a token that cannot be shown to the API server now.
var errTooManyUnknown = errors.New("many unknown tokens were tried within seconds: wait a minute, then try again")

// userOf returns a client for a token, and the name of its user.
func (s *Server) userOf(ctx context.Context, token string) (c *client.Cluster, name string, err error) {
	s.mu.Lock()
	known := s.viewers[sha256.Sum256([]byte(token))] != nil
	s.mu.Unlock()
	if !known && !s.unknown.AllowN(s.options.Clock.Now(), 1) {
		return nil, "", errTooManyUnknown
	}
	if c, err = s.options.ForToken(token); err != nil {
		return nil, "", err
	}
	name, err = c.WhoAmI(ctx)
	return c, name, err
}

// viewer returns the viewer with that token. If there is none yet, it is created and uses c.
func (s *Server) viewer(token, user string, c *client.Cluster) (*viewer.Viewer, error) {
	key := sha256.Sum256([]byte(token))
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.viewers[key]; v != nil {
		return v, nil
	}
	tenant := tenantOf(user)
	if s.full(tenant) {
		maps.DeleteFunc(s.viewers, func(_ [sha256.Size]byte, v *viewer.Viewer) bool { return v.Idle() })
	}
	if s.full(tenant) {
		return nil, errors.New("too many viewers at the same time: try again in a minute")
	}
	v := viewer.NewViewer(s.ctx, c, s.rowCache, s.limits, s.options.Clock)
	v.Tenant = tenant
	s.viewers[key] = v
	return v, nil
}

// full reports whether there is no place for another token of a tenant.
func (s *Server) full(tenant string) bool {
	of := 0
	for _, v := range s.viewers {
		if v.Tenant == tenant {
			of++
		}
	}
	return len(s.viewers) >= maxViewers || of >= maxViewersOfTenant
}

// tenantOf returns the tenant to which a user counts. All ServiceAccounts of a namespace are one tenant, because users
// who may create one may create many.
func tenantOf(user string) string {
	const accounts = "system:serviceaccount:"
	if account, is := strings.CutPrefix(user, accounts); is {
		namespace, _, _ := strings.Cut(account, ":")
		return accounts + namespace
	}
	return user
}

// begin counts something that a tenant has open, and reports whether there may be one more.
func (s *Server) begin(open map[string]int, tenant string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open[tenant] >= most {
		return false
	}
	open[tenant]++
	return true
}

// end uncounts it.
func (s *Server) end(open map[string]int, tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open[tenant]--; open[tenant] == 0 {
		delete(open, tenant)
	}
}

// left notes that a request of a viewer has ended. If no other follows for a while, the viewer is forgotten.
func (s *Server) left(v *viewer.Viewer) {
	if s.options.Local != nil {
		return
	}
	visits := v.Visits.Add(1)
	s.options.Clock.AfterFunc(forgetAfter, func() {
		if v.Visits.Load() == visits && v.Idle() {
			s.forget(v)
		}
	})
}

// forget removes a viewer. Its open pages stay until they are closed, or until their watches are renewed.
func (s *Server) forget(v *viewer.Viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.viewers, func(_ [sha256.Size]byte, known *viewer.Viewer) bool { return known == v })
}

// page returns the handler for a page and for the stream of its changes.
func (s *Server) page(build pages.Builder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		known, name, err := s.viewerOf(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		v := pages.NewVisit(known, s.site, r)
		defer s.left(known)
		defer v.End()
		streams := strings.Contains(r.Header.Get("Accept"), "text/event-stream")
		open, most := s.pages, maxPagesOfTenant
		if streams {
			open, most = s.streams, maxStreamsOfTenant
		}
		if !s.begin(open, known.Tenant, most) {
			pages.WriteProblem(w, s.site.Base, http.StatusTooManyRequests, "You have too many pages open at the same time: close some.")
			return
		}
		defer s.end(open, known.Tenant)
		if streams {
			v.Stream(w, build)
			return
		}
		v.Show(w, build, pages.Reader{User: name, Logout: s.options.Local == nil && r.Header.Get("Authorization") == ""})
	}
}

// refuse answers a request whose viewer is not known.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	signIn := errors.Is(err, errNoCredentials) || client.IsUnauthorized(err)
	switch {
	case signIn && r.Method == http.MethodGet && r.Header.Get("Authorization") == "" && !strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		to := "/login?to=" + url.QueryEscape(r.URL.RequestURI())
		if !errors.Is(err, errNoCredentials) {
			to += "&expired=1"
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	case signIn:
		pages.WriteProblem(w, s.site.Base, http.StatusUnauthorized, "The API server does not accept the token: it may have expired. Log in again.")
	default:
		pages.WriteProblem(w, s.site.Base, http.StatusServiceUnavailable, err.Error())
	}
}
