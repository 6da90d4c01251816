// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gitops_test

import (
	"embed"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
)

// What the script and the expressions say is tested beside the table of conditions, in internal/job/status.

func TestArgoCDConfigMapInstallsTheScripts(t *testing.T) {
	t.Parallel()
	var cm corev1.ConfigMap
	if err := yaml.UnmarshalStrict(gitops.ArgoCDConfigMap, &cm); err != nil {
		t.Fatalf("argocd-cm.yaml: %v", err)
	}
	want := map[string]string{}
	for _, kind := range []string{v1alpha1.SparkApplicationKind, v1alpha1.ScheduledSparkApplicationKind, v1alpha1.SparkClusterKind, v1alpha1.SparkQueueKind} {
		want["resource.customizations.health."+v1alpha1.Group+"_"+kind] = gitops.ArgoCDHealthLua
	}
	for kind, run := range map[string]string{v1alpha1.SparkApplicationKind: "run-again", v1alpha1.ScheduledSparkApplicationKind: "run-now"} {
		key := "resource.customizations.actions." + v1alpha1.Group + "_" + kind
		var got actions
		if err := yaml.UnmarshalStrict([]byte(cm.Data[key]), &got); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if diff := cmp.Diff(actions{Discovery: actionLua(t, "discovery"), Definitions: []action{
			{Name: run, Lua: actionLua(t, "run")}, {Name: "suspend", Lua: actionLua(t, "suspend")}, {Name: "resume", Lua: actionLua(t, "resume")},
		}}, got); diff != "" {
			t.Errorf("%s does not have the files of argocd/actions (-want +got):\n%s", key, diff)
		}
		delete(cm.Data, key)
	}
	if diff := cmp.Diff(want, cm.Data); diff != "" {
		t.Errorf("argocd-cm.yaml is not health.lua once for each kind (-want +got):\n%s", diff)
	}
	if cm.Name != "argocd-cm" {
		t.Errorf("the patch is for ConfigMap %q", cm.Name)
	}
}

// actions is what Argo CD reads below resource.customizations.actions.
type actions struct {
	Discovery   string   `json:"discovery.lua"`
	Definitions []action `json:"definitions"`
}

type action struct {
	Name string `json:"name"`
	Lua  string `json:"action.lua"`
}

// actionLua is a file of argocd/actions.
func actionLua(t *testing.T, name string) string {
	t.Helper()
	text, err := gitops.ArgoCD.ReadFile("argocd/actions/" + name + ".lua")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

//go:embed README.md
var readme string

// TestReadmeShowsTheExpressions keeps the example of the profile "started" equal to the file.
func TestReadmeShowsTheExpressions(t *testing.T) {
	t.Parallel()
	var profiles map[string][]kustomize.CustomHealthCheck
	if err := yaml.UnmarshalStrict(gitops.FluxHealthCheckExprs, &profiles); err != nil {
		t.Fatalf("health-check-exprs.yaml: %v", err)
	}
	if len(profiles["started"]) == 0 {
		t.Fatal("health-check-exprs.yaml has no profile started")
	}
	for _, c := range profiles["started"] {
		for _, expression := range []string{c.Failed, c.Current} {
			if !strings.Contains(readme, ": "+expression+"\n") {
				t.Errorf("README.md does not show the expression %q", expression)
			}
		}
	}
}

//go:embed testdata/kustomize
var example embed.FS

// TestKustomizeReachesEveryField builds an application that uses every field which names something, and looks for an old name.
func TestKustomizeReachesEveryField(t *testing.T) {
	t.Parallel()
	out := build(t, gitops.KustomizeConfig)
	if old := regexp.MustCompile(`(?m)^.*(: |- )old-.*$|^.*old:1.*$`).FindAllString(out, -1); len(old) > 0 {
		t.Errorf("not followed:\n%s", strings.Join(old, "\n"))
	}
	for _, want := range []string{
		"image: registry.example.com/old:2.3", "name: new-old-queue", "parent: new-old-root", "claimName: new-old-claim",
		"serviceAccountName: new-old-account", "priorityClassName: new-old-priority", "- new-old-flavor", "secretName: new-old-secret",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
	if generated := regexp.MustCompile(`sparkConfigMap: new-old-generated-[a-z0-9]{10}\n`); !generated.MatchString(out) {
		t.Errorf("sparkConfigMap does not follow the hash of the generated ConfigMap:\n%s", out)
	}
}

// TestKustomizeNeedsTheConfig shows that the file is not idle: without it our own fields keep the old names.
func TestKustomizeNeedsTheConfig(t *testing.T) {
	t.Parallel()
	out := build(t, []byte("{}"))
	for _, want := range []string{"sparkConfigMap: old-generated\n", "  image: registry.example.com/old:1\n", "parent: old-root\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output of a build without the configuration", want)
		}
	}
}

// TestPatchesReplaceLists: what docs/gitops.md says of overlays, and the JSON patch that it shows.
func TestPatchesReplaceLists(t *testing.T) {
	t.Parallel()
	const queue = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: team-a}\nspec:\n"
	page, err := os.ReadFile(filepath.Join("..", "docs", "gitops.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(page), "```yaml\npatches:\n- target: {kind: SparkQueue,")
	shown, _, _ = strings.Cut(shown, "```")
	if !found {
		t.Fatal("docs/gitops.md shows no patch of a queue")
	}
	for name, tc := range map[string]struct {
		patches string
		memory  bool
	}{
		"merged":     {"patches: [{path: patch.yaml}]\n", false},
		"JSON patch": {"patches:\n- target: {kind: SparkQueue," + shown, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := filesys.MakeFsInMemory()
			for file, text := range map[string]string{
				"queue.yaml":         queue + `  flavors: [{name: default, quotas: [{resource: cpu, nominal: "4"}, {resource: memory, nominal: 4Gi}]}]`,
				"patch.yaml":         queue + `  flavors: [{name: default, quotas: [{resource: cpu, nominal: "8"}]}]`,
				"kustomization.yaml": "resources: [queue.yaml]\n" + tc.patches,
			} {
				if err := files.WriteFile("/"+file, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/")
			if err != nil {
				t.Fatal(err)
			}
			text, err := built.AsYaml()
			if err != nil {
				t.Fatal(err)
			}
			if out := string(text); !strings.Contains(out, `nominal: "8"`) || strings.Contains(out, "memory") != tc.memory {
				t.Errorf("want 8 cores, and memory: %t:\n%s", tc.memory, out)
			}
		})
	}
}

// build runs Kustomize over the example with the given transformer configuration.
func build(t *testing.T, config []byte) string {
	t.Helper()
	const dir = "testdata/kustomize"
	fs := filesys.MakeFsInMemory()
	entries, err := example.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"kustomizeconfig.yaml": config}
	for _, entry := range entries {
		if files[entry.Name()], err = example.ReadFile(path.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		if err := fs.WriteFile(path.Join("/", name), content); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/")
	if err != nil {
		t.Fatalf("kustomize build: %v", err)
	}
	out, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
