// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// kubeconfigVariable names the kubeconfig of an administrator of a cluster where the operator and the guard are installed.
const kubeconfigVariable = "SPARKGATE_ATTACKS_KUBECONFIG"

// cluster is the cluster that the attacks are played against; set by Main before any test runs.
var cluster struct {
	config *rest.Config
	client client.WithWatch
	scheme *runtime.Scheme
	// acting reports whether there are no nodes, so that the tests act as the kubelet.
	acting bool
	// patience is the longest wait; it matters only if the expected event does not occur.
	patience time.Duration
	// maxTermination is the value of the operator's flag --max-termination.
	maxTermination time.Duration
}

// operatorOptions are those of the manifests.
var operatorOptions = harness.OperatorOptions{AllowedGates: controllers.AllGatesButNone()}

// operator is the one in this process, if acting.
var operator struct {
	sync.Mutex
	running *harness.Operator
}

// Main connects to the cluster, or starts an API server, and runs the tests.
func Main(m *testing.M) int {
	path := os.Getenv(kubeconfigVariable)
	if path == "" {
		cluster.acting, cluster.patience = true, time.Minute
		return harness.Main(m)
	}
	cluster.patience = 4 * time.Minute
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", kubeconfigVariable, err)
		return 1
	}
	if err := connect(config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func connect(config *rest.Config) (err error) {
	config.QPS, config.Burst = -1, -1
	cluster.config = config
	if cluster.scheme, err = env.Scheme(); err != nil {
		return err
	}
	cluster.client, err = client.NewWithWatch(config, client.Options{Scheme: cluster.scheme})
	return err
}

// prepare checks that the operator and the guard are installed, or installs them.
func prepare(t *testing.T) {
	t.Helper()
	cluster.maxTermination = controllers.DefaultMaxTermination
	if !cluster.acting {
		readFlags(t)
		awaitGuard(t)
		return
	}
	if err := connect(env.Config()); err != nil {
		t.Fatal(err)
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-system"}})
	for _, dir := range []string{"rbac", "everywhere", "guard", "queues"} {
		if _, err := env.Kubectl(t, "apply", "-k", filepath.Join(env.Root(), "config", dir)); err != nil {
			t.Fatal(err)
		}
	}
	operator.running = harness.StartOperator(t, operatorOptions)
	awaitGuard(t)
}

// readFlags takes the operator's flags from its Deployment.
func readFlags(t *testing.T) {
	t.Helper()
	list := &appsv1.DeploymentList{}
	if err := cluster.client.List(t.Context(), list, client.InNamespace("sparkgate-system"), client.MatchingLabels{"app.kubernetes.io/name": "sparkgate"}); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		for _, container := range list.Items[i].Spec.Template.Spec.Containers {
			for _, arg := range container.Args {
				value, is := strings.CutPrefix(arg, "--max-termination=")
				if !is {
					continue
				}
				bound, err := time.ParseDuration(value)
				if err != nil {
					t.Fatalf("argument %s of Deployment %s: %v", arg, list.Items[i].Name, err)
				}
				cluster.maxTermination = bound
			}
		}
	}
}

// restartOperator stops the operator and starts another one.
func restartOperator(t *testing.T) {
	t.Helper()
	operator.Lock()
	defer operator.Unlock()
	if cluster.acting {
		operator.running.Stop()
		// The operator serves all attempts, and ends with the API server.
		operator.running = harness.StartOperator(operatorOwner, operatorOptions)
		return
	}
	err := cluster.client.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace("sparkgate-system"), client.MatchingLabels{"app.kubernetes.io/name": "sparkgate"})
	if err != nil {
		t.Fatal(err)
	}
}

// operatorOwner is the test that owns the operator's process.
var operatorOwner *testing.T

// awaitGuard waits until the API server enforces the guard's policies, which it compiles in the background.
func awaitGuard(t *testing.T) {
	t.Helper()
	a := newArena(t, Arena{Guarded: true})
	probe := a.sparkPod("probe")
	env.UntilWithin(t, cluster.patience, "the guard is in force (kubectl apply -k config/guard)", func() (bool, string) {
		pod := probe.DeepCopy()
		err := cluster.client.Create(t.Context(), pod, client.DryRunAll)
		return err == nil && isGated(pod), fmt.Sprint(err)
	})
}

func create(t *testing.T, obj client.Object) {
	t.Helper()
	if err := cluster.client.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}
