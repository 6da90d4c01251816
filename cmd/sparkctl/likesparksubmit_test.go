// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// lineOfCI is a call of spark-submit, without its program.
const lineOfCI = "--master k8s://https://10.0.0.1:6443 --deploy-mode cluster --name etl --conf spark.kubernetes.namespace=spark " +
	"--conf spark.kubernetes.container.image=spark:4.1.4"

const (
	postApplication = "POST /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications"
	postSecret      = "POST /api/v1/namespaces/spark/secrets"
	patchSecret     = "PATCH /api/v1/namespaces/spark/secrets/"
)

// endsWith returns an application whose run has ended with an exit code; nil if the driver has none.
func endsWith(reason string, code *int32) []reply {
	return applicationWith(reason, "run 2 has ended", func(s *v1alpha1.SparkApplicationStatus) {
		s.Attempt = 2
		s.Attempts = []v1alpha1.AttemptStatus{{Run: 1, Attempt: 1, ExitCode: ptr.To[int32](9)}, {Run: 2, Attempt: 1, ExitCode: ptr.To[int32](8)}, {Run: 2, Attempt: 2, ExitCode: code}}
	})
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// TestExitCodeOfTheDriver: submit with the arguments of spark-submit waits as spark-submit does. Its exit code is that of
// the driver, and its last line says so, in the form that programs look for which call spark-submit.
func TestExitCodeOfTheDriver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags, more string
		ended       []reply
		code        int
		last        string
	}{
		"succeeded":                   {"", "", endsWith(v1alpha1.SucceededReason, ptr.To[int32](0)), 0, "exit code: 0"},
		"failed":                      {"", "", endsWith(v1alpha1.FailedReason, ptr.To[int32](7)), 7, "exit code: 7"},
		"failed, with the log":        {"--logs ", "", endsWith(v1alpha1.RetriesExceededReason, ptr.To[int32](1)), 1, "exit code: 1"},
		"failed without an exit code": {"", "", endsWith(v1alpha1.FailedReason, nil), 3, "sparkctl submit: run 2 of pi has failed: Failed: run 2 has ended"},
		"stopped, code 0":             {"", "", endsWith(v1alpha1.DeadlineExceededReason, ptr.To[int32](0)), 3, "sparkctl submit: run 2 of pi has failed: DeadlineExceeded: run 2 has ended"},
		"does not wait":               {"", "--conf spark.kubernetes.submission.waitAppCompletion=false ", nil, 0, "sparkapplication.sparkgate.io/pi created in namespace spark"},
		"in capitals":                 {"", "--conf spark.kubernetes.submission.waitAppCompletion=FALSE ", nil, 0, "sparkapplication.sparkgate.io/pi created in namespace spark"},
		"does not wait, by the flag":  {"--wait=false ", "", nil, 0, "sparkapplication.sparkgate.io/pi created in namespace spark"},
		"waits nevertheless":          {"--wait ", "--conf spark.kubernetes.submission.waitAppCompletion=false ", endsWith(v1alpha1.FailedReason, ptr.To[int32](7)), 7, "exit code: 7"},
		"within a time":               {"--timeout 1s ", "", applicationWith(v1alpha1.RunningReason, "the driver runs", nil), cli.ExitTimeout, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replies := map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil), "GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod]()}
			if tt.ended != nil {
				replies[apis+"namespaces/spark/sparkapplications/pi"] = tt.ended
			}
			_, kubeconfig := startAPIServer(t, "mine", replies)
			code, out, problem := call("", strings.Fields("submit --kubeconfig="+kubeconfig+" "+tt.flags+"-- "+lineOfCI+" "+tt.more+"local:///etl.py")...)
			if code != tt.code || out != "" || tt.last != "" && lastLine(problem) != tt.last {
				t.Errorf("exit code %d, want %d; %q; last line %q, want %q:\n%s", code, tt.code, out, lastLine(problem), tt.last, problem)
			}
		})
	}
}

// created is what a call of submit has sent.
type created struct {
	app    v1alpha1.SparkApplication
	secret corev1.Secret
	owners []metav1.OwnerReference
}

