// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestObjectsOfAnOlderOperator: the operator takes over what an older one has recorded. What has ended does not run again, what runs
// continues in its pods and holds its quota, and what waits comes next.
func TestObjectsOfAnOlderOperator(t *testing.T) {
	// Recorded with commit 867c7d56; the ledger and the heads of the queue have the form of today.
	namespace := recorded(t, "testdata/867c7d56.yaml")
	pods := podsOf(t, namespace)
	if len(pods) != 3 {
		t.Fatalf("%d pods are recorded, want 3", len(pods))
	}
	kubelet := harness.StartKubelet(t, &harness.Kubelet{Run: harness.Manual}, namespace)
	harness.StartOperator(t, harness.OperatorOptions{})
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	harness.Eventually(t, queue, "taken over", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Ledger != nil && q.Status.Ledger.Epoch > 1 && q.Status.Admitted == 2 && q.Status.Pending == 1
	})
	apps := map[string]*v1alpha1.SparkApplication{}
	for _, name := range []string{"ended", "runs", "second", "waits"} {
		apps[name] = &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	for _, name := range []string{"runs", "second"} { // the one that waits has quota from now on
		finish(t, kubelet, apps[name], pods)
	}
	finish(t, kubelet, apps["waits"], nil)
	for name, app := range apps {
		harness.Eventually(t, app, "succeeded", harness.InStage(v1alpha1.SucceededReason))
		if app.Status.Run != 1 || app.Status.Attempt != 1 || len(app.Status.Attempts) != 1 {
			t.Errorf("%s has run again: %s", name, harness.Show(app))
		}
	}
	now := podsOf(t, namespace)
	for name, uid := range pods {
		if now[name] != uid {
			t.Errorf("pod %s is gone, or another one", name)
		}
	}
	if len(now) != len(pods)+1 {
		t.Errorf("pods %v, want those that are recorded and one more", now)
	}
}

// finish ends the driver of an application well; it is one of some pods, if there are any.
func finish(t *testing.T, kubelet *harness.Kubelet, app *v1alpha1.SparkApplication, pods map[string]types.UID) {
	t.Helper()
	harness.Eventually(t, app, "has a driver", func(a *v1alpha1.SparkApplication) bool { return a.Status.Driver != nil })
	driver := &corev1.Pod{}
	name := app.Status.Driver.PodName
	env.UntilSeen(t, "pod "+name+" exists", func() (bool, error) {
		err := env.Client().Get(t.Context(), client.ObjectKey{Namespace: app.Namespace, Name: name}, driver)
		return err == nil, err
	})
	if pods != nil && pods[name] != driver.UID {
		t.Errorf("driver %s of %s is not the recorded one", name, app.Name)
	}
	kubelet.Start(t.Context(), driver)
	harness.Eventually(t, app, "running", harness.InStage(v1alpha1.RunningReason))
	kubelet.Finish(t.Context(), driver, 0, "Completed")
	harness.Eventually(t, app, "succeeded", harness.InStage(v1alpha1.SucceededReason))
}

// podsOf returns the UIDs of the pods of a namespace that are not being deleted, by name.
func podsOf(t *testing.T, namespace string) map[string]types.UID {
	t.Helper()
	list := &corev1.PodList{}
	if err := env.Client().List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	uids := map[string]types.UID{}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp.IsZero() {
			uids[list.Items[i].Name] = list.Items[i].UID
		}
	}
	return uids
}

// recorded creates the objects of a file with their status in a fresh namespace, and returns it. They were recorded just now. The API server
// gives them other UIDs than they had, so each is replaced wherever it is named.
func recorded(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	namespace := env.Namespace(t)
	text = asOf(clock.RealClock{}.Now(), bytes.ReplaceAll(text, []byte("recorded"), []byte(namespace)))
	for i := range objects(t, text) {
		o := objects(t, text)[i] // with the UIDs of those before it
		uid := string(o.GetUID())
		o.SetUID("")
		if err := env.Client().Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(uid), []byte(o.GetUID()))
	}
	for _, o := range objects(t, text) {
		current := o.DeepCopy()
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(o), current); err != nil {
			t.Fatal(err)
		}
		o.SetResourceVersion(current.GetResourceVersion())
		if err := env.Client().Status().Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return namespace
}

var timestamp = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`)

// asOf moves all times of a text so that the last of them is now: drivers that had just started have not missed a timeout.
func asOf(now time.Time, text []byte) []byte {
	parse := func(found []byte) time.Time {
		at, _ := time.Parse(time.RFC3339Nano, string(found)) // the expression admits nothing else
		return at
	}
	var last time.Time
	for _, found := range timestamp.FindAll(text, -1) {
		if at := parse(found); at.After(last) {
			last = at
		}
	}
	shift := now.Sub(last).Truncate(time.Second)
	return timestamp.ReplaceAllFunc(text, func(found []byte) []byte {
		if bytes.Contains(found, []byte(".")) {
			return []byte(parse(found).Add(shift).UTC().Format(metav1.RFC3339Micro))
		}
		return []byte(parse(found).Add(shift).UTC().Format(time.RFC3339))
	})
}

// objects decodes a file.
func objects(t *testing.T, text []byte) []*unstructured.Unstructured {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(text)), 4096)
	var all []*unstructured.Unstructured
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
}
