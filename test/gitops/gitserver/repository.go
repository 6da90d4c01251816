// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitserver serves a Git repository to the tools that tests run, and pushes to it.
package gitserver

import (
	"maps"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Repository is a Git repository on a server of its own, and a clone of it from which is pushed.
type Repository struct {
	URL string // of the server
	Dir string // of the clone

	t   *testing.T
	git string // the program
}

// New creates an empty repository and serves it with Git's own HTTP backend, until the test ends.
func New(t *testing.T) *Repository {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatalf("these tests push to Git: install git (Debian: apt-get install git): %v", err)
	}
	root := t.TempDir()
	r := &Repository{t: t, Dir: filepath.Join(root, "clone"), git: git}
	bare := filepath.Join(root, "served", "jobs.git")
	r.run(root, "init", "--quiet", "--bare", "--initial-branch=main", bare)
	r.run(bare, "config", "http.receivepack", "true")
	server := httptest.NewServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + root,
	}})
	t.Cleanup(server.Close)
	r.URL = server.URL + "/jobs.git"
	r.run(root, "clone", "--quiet", r.URL, r.Dir)
	return r
}

// run runs git and returns what it prints.
func (r *Repository) run(dir string, args ...string) string {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), r.git, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com")
	out, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Files are contents by path; an empty one means no file.
type Files map[string]string

// Push commits and pushes changed files to the branch main. It returns the commit.
func (r *Repository) Push(changed Files) string {
	r.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		path := filepath.Join(r.Dir, name)
		if changed[name] == "" {
			if err := os.Remove(path); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(changed[name]), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.run(r.Dir, "add", "--all")
	r.run(r.Dir, "commit", "--quiet", "--message=Change "+strings.Join(slices.Sorted(maps.Keys(changed)), ", "))
	r.run(r.Dir, "push", "--quiet", "origin", "HEAD:main")
	return r.run(r.Dir, "rev-parse", "HEAD")
}