// submitted calls submit with secrets on the command line.
func submitted(t *testing.T) created {
	t.Helper()
	s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		postSecret: {{201, struct{}{}}}, postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil),
		patchSecret: {{200, struct{}{}}}, apis + "namespaces/spark/sparkapplications/pi": endsWith(v1alpha1.SucceededReason, ptr.To[int32](0)),
	})
	args := append(strings.Fields("submit --kubeconfig="+kubeconfig+" -- "+lineOfCI), "--conf", keyOfS3+"=hunter 2\n$x",
		"--conf", "spark.my.url=jdbc:postgresql://db/x?user=a&password=hunter3", "local:///etl.py")
	code, out, problem := call("", args...)
	if code != 0 || strings.Contains(out+problem+s.bodies[postApplication], "hunter") {
		t.Errorf("exit code %d, %q, %q; the application: %s", code, out, problem, s.bodies[postApplication])
	}
	var c created
	var owned struct{ Metadata metav1.ObjectMeta }
	read := func(call string, into any) {
		if err := json.Unmarshal([]byte(s.bodies[call]), into); err != nil {
			t.Fatalf("%s: %v: %q; %q", call, err, s.calls, problem)
		}
	}
	read(postSecret, &c.secret)
	read(postApplication, &c.app)
	read(patchSecret+c.secret.Name, &owned)
	c.owners = owned.Metadata.OwnerReferences
	return c
}

const keyOfS3 = "spark.hadoop.fs.s3a.secret.key"

// TestSecretsOfTheCommandLine: what looks like a secret is in a Secret that belongs to the application, and nowhere else:
// not in the application, and not in what is printed. The same line can be run again.
func TestSecretsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	c, again := submitted(t), submitted(t)
	if got := c.secret.StringData[keyOfS3]; got != "hunter 2\n$x" {
		t.Errorf("the Secret has %q", got)
	}
	if from := c.app.Spec.SparkConfFrom; len(from) != 2 || from[0].SecretKeyRef.Name != c.secret.Name {
		t.Errorf("Secret %s, but the application takes %+v", c.secret.Name, from)
	}
	if len(c.owners) != 1 || c.owners[0].UID != "1" {
		t.Errorf("the Secret belongs to %+v", c.owners)
	}
	if c.app.Spec.SparkConf["spark.app.name"] != "etl" || !strings.HasPrefix(c.app.Name, "etl-") || c.app.Name == again.app.Name {
		t.Errorf("applications %q and %q, named %q", c.app.Name, again.app.Name, c.app.Spec.SparkConf["spark.app.name"])
	}
}

// TestSecretsThatMayNotBeCreated: without the right to create Secrets nothing is created, and the message names the
// right. If the application is refused, its Secret does not stay.
func TestSecretsThatMayNotBeCreated(t *testing.T) {
	t.Parallel()
	forbidden := refusal(403, metav1.StatusReasonForbidden, `secrets is forbidden: User "ci" cannot create resource "secrets"`)
	for name, tt := range map[string]struct {
		secret, app reply
		want        string
		deletes     bool
	}{
		"no right to Secrets":     {forbidden, reply{201, struct{}{}}, "you may not create secrets in namespace spark: ask for a role with that verb on that resource", false},
		"the application refused": {reply{201, struct{}{}}, refusal(422, metav1.StatusReasonInvalid, "too long"), "too long", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postSecret: {tt.secret}, postApplication: {tt.app}})
			code, _, problem := call("", strings.Fields("submit --kubeconfig="+kubeconfig+" -- "+lineOfCI+" --conf spark.hadoop.fs.s3a.secret.key=hunter2 local:///etl.py")...)
			if code != cli.ExitFailed || !strings.Contains(problem, tt.want) || strings.Contains(problem, "hunter2") {
				t.Errorf("exit code %d, %q", code, problem)
			}
			deleted, created := false, false
			for _, call := range s.calls {
				deleted = deleted || strings.HasPrefix(call, "DELETE /api/v1/namespaces/spark/secrets/etl-")
				created = created || call == postApplication
			}
			if deleted != tt.deletes || created != tt.deletes {
				t.Errorf("calls: %q", s.calls)
			}
		})
	}
}

