// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// hostAddress returns an address of this machine that a Service may have as an endpoint: not the loopback one.
func hostAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, is := a.(*net.IPNet); is && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but the loopback one, and a Service must not lead there")
	return ""
}

// publish makes the replicas the endpoints of the operator's Service, as the cluster does. The proxy leads to the addresses of pods only,
// so each of them gets one.
func publish(t *testing.T, replicas ...*replica) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(env.Root(), "config/manager/deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := yaml.UnmarshalStrict(data, &deployment); err != nil {
		t.Fatal(err)
	}
	var subsets strings.Builder
	for _, r := range replicas {
		host, port, err := net.SplitHostPort(r.address)
		if err != nil {
			t.Fatal(err)
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: system, GenerateName: "sparkgate-"},
			Spec:       *deployment.Spec.Template.Spec.DeepCopy(),
		}
		harness.Create(t, pod)
		pod.Status.PodIP, pod.Status.PodIPs = host, []corev1.PodIP{{IP: host}}
		if err := env.Client().Status().Update(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&subsets, "- addresses: [{ip: %s, targetRef: {kind: Pod, namespace: %s, name: %s}}]\n  ports: [{name: https, port: %s}]\n",
			host, system, pod.Name, port)
	}
	text := "apiVersion: v1\nkind: Endpoints\nmetadata: {name: sparkgate-explain, namespace: " + system + "}\nsubsets:\n" + subsets.String()
	if _, err := env.KubectlWith(t, text, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// kubeconfigOf writes the kubeconfig of a user.
func kubeconfigOf(t *testing.T, user *clientcmdapi.AuthInfo) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["test"] = &clientcmdapi.Cluster{Server: env.Config().Host, CertificateAuthorityData: env.Config().CAData}
	c.AuthInfos["me"] = user
	c.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "me"}
	c.CurrentContext = "test"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// run calls sparkctl.
func run(t *testing.T, program, kubeconfig string, args ...string) (out, problem string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append([]string{"--kubeconfig", kubeconfig}, args...)...)
	command.Env = append(os.Environ(), "KUBECONFIG=")
	var o, e bytes.Buffer
	command.Stdout, command.Stderr = &o, &e
	_ = command.Run() // what it says is looked at
	return o.String(), e.String()
}

// TestSparkctl goes through the proxy of the API server: with a token, with a certificate, and when nothing answers.
func TestSparkctl(t *testing.T) {
	install(t)
	leader, standby := pair(t, hostAddress(t))
	l := newLine(t)
	publish(t, standby, leader)
	program := harness.Compile(t, "sparkctl")
	tenantToken := account(t, l.Namespace, "tenant")
	mayViewIn(t, l.Namespace, "tenant")
	admin, tenant := kubeconfigOf(t, &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData}),
		kubeconfigOf(t, &clientcmdapi.AuthInfo{Token: tenantToken})

	says := func(kubeconfig string, args []string, words ...string) {
		t.Helper()
		out, problem := run(t, program, kubeconfig, append([]string{"explain"}, args...)...)
		for _, word := range words {
			if !strings.Contains(out+problem, word) {
				t.Errorf("sparkctl explain %s: no %q in:\n%s%s", strings.Join(args, " "), word, out, problem)
			}
		}
	}
	pi := []string{"pi", "-n", l.Namespace}
	waits := "pi waits in queue " + l.Queue.Name
	says(tenant, pi, waits+": 2 of 2 in line", "one of another namespace, priority 7", "BLOCKED BY", "must be released in queue "+l.Queue.Name)
	says(admin, pi, waits+": 2 of 2 in line", l.other+"/first, priority 7")
	says(admin, []string{"queue", l.Queue.Name}, "2 waiting, 1 admitted", "2  SparkApplication "+l.Namespace+"/pi")
	says(tenant, []string{"queue", l.Queue.Name}, "read the queue", "cannot get resource", "no live view", "may not get sparkqueues")
	says(tenant, []string{"gone", "-n", l.Namespace}, "sparkapplication gone not found in namespace ", "no live view: sparkapplication "+l.Namespace+"/gone not found")

	harness.Eventually(t, l.Queue, "listing who waits", func(q *v1alpha1.SparkQueue) bool { return len(q.Status.Heads) == 2 })
	leader.stop()
	standby.stop()
	says(admin, pi, waits+": number 2 in line", "WaitingForQuota: needs memory 2.625Gi", "There is no live view: the operator does not answer")
	says(tenant, pi, waits, "There is no live view: the operator does not answer", "nor can the queue be read")
	out, problem := run(t, program, admin, "queue", l.Queue.Name)
	for _, word := range []string{l.Queue.Name, "Waits    1  SparkApplication " + l.other + "/first", "         2  SparkApplication " + l.Namespace + "/pi", "Holds    "} {
		if !strings.Contains(out, word) {
			t.Errorf("sparkctl queue without an operator: no %q in:\n%s%s", word, out, problem)
		}
	}
	if _, err := env.Kubectl(t, "delete", "-n", system, "service", "sparkgate-explain"); err != nil {
		t.Fatal(err)
	}
	says(admin, pi, "service sparkgate-explain not found in namespace "+system)
}
