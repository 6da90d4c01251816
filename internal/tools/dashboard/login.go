// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"

	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/pages"
)

const (
	// cookieName has a prefix with which browsers do not allow other hosts or unencrypted connections to set the
	// cookie.
	cookieName = "__Host-sparkgate-token"
	// maxToken is the longest token that fits into a cookie in every browser.
	maxToken = 3900
)

// tokenOf returns the token of a request: from an authenticating proxy, else from the cookie of the login.
func tokenOf(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		token, _ := strings.CutPrefix(header, "Bearer ")
		if token == header {
			return ""
		}
		return token
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		return cookie.Value
	}
	return ""
}

// login shows the form.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	p := pages.LoginPage{To: r.FormValue("to")}
	if r.FormValue("expired") != "" {
		p.Problem = "The API server no longer accepts the token: it may have expired."
	}
	pages.WriteLogin(w, s.site.Base, p, http.StatusOK)
}

// logIn checks a token and stores it in a cookie that scripts cannot read and other sites cannot send.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimSpace(r.PostFormValue("token"))
	p := pages.LoginPage{To: r.PostFormValue("to")}
	if p.Problem = s.refusesToken(r, token); p.Problem != "" {
		pages.WriteLogin(w, s.site.Base, p, http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: token, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, localPath(p.To), http.StatusSeeOther)
}

// refusesToken returns why a token is not accepted; empty if it is.
func (s *Server) refusesToken(r *http.Request, token string) string {
	if token == "" {
		return "The token is empty: paste one."
	}
	if len(token) > maxToken {
		return "The token is longer than a cookie may be: open the page through an authenticating proxy instead."
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`",;\`, c) }) {
		return "The token has characters that tokens do not have: paste it again."
	}
	_, _, err := s.userOf(r.Context(), token)
	switch {
	case err == nil:
		return ""
	case client.IsUnauthorized(err):
		return "The API server does not accept this token: it may have expired, or belong to another cluster."
	}
	return err.Error()
}

// logOut removes the token from the browser and from the server.
func (s *Server) logOut(w http.ResponseWriter, r *http.Request) {
	key := sha256.Sum256([]byte(tokenOf(r)))
	s.mu.Lock()
	delete(s.viewers, key)
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// localPath returns a path of this server; "/" for anything else.
func localPath(to string) string {
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "" || at.Host != "" || !strings.HasPrefix(at.Path, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return "/"
	}
	return at.RequestURI()
}