// TestAnotherCluster: the cluster is that of the kubeconfig. If the arguments name another one, in which spark-submit would
// have run the job, a note says so.
func TestAnotherCluster(t *testing.T) {
	t.Parallel()
	const rest = " --deploy-mode cluster --conf spark.kubernetes.namespace=spark --conf spark.kubernetes.container.image=spark:4.1.4 " +
		"--conf spark.kubernetes.submission.waitAppCompletion=false local:///etl.py"
	for master, noted := range map[string]bool{
		"k8s://https://spark.example.org:6443": true, "k8s://spark.example.org:6443": true, "k8s://https://ci:hunter2@spark.example.org": true, "k8s://HOST": false,
		"k8s://https://kubernetes.default.svc": false, "k8s://https://kubernetes.default.svc.cluster.local:443": false, "": false,
	} {
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil)})
		host := clusterOf(t, kubeconfig).Host()
		line := "submit --kubeconfig=" + kubeconfig + " --"
		if master != "" {
			line += " --master " + strings.Replace(master, "HOST", host, 1)
		}
		code, _, problem := call("", strings.Fields(line+rest)...)
		if want := "sparkctl submit: note: --master: the application is created in the cluster of the kubeconfig, at " + host; code != 0 || strings.Contains(problem, want) != noted ||
			strings.Contains(problem, "hunter2") {
			t.Errorf("%s: exit code %d, noted %t:\n%s", master, code, !noted, problem)
		}
	}
}

// TestManifestsWithTheSameKeyTwice: YAML parsers that do not mind take the last one of two, and the other is lost.
func TestManifestsWithTheSameKeyTwice(t *testing.T) {
	t.Parallel()
	s, kubeconfig := startAPIServer(t, "mine", nil)
	const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\nspec:\n  driver: {memory: 4g}\n  driver: {cores: 1}\n"
	if code, _, problem := call(manifest, "submit", "-f", "-", "--kubeconfig="+kubeconfig); code != cli.ExitFailed || !strings.Contains(problem, `key "driver" already set`) {
		t.Errorf("exit code %d, %q", code, problem)
	}
	if len(s.calls) > 0 {
		t.Errorf("sent %q", s.calls)
	}
}

// TestFormsOfManifests: JSON with tabs, line ends and a mark of order of Windows, comments and empty documents.
func TestFormsOfManifests(t *testing.T) {
	t.Parallel()
	for name, manifest := range map[string]string{
		"JSON":        "{\n\t\"apiVersion\": \"sparkgate.io/v1alpha1\",\n\t\"kind\": \"SparkApplication\",\n\t\"metadata\": {\n\t\t\"name\": \"pi\"\n\t}\n}\n",
		"one line":    `{"apiVersion":"sparkgate.io/v1alpha1","kind":"SparkApplication","metadata":{"name":"pi"}}`,
		"Windows":     "\ufeff# a comment\r\n---\r\napiVersion: sparkgate.io/v1alpha1\r\nkind: SparkApplication\r\nmetadata:\r\n  name: pi\r\n---\r\n",
		"no comments": "\ufeffapiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n",
	} {
		s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil)})
		if code, _, problem := call(manifest, "submit", "-f", "-", "--kubeconfig="+kubeconfig); code != 0 || !strings.Contains(s.bodies[postApplication], `"name":"pi"`) {
			t.Errorf("%s: exit code %d, %q, %q", name, code, problem, s.bodies[postApplication])
		}
	}
}

// TestNameOfWhatWasSubmitted: -o prints what was created on standard output, for scripts: the name may be generated.
func TestNameOfWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil)})
	const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {generateName: pi-}\n"
	for format, want := range map[string]string{"name": "sparkapplication.sparkgate.io/pi\n", "json": `"name": "pi"`, "yaml": "  name: pi\n"} {
		code, out, problem := call(manifest, "submit", "-f", "-", "-o", format, "--kubeconfig="+kubeconfig)
		if code != 0 || !strings.Contains(out, want) || !strings.Contains(problem, "created in namespace spark") {
			t.Errorf("-o %s: exit code %d, %q, %q", format, code, out, problem)
		}
	}
}

