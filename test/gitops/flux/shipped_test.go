// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/test/gitops/gitserver"
	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// shipped has a platform's repository and a tenant's, filled with what gitops and config ship. Names and addresses are those of the test.
type shipped struct {
	*world
	platform *gitserver.Repository
	replace  *strings.Replacer
}

func newShipped(t *testing.T) *shipped {
	t.Helper()
	s := &shipped{world: newWorld(t, ""), platform: gitserver.New(t)}
	s.replace = strings.NewReplacer("https://git.example.com/platform.git", s.platform.URL, "https://git.example.com/team-a/jobs.git", s.Git.URL,
		"team-a", s.Namespace)
	if err := env.Client().Delete(t.Context(), s.Queue); err != nil { // it comes from Git
		t.Fatal(err)
	}
	harness.Gone(t, s.Queue)
	return s
}

// install pushes both repositories and applies the platform's objects of Flux. It returns the revision of the tenant's.
func (s *shipped) install() string {
	s.t.Helper()
	content := testbed.Installation(s.t, "allow-sparkgate.yaml")
	for name, file := range map[string]string{
		"queues/queues.yaml": "examples/queues.yaml", "tenants/team-a.yaml": "gitops/flux/tenant.yaml",
		"sparkgate/allow-sparkgate.yaml": "gitops/flux/allow-sparkgate.yaml",
	} {
		text, err := os.ReadFile(filepath.Join(env.Root(), file))
		if err != nil {
			s.t.Fatal(err)
		}
		content[name] = s.replace.Replace(string(text))
	}
	s.platform.Push(content)
	revision := s.commit(testbed.Read(s.t, gitops.Flux, "flux/jobs", ".", s.replace))
	for _, text := range strings.Split(testbed.Read(s.t, gitops.Flux, "flux", "", s.replace)["/platform.yaml"], "\n---\n") {
		s.create(s.fluxObject(text))
	}
	return revision
}

// TestShippedFiles: the platform's Kustomizations install operator, queues and tenants one after the other; then the tenant's jobs run with
// the values of their environment.
func TestShippedFiles(t *testing.T) {
	t.Parallel()
	s := newShipped(t)
	revision := s.install()
	testbed.PlayDeployment(t)
	app := s.App("etl")
	s.Succeed(app)
	s.ready("jobs", revision)
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: systems.FluxNamespace, Name: "allow-sparkgate"}}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Error(err)
	}
	if image, executors := app.Spec.Image, app.Spec.Executor; image != "registry.example.com/etl:1.9.3" || *executors.Instances != 4 || executors.Memory != "4g" {
		t.Errorf("image %s, %d executors of %s: want what production says", image, *executors.Instances, executors.Memory)
	}

	bumped := s.push(bump(t, s.Git, "production", "1.9.4"))
	s.Succeed(app)
	s.ready("jobs", bumped)
	if app.Spec.Image != "registry.example.com/etl:1.9.4" {
		t.Errorf("image %s", app.Spec.Image)
	}
	s.Ran("etl", "1/1", "2/1")

	s.push(files{"base/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [etl.yaml, nightly.yaml, queue.yaml]\n",
		"base/queue.yaml": "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: mine}\nspec: {unlimited: true, namespaceSelector: {}}\n"})
	s.becomes("jobs", metav1.ConditionFalse, "ReconciliationFailed", "forbidden", "system:serviceaccount:"+s.Namespace+":flux", "sparkqueues")
}

// marker is a line that Flux's image automation changes: the tag before a comment that names a policy.
var marker = regexp.MustCompile(`(image: \S+:)\S+( # \{"\$imagepolicy": "[^"]+"\})`)

// bump is what Flux's image automation would commit for a new tag.
func bump(t *testing.T, r *gitserver.Repository, folder, tag string) files {
	t.Helper()
	changed := testbed.Read(t, os.DirFS(r.Dir), folder, folder, strings.NewReplacer())
	for name, text := range changed {
		changed[name] = marker.ReplaceAllString(text, "${1}"+tag+"${2}")
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(changed)), func(text string) bool { return strings.Contains(text, ":"+tag+" # ") }) {
		t.Fatalf("no file of %s has a marker", folder)
	}
	return changed
}
