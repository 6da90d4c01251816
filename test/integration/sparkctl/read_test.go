// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestListAndGet: one application runs, one waits, one has failed; they are found by name, queue, stage and label.
func TestListAndGet(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	me := as(t, admin(), w.Namespace)
	if r := me.calls("list"); r.code != 0 || r.out != "" || r.problem != "No SparkApplications found in namespace "+w.Namespace+".\n" {
		t.Errorf("an empty namespace: %+v", r)
	}
	runs := w.Apply("pi", func(app *v1alpha1.SparkApplication) { app.Labels = map[string]string{"team": "a"} })
	w.Run(runs)
	waits := w.Apply("later")
	w.Reach(waits, v1alpha1.QueuedReason)

	table := me.sees(words("list"), "NAME ", "EXECUTORS", "needs memory 2.625Gi")
	if lines := strings.Split(table, "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "later ") || !strings.HasPrefix(lines[2], "pi ") {
		t.Errorf("list:\n%s", table)
	}
	for args, want := range map[string]string{
		"list -o name":                              "later pi",
		"ls --stage running -o name":                "pi",
		"list --stage Queued,Running -o name":       "later pi",
		"list -l team=a -o name":                    "pi",
		"list -o name --queue " + w.Queue.Name:      "later pi",
		"list -o name --queue none":                 "",
		"-n " + w.Namespace + " list -o name":       "later pi",
		"list -o name --namespace " + w.Namespace:   "later pi",
		"list -A -o name --queue " + w.Queue.Name:   "later pi",
		"list -n default -o name --context test":    "",
		"get pi -o name":                            "pi",
		"get sgapp/pi -o name --request-timeout=9s": "pi",
	} {
		out := strings.ReplaceAll(me.sees(words(args)), "sparkapplication.sparkgate.io/", "")
		if got := strings.Join(strings.Fields(out), " "); got != want {
			t.Errorf("sparkctl %s: %q, want %q", args, got, want)
		}
	}
	me.sees(words("get pi"), "Name       "+w.Namespace+"/pi", "Stage      Running", "Queued  ", "Driver     "+runs.Status.Driver.PodName, "End        -")
	me.sees(words("get later"), "Stage      Queued: ", "Admitted   -")

	var list v1alpha1.SparkApplicationList
	if err := json.Unmarshal([]byte(me.sees(words("list -o json"))), &list); err != nil || len(list.Items) != 2 || list.Items[1].Kind != v1alpha1.SparkApplicationKind {
		t.Errorf("-o json: %v, %d applications", err, len(list.Items))
	}
	var one v1alpha1.SparkApplication
	if err := yaml.Unmarshal([]byte(me.sees(words("get pi -o yaml"))), &one); err != nil || one.UID != runs.UID {
		t.Errorf("-o yaml: %v, uid %s", err, one.UID)
	}
}

// TestWhatDoesNotWork: bad input is answered with what was wrong and what to do.
func TestWhatDoesNotWork(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	me := as(t, admin(), namespace)
	harness.Create(t, harness.Pi(namespace, "nightly-etl", "none"))
	me.fails(1, words("get nightly-elt"), "sparkapplication nightly-elt not found in namespace "+namespace+": did you mean nightly-etl?")
	me.fails(1, words("get nothing-like-it"), "not found in namespace "+namespace+": -n names another namespace\n")
	me.fails(2, words("lits"), "did you mean list?")
	me.fails(2, words("list --stage Runing"), `unknown stage "Runing": did you mean Running?`)
	me.fails(2, words("list --everything"), "unknown flag: --everything; see sparkctl list --help")
	me.fails(2, words("list -o xml"), "set it to table, wide, json, yaml, name, jsonpath= or custom-columns=")
	me.fails(2, words("get"), "name one application")
	me.fails(2, words("get a b"), "name one application")
	me.fails(1, words("list -l a=b=c"), "list sparkapplications in namespace "+namespace+": ", "found '='")
	me.fails(1, words("list --server https://127.0.0.1:1"), "the cluster at https://127.0.0.1:1 does not answer", "connection refused", "--context")
	me.fails(1, words("list --context other"), `context "other" does not exist; there are test`)
	me.fails(1, words("list --context tset"), `context "tset" does not exist: did you mean test?`)

	expired := as(t, &clientcmdapi.AuthInfo{Token: "expired"}, namespace)
	expired.fails(1, words("list"), "does not accept your credentials: the token may have expired")
	tenant := as(t, &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData, Impersonate: "ann"}, namespace)
	tenant.fails(1, words("list"), "you may not list sparkapplications in namespace "+namespace+": ask for a role")
	tenant.fails(1, words("list -A"), "you may not list sparkapplications in all namespaces: ask for a role")
	tenant.fails(1, words("get pi"), "you may not get sparkapplications in namespace "+namespace)

	nowhere := user{t, t.TempDir() + "/none"}
	c := nowhere.command("list")
	c.Env = append(os.Environ(), "KUBECONFIG=", "HOME="+t.TempDir(), "KUBERNETES_SERVICE_HOST=")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "no kubeconfig found") {
		t.Errorf("without a kubeconfig: %v %s", err, out)
	}
}

// TestQueue: the tree from the status of the queues, who waits, who holds; and what a user who may only read queues sees.
func TestQueue(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	me := as(t, admin(), w.Namespace)
	w.Run(w.Apply("pi"))
	w.Reach(w.Apply("later"), v1alpha1.QueuedReason)
	harness.Eventually(t, w.Queue, "listing who waits", func(q *v1alpha1.SparkQueue) bool { return len(q.Status.Heads) == 1 && q.Status.Admitted == 1 })
	me.sees(words("queue"), "QUEUE ", "BORROWED", w.Queue.Name+" ", "[####################]")
	me.sees(words("queue "+w.Queue.Name), "Waits    1  SparkApplication "+w.Namespace+"/later", "Holds    "+w.Namespace+"/pi (Running)", "2 executors with")
	me.sees(words("queue "+w.Queue.Name+" -o yaml"), "kind: SparkQueue", "name: "+w.Queue.Name)
	me.sees(words("queue -o json"), `"kind": "List"`)
	me.fails(1, words("queue "+w.Queue.Name+"x"), "sparkqueue "+w.Queue.Name+"x not found: did you mean "+w.Queue.Name+"?")
	ann := as(t, &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData, Impersonate: "ann"}, w.Namespace)
	ann.fails(1, words("queue"), "you may not list sparkqueues: ask for a role")
}

// TestVersion: of the program, of an operator that is a Deployment, and of the CRDs.
func TestVersion(t *testing.T) {
	t.Parallel()
	namespace := env.BareNamespace(t)
	me := as(t, admin(), namespace)
	if out := me.sees(words("version --client"), "sparkctl   "); strings.Count(out, "\n") != 1 {
		t.Errorf("version --client: %s", out)
	}
	me.sees(words("version --operator-namespace "+namespace), "no Deployment in namespace "+namespace, "CRD        sparkapplications.sparkgate.io: v1alpha1")
	labels := map[string]string{"app.kubernetes.io/name": "sparkgate"}
	harness.Create(t, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sparkgate", Labels: labels},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "operator", Image: "docker.io/sparkgate/sparkgate:v0.1.0"}}},
		}},
	})
	me.sees(words("version --operator-namespace "+namespace), "operator   docker.io/sparkgate/sparkgate:v0.1.0 (Deployment "+namespace+"/sparkgate)")
}