// TestHowLongWhatWasSubmittedIsKept: each call creates another application, so they do not stay forever unless asked for.
func TestHowLongWhatWasSubmittedIsKept(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{"": "168h0m0s", "--ttl 90m": "1h30m0s", "--ttl 0": ""} {
		s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil)})
		code, _, problem := call("", strings.Fields("submit --wait=false --kubeconfig="+kubeconfig+" "+flags+" -- "+lineOfCI+" local:///etl.py")...)
		var sent struct {
			Spec struct{ TTLAfterFinished string }
		}
		if err := json.Unmarshal([]byte(s.bodies[postApplication]), &sent); err != nil {
			t.Fatal(err)
		}
		if code != 0 || sent.Spec.TTLAfterFinished != want {
			t.Errorf("%q: exit code %d, ttlAfterFinished %q, want %q; %s", flags, code, sent.Spec.TTLAfterFinished, want, problem)
		}
	}
}

// TestStandardOfTheNamespace: what comes from arguments satisfies the standard that the namespace enforces.
func TestStandardOfTheNamespace(t *testing.T) {
	t.Parallel()
	for enforced, want := range map[string]v1alpha1.PodSecurity{
		"": v1alpha1.PodSecurityNone, "restricted": v1alpha1.PodSecurityRestricted, "baseline": v1alpha1.PodSecurityBaseline, "privileged": v1alpha1.PodSecurityNone,
	} {
		replies := map[string][]reply{postApplication: applicationWith(v1alpha1.QueuedReason, "waits", nil)}
		if enforced != "" {
			labels := map[string]string{"pod-security.kubernetes.io/enforce": enforced}
			replies["GET /api/v1/namespaces/spark"] = []reply{{200, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "spark", Labels: labels}}}}
		}
		s, kubeconfig := startAPIServer(t, "mine", replies)
		code, _, problem := call("", strings.Fields("submit --wait=false --kubeconfig="+kubeconfig+" -- "+lineOfCI+" local:///etl.py")...)
		var sent v1alpha1.SparkApplication
		if err := json.Unmarshal([]byte(s.bodies[postApplication]), &sent); err != nil {
			t.Fatal(err)
		}
		if code != 0 || sent.Spec.PodSecurity != want {
			t.Errorf("enforced %q: exit code %d, podSecurity %q, want %q; %s", enforced, code, sent.Spec.PodSecurity, want, problem)
		}
	}
}

// TestLostAnswers: if the answer to a creation is lost, the application is followed if it exists. Otherwise its Secret is
// deleted, unless it is not known whether the application needs it.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	lost := refusal(503, metav1.StatusReasonServiceUnavailable, "upstream connect error")
	notThere := refusal(404, metav1.StatusReasonNotFound, "not there")
	stored := endsWith(v1alpha1.SucceededReason, ptr.To[int32](0))
	for name, tt := range map[string]struct {
		secret, create reply
		read           []reply
		code           int
		says           string
		deletes        bool
	}{
		"it was stored":      {reply{201, struct{}{}}, lost, stored, 0, "exit code: 0", false},
		"it was not stored":  {reply{201, struct{}{}}, lost, []reply{notThere}, cli.ExitFailed, "upstream connect error", true},
		"nobody knows":       {reply{201, struct{}{}}, lost, []reply{lost}, cli.ExitFailed, "it is not known whether the application was created: before you submit again", false},
		"that of the Secret": {lost, reply{201, struct{}{}}, nil, cli.ExitFailed, "upstream connect error", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{postSecret: {tt.secret}, postApplication: {tt.create},
				patchSecret: {{200, struct{}{}}}, apis + "namespaces/spark/sparkapplications/": tt.read})
			code, _, problem := call("", strings.Fields("submit --kubeconfig="+kubeconfig+" -- "+lineOfCI+" --conf spark.hadoop.fs.s3a.secret.key=hunter2 local:///etl.py")...)
			deleted := slices.ContainsFunc(s.calls, func(call string) bool { return strings.HasPrefix(call, "DELETE /api/v1/namespaces/spark/secrets/etl-") })
			if code != tt.code || !strings.Contains(problem, tt.says) || deleted != tt.deletes {
				t.Errorf("exit code %d, Secret deleted %t, calls %q: %s", code, deleted, s.calls, problem)
			}
		})
	}
}
