// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// notification is what a provider of the type generic posts.
type notification struct {
	InvolvedObject struct{ Kind, Name string }
	Severity       string
	Reason         string
	Message        string
	Metadata       map[string]string
}

// chat is where alerts go.
type chat struct {
	url string

	mu    sync.Mutex
	heard []notification
}

func newChat(t *testing.T) *chat {
	t.Helper()
	c := &chat{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Errorf("a notification cannot be read: %v", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.heard = append(c.heard, n)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// about returns what was heard of a kind.
func (c *chat) about(kind string) []notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.heard), func(n notification) bool { return n.InvolvedObject.Kind != kind })
}

// patchedFlux returns the files of the repository that Flux was bootstrapped from, with the patch that docs/gitops.md
// shows.
func patchedFlux(t *testing.T) files {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(env.Root(), "docs", "gitops.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```yaml\napiVersion: kustomize.config.k8s.io/v1beta1\n")
	patch, _, ended := strings.Cut(rest, "```\n")
	if !found || !ended || !strings.Contains(patch, "alerts.notification.toolkit.fluxcd.io") {
		t.Fatal("docs/gitops.md does not show the patch of Flux's Alerts")
	}
	crd, err := systems.FluxAlertCRD(env.Root())
	if err != nil {
		t.Fatal(err)
	}
	// The operations for each version of the CRD, as the page says.
	head, operations, found := strings.Cut(patch, "    - op: add\n")
	if !found {
		t.Fatalf("no operation in\n%s", patch)
	}
	patch = head
	for i := range strings.Count(crd, "    served: true\n") {
		patch += "    - op: add\n" + strings.ReplaceAll(operations, "/versions/0/", fmt.Sprintf("/versions/%d/", i))
	}
	policy, err := gitops.Flux.ReadFile("flux/allow-sparkgate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return files{
		"flux-system/kustomization.yaml":   "apiVersion: kustomize.config.k8s.io/v1beta1\n" + patch,
		"flux-system/gotk-components.yaml": crd,
		"flux-system/gotk-sync.yaml":       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gotk-sync}\n",
		"flux-system/allow-sparkgate.yaml": string(policy),
	}
}

// TestAlerts: with Alerts patched as docs/gitops.md says, the failure of a run reaches a provider with our message, and that of the
// Kustomization with Flux's.
func TestAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	content := patchedFlux(t)
	content["jobs/app.yaml"] = w.Manifest("pi", "suspend: true")
	chat := newChat(t)
	revision := w.deploy(content, map[string][]string{"flux-system": nil, "jobs": nil})
	w.ready("flux-system", revision)
	replace := strings.NewReplacer("https://hooks.example.com/team-a", chat.url, "team-a", w.Namespace)
	w.createShipped("alerts.yaml", replace)

	// Flux starts to watch Alerts anew when their definition changes, and events that come before that find none.
	for run := 1; len(chat.about(v1alpha1.SparkApplicationKind)) == 0 || len(chat.about("Kustomization")) == 0; run++ {
		if run > 5 {
			t.Fatalf("after 5 failed runs heard of %+v and %+v", chat.about(v1alpha1.SparkApplicationKind), chat.about("Kustomization"))
		}
		w.push(files{"jobs/app.yaml": w.Manifest("pi", fmt.Sprintf("runID: %q", fmt.Sprint(run)))})
		w.Run(w.App("pi"))
		w.End("pi", 3)
		w.becomes("jobs", metav1.ConditionFalse, "HealthCheckFailed")
		w.settles(chat)
	}
	ours, fluxes := chat.about(v1alpha1.SparkApplicationKind)[0], chat.about("Kustomization")[0]
	if ours.InvolvedObject.Name != "pi" || ours.Severity != "error" || ours.Reason != "Failed" || !strings.Contains(ours.Message, "exit code 3") ||
		ours.Metadata["run"] == "" || ours.Metadata["queue"] != w.Queue.Name || ours.Metadata["kustomization"] != w.Namespace+"/jobs" {
		t.Errorf("notified of %+v", ours)
	}
	if fluxes.InvolvedObject.Name != "jobs" || !strings.Contains(fluxes.Message, "SparkApplication/"+w.Namespace+"/pi") {
		t.Errorf("notified of %+v", fluxes)
	}
}

// settles waits for notifications of both kinds, for as long as they usually take.
func (w *world) settles(c *chat) {
	for range 50 {
		if len(c.about(v1alpha1.SparkApplicationKind)) > 0 && len(c.about("Kustomization")) > 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// createShipped creates the objects of a file of gitops/flux.
func (w *world) createShipped(name string, replace *strings.Replacer) []*unstructured.Unstructured {
	w.t.Helper()
	text, err := gitops.Flux.ReadFile("flux/" + name)
	if err != nil {
		w.t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for _, document := range strings.Split(replace.Replace(string(text)), "\n---\n") {
		obj := w.fluxObject(document)
		w.create(obj)
		objects = append(objects, obj)
	}
	return objects
}

// TestReceiver: Flux fetches and applies a push as soon as the Git server has posted to the webhook, and nothing that is not signed.
func TestReceiver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/README.md": "Jobs.\n"}, map[string][]string{"jobs": nil})
	harness.Create(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "webhook-token"}, StringData: map[string]string{"token": "secret"},
	})
	receiver := w.createShipped("receiver.yaml", strings.NewReplacer("team-a", w.Namespace))[0]
	var hook string
	env.Until(t, "the webhook has a path", func() bool {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(receiver), receiver); err != nil {
			t.Fatal(err)
		}
		hook, _, _ = unstructured.NestedString(receiver.Object, "status", "webhookPath")
		return hook != ""
	})
	revision := w.commit(files{"jobs/app.yaml": w.Manifest("pi")})
	if status := post(t, hook, "wrong"); status == http.StatusOK {
		t.Error("a post with a wrong signature is accepted")
	}
	env.UntilSeen(t, "the webhook is accepted", func() (bool, int) {
		status := post(t, hook, "secret")
		return status == http.StatusOK, status
	})
	w.Succeed(w.App("pi"))
	w.ready("jobs", revision)
}

// post posts to a webhook as a Git server does, signed with a key.
func post(t *testing.T, path, key string) int {
	t.Helper()
	const body = `{"ref":"refs/heads/main"}`
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addresses.ReceiverAddr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // only the status counts
	return answer.StatusCode
}
