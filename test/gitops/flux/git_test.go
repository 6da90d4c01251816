// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

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

// repository is a Git repository on a server of its own, and a clone of it from which is pushed.
type repository struct {
	t   *testing.T
	url string
	dir string // the clone's
	git string // the program
}

// newRepository makes an empty repository and serves it with Git's own HTTP backend.
func newRepository(t *testing.T) *repository {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatalf("these tests push to Git: install git (Debian: apt-get install git): %v", err)
	}
	root := t.TempDir()
	r := &repository{t: t, dir: filepath.Join(root, "clone"), git: git}
	bare := filepath.Join(root, "served", "jobs.git")
	r.run(root, "init", "--quiet", "--bare", "--initial-branch=main", bare)
	r.run(bare, "config", "http.receivepack", "true")
	server := httptest.NewServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + root,
	}})
	t.Cleanup(server.Close)
	r.url = server.URL + "/jobs.git"
	r.run(root, "clone", "--quiet", r.url, r.dir)
	return r
}

// run runs git and returns what it prints.
func (r *repository) run(dir string, args ...string) string {
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

// files are contents by path; an empty one is no file.
type files map[string]string

// push commits and pushes changed files. It returns the revision as Flux writes it.
func (r *repository) push(changed files) string {
	r.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		path := filepath.Join(r.dir, name)
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
	r.run(r.dir, "add", "--all")
	r.run(r.dir, "commit", "--quiet", "--message=Change "+strings.Join(slices.Sorted(maps.Keys(changed)), ", "))
	r.run(r.dir, "push", "--quiet", "origin", "HEAD:main")
	return "main@sha1:" + r.run(r.dir, "rev-parse", "HEAD")
}
