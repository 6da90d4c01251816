// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Queues is what the handler needs of the embedded queue, in terms of the explain API. Implementations are safe for
// concurrent use.
type Queues interface {
	// Leads reports whether this process is the leader and has restored its state. Other replicas cannot explain
	// anything.
	Leads() bool
	// Explain explains an application. It returns false if the application neither asks for anything nor holds
	// anything.
	Explain(key queueing.Key) (v1.Application, bool)
	// ExplainQueue explains a queue. It returns false if the queue is not configured.
	ExplainQueue(name string) (v1.Queue, bool)
}

// Options configure a handler.
type Options struct {
	// Reader reads applications; it may be a cache.
	Reader client.Reader
	// Namespaces are the namespaces whose applications Reader can read.
	Namespaces namespaces.Set
	Queues     Queues
	Reviewer   Reviewer
	// Clock times the cached answers of the reviewer.
	Clock clock.PassiveClock
	Log   logr.Logger
}

type handler struct {
	Options
	auth     *authCache
	inFlight inFlightLimit
}

// NewHandler returns a handler of the requests that package api/explain/v1 describes.
func NewHandler(o Options) http.Handler {
	h := &handler{Options: o, auth: newAuthCache(o.Reviewer, o.Clock)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /explain/v1/namespaces/{namespace}/applications/{name}", h.answer(h.application))
	mux.HandleFunc("GET /explain/v1/queues/{name}", h.answer(h.queue))
	return mux
}

// problem is an error answer: its HTTP code and body.
type problem struct {
	code int
	v1.Problem
}

func problemOf(code int, reason v1.ProblemReason, format string, args ...any) *problem {
	return &problem{code, v1.Problem{Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// answer returns a handler that authenticates a request, calls the function, and writes its result as JSON.
func (h *handler) answer(to func(*http.Request, *identity) (any, *problem)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, p := h.admit(r, to)
		code := http.StatusOK
		if p != nil {
			body, code = p.Problem, p.code
		}
		if code == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(code)
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(body) // it fails only if the client has disconnected
	}
}

// admit authenticates a request and calls the function with its user. It refuses the request if too many are being
// answered or the token is not valid.
func (h *handler) admit(r *http.Request, to func(*http.Request, *identity) (any, *problem)) (any, *problem) {
	from := sourceOf(r)
	if !h.inFlight.acquire(from.origin) {
		return nil, problemOf(http.StatusTooManyRequests, v1.TooManyRequests, "too many requests are being answered; try again")
	}
	defer h.inFlight.release(from.origin)
	token := tokenOf(r)
	if token == "" {
		return nil, problemOf(http.StatusUnauthorized, v1.NoToken, "send a token of the API server as Authorization: Bearer …, or as %s", v1.TokenHeader)
	}
	c, err := h.auth.authenticate(r.Context(), from, token)
	if err != nil {
		return nil, h.authorizationUnavailable(r, err)
	}
	if c == nil {
		return nil, problemOf(http.StatusUnauthorized, v1.BadToken, "the API server does not know the token, or it has expired")
	}
	return to(r, c)
}

// tokenOf returns the token of a request, or "". The API server's proxy strips the Authorization header, so TokenHeader
// is looked at first.
func tokenOf(r *http.Request) string {
	if token := strings.TrimSpace(r.Header.Get(v1.TokenHeader)); token != "" {
		return token
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// authorizationUnavailable converts an error of the authCache into an answer, and logs it.
func (h *handler) authorizationUnavailable(r *http.Request, err error) *problem {
	if errors.Is(err, errTooManyRequests) {
		return problemOf(http.StatusTooManyRequests, v1.TooManyRequests, "%v; try again", errTooManyRequests)
	}
	if r.Context().Err() == nil { // otherwise the client has disconnected
		h.Log.Error(err, "Cannot authenticate or authorize a request for an explanation")
	}
	if apierrors.IsForbidden(err) {
		return problemOf(http.StatusInternalServerError, v1.AuthorizationUnavailable,
			"the operator may not create tokenreviews or subjectaccessreviews, so it cannot authenticate requests; apply config/rbac")
	}
	return problemOf(http.StatusInternalServerError, v1.AuthorizationUnavailable, "the API server could not authenticate or authorize your request; try again")
}

// application answers with the explanation of one application.
func (h *handler) application(r *http.Request, c *identity) (any, *problem) {
	name := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
	if p := h.require(r, c, Object{Resource: "sparkapplications", Namespace: name.Namespace, Name: name.Name}); p != nil {
		return nil, p
	}
	if !h.Namespaces.Has(name.Namespace) {
		return nil, problemOf(http.StatusNotFound, v1.NotFound, "this operator does not watch namespace %s; ask the one that does, or add it to --watch-namespaces", name.Namespace)
	}
	app := &v1alpha1.SparkApplication{}
	switch err := h.Reader.Get(r.Context(), name, app); {
	case apierrors.IsNotFound(err):
		return nil, problemOf(http.StatusNotFound, v1.NotFound, "sparkapplication %s not found", name)
	case err != nil:
		h.Log.Error(err, "Failed to read an application to explain it", "namespace", name.Namespace, "name", name.Name)
		return nil, problemOf(http.StatusInternalServerError, v1.AuthorizationUnavailable, "the application could not be read; try again")
	}
	out, known := h.Queues.Explain(podsets.KeyOf(app))
	if gate := status.GateOf(app); !known && asksElsewhere(app, gate) {
		return nil, problemOf(http.StatusNotFound, v1.OtherGate, "gate %s decides on the application, not a SparkQueue", gate)
	}
	if !known {
		out = v1.Application{State: v1.Absent, Queue: app.Status.Queue}
	}
	out.Namespace, out.Name, out.UID = app.Namespace, app.Name, string(app.UID)
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		out.Stage, out.StageMessage = ready.Reason, ready.Message
	}
	if p := h.hideOtherNamespaces(r, c, &out); p != nil {
		return nil, p
	}
	return out, nil
}

// asksElsewhere reports whether an application asks for or holds something at a gate that does not use SparkQueues.
func asksElsewhere(app *v1alpha1.SparkApplication, gate v1alpha1.GateType) bool {
	return (app.Status.Ask != nil || app.Status.Grant != nil) && gate != "" && !catalog.Of(gate).SparkQueues
}

// hideOtherNamespaces clears the names of applications of other namespaces, unless the caller may read them in the
// status of the queue anyway.
func (h *handler) hideOtherNamespaces(r *http.Request, c *identity, out *v1.Application) *problem {
	if out.Waits == nil {
		return nil
	}
	allowed, err := h.auth.mayGet(r.Context(), c, Object{Resource: "sparkqueues", Name: out.Queue})
	if err != nil {
		return h.authorizationUnavailable(r, err)
	}
	if allowed {
		return nil
	}
	for _, heads := range [][]v1.Head{out.Waits.Ahead, out.Waits.ReservedFor} {
		for i := range heads {
			if heads[i].Namespace != out.Namespace {
				heads[i].Kind, heads[i].Namespace, heads[i].Name = "", "", ""
			}
		}
	}
	return nil
}

// queue answers with the explanation of one queue.
func (h *handler) queue(r *http.Request, c *identity) (any, *problem) {
	name := r.PathValue("name")
	if p := h.require(r, c, Object{Resource: "sparkqueues", Name: name}); p != nil {
		return nil, p
	}
	out, known := h.Queues.ExplainQueue(name)
	if !known {
		return nil, problemOf(http.StatusNotFound, v1.NotFound, "sparkqueue %s not found", name)
	}
	return out, nil
}

// require returns a problem if the caller may not get the object, or if this process is not the leader; otherwise nil.
func (h *handler) require(r *http.Request, c *identity, o Object) *problem {
	allowed, err := h.auth.mayGet(r.Context(), c, o)
	switch {
	case err != nil:
		return h.authorizationUnavailable(r, err)
	case !allowed && o.Namespace != "":
		return problemOf(http.StatusForbidden, v1.NotAllowed, "%s may not get %s %s in namespace %s", c.user.Username, o.Resource, o.Name, o.Namespace)
	case !allowed:
		return problemOf(http.StatusForbidden, v1.NotAllowed, "%s may not get %s %s", c.user.Username, o.Resource, o.Name)
	case !h.Queues.Leads():
		return problemOf(http.StatusServiceUnavailable, v1.NotLeader,
			"this replica is not the leader, or is still taking over; try again")
	}
	return nil
}
