// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	// secretKey is a property that comes from a Secret in these tests.
	secretKey = "spark.hadoop.fs.s3a.secret.key"
	// secretValue is what only the driver may see.
	secretValue = "wJalrXUtnFEMI-K7MDENG"
)

// fromSecret takes a property from the Secret s3.
func fromSecret(app *v1alpha1.SparkApplication) {
	app.Spec.SparkConfFrom = append(app.Spec.SparkConfFrom, v1alpha1.SparkConfSource{
		Name: secretKey, SecretKeyRef: v1alpha1.SecretKeyReference{Name: "s3", Key: "secret"},
	})
}

// s3 returns the Secret that fromSecret names.
func s3(w *harness.World, data map[string]string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "s3"}, StringData: data}
}

// confSecret returns the Secret with the properties of the current attempt of an application.
func confSecret(t *testing.T, app *v1alpha1.SparkApplication) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	name := strings.TrimSuffix(app.Status.Driver.PodName, "-driver") + "-driver-conf-secret"
	if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: app.Namespace, Name: name}, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

// TestPropertyFromSecret: the value is in the Secret of the attempt, which the driver mounts where its properties always are, and nowhere
// else; a value that was changed counts from the next attempt on.
func TestPropertyFromSecret(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	source := s3(w, map[string]string{"secret": secretValue})
	app := w.Apply("pi", fromSecret)
	misses(t, w, app, kinds["secret"].words, true)
	harness.Create(t, source)
	driver := w.Run(app)

	made := confSecret(t, app)
	if properties := string(made.Data["spark.properties"]); !strings.Contains(properties, secretKey+"="+secretValue+"\n") {
		t.Errorf("properties:\n%s", properties)
	}
	if !metav1.IsControlledBy(made, app) || made.Labels[v1alpha1.ApplicationLabel] != "pi" || made.Immutable == nil || !*made.Immutable {
		t.Errorf("want a Secret of the application that does not change: %+v", made.ObjectMeta)
	}
	mounted := ""
	for _, volume := range driver.Spec.Volumes {
		if volume.Name == "spark-conf-volume-driver" && volume.Projected != nil {
			mounted = volume.Projected.Sources[0].Secret.Name
		}
	}
	if mounted != made.Name {
		t.Errorf("the driver mounts %q, want %q", mounted, made.Name)
	}
	seenNowhere(t, w, app)

	const newValue = "another-K7MDENG"
	harness.Change(t, source, func(s *corev1.Secret) { s.StringData = map[string]string{"secret": newValue} })
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
	w.Run(app)
	if properties := string(confSecret(t, app).Data["spark.properties"]); !strings.Contains(properties, newValue) {
		t.Errorf("properties of the second run:\n%s", properties)
	}
	w.Succeed(app)
}

// seenNowhere looks for the value in everything that was ever written about an application, and in all that others may read.
func seenNowhere(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
	t.Helper()
	var objects []any
	for _, version := range w.History.Versions(app) {
		objects = append(objects, version)
	}
	for _, list := range []client.ObjectList{
		&v1alpha1.SparkApplicationList{}, &v1alpha1.SparkQueueList{}, &corev1.PodList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &eventsv1.EventList{},
	} {
		if err := env.Client().List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, list)
	}
	for _, object := range objects {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secretValue) {
			t.Errorf("the value can be read in %T", object)
		}
	}
}

// TestKeyOfSecretMissing: the Secret is there, its key is not, or is not text; that is reported, and the application continues automatically.
func TestKeyOfSecretMissing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data  map[string][]byte
		words []string
	}{
		"no key":  {map[string][]byte{"other": []byte(secretValue)}, []string{`key "secret"`, `spec.sparkConfFrom[` + secretKey + `]`, `does not exist in Secret "s3"`}},
		"no data": {nil, []string{`key "secret"`, `does not exist in Secret "s3"`}},
		"no text": {map[string][]byte{"secret": {0xff, 0xfe}}, []string{`key "secret"`, `is not UTF-8 text in Secret "s3"`, "UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			source := s3(w, nil)
			source.Data = test.data
			harness.Create(t, source)
			app := w.Apply("pi", fromSecret)
			misses(t, w, app, test.words, false)
			harness.Change(t, source, func(s *corev1.Secret) { s.StringData = map[string]string{"secret": secretValue} })
			w.Run(app)
			seenNowhere(t, w, app)
			w.Succeed(app)
		})
	}
}

// TestTooMuchInSecrets: what no Secret could hold is reported with the largest properties, not with their values.
func TestTooMuchInSecrets(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	harness.Create(t, s3(w, map[string]string{"secret": strings.Repeat("K7MDENG", 100_000)}))
	app := w.Apply("pi", fromSecret, func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConfFrom = append(a.Spec.SparkConfFrom, v1alpha1.SparkConfSource{
			Name: "spark.hadoop.fs.s3a.access.key", SecretKeyRef: v1alpha1.SecretKeyReference{Name: "s3", Key: "secret"},
		})
	})
	w.Reach(app, v1alpha1.InvalidSpecReason)
	message := harness.Message(app)
	for _, words := range []string{"spec.sparkConfFrom: the properties of an attempt have 14", "the largest are spark.hadoop.fs.s3a.", secretKey + " (700030)"} {
		if !strings.Contains(message, words) {
			t.Errorf("the message does not have %q: %s", words, message)
		}
	}
	if strings.Contains(message, "K7MDENG") {
		t.Errorf("the message has the value: %s", message)
	}
}

// TestFilesGoWithTheAttempt: what an attempt had of Secrets and files is gone once it was stopped, also where the spec no longer
// names it.
func TestFilesGoWithTheAttempt(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	harness.Create(t, s3(w, map[string]string{"secret": secretValue}))
	files := func(a *v1alpha1.SparkApplication) {
		a.Spec.ConfigMaps = []v1alpha1.InlineConfigMap{
			{Name: "job", MountPath: "/etc/job", Data: map[string]string{"a.txt": "a"}},
			{Name: "more", MountPath: "/etc/more", Data: map[string]string{}},
		}
	}
	for name, test := range map[string]struct {
		stop func(app *v1alpha1.SparkApplication)
		// left are how many ConfigMaps and Secrets the operator has made for the attempt that follows.
		left string
	}{
		"suspended": {func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true }, ""},
		"changed": {func(a *v1alpha1.SparkApplication) {
			a.Spec.SparkConfFrom, a.Spec.ConfigMaps, a.Spec.OnTemplateChange = nil, nil, v1alpha1.TemplateChangeRestart
		}, "-2-1-driver-conf-map"},
	} {
		app := w.Apply(name, fromSecret, files)
		w.Run(app)
		if got := madeFor(t, app); len(got) != 4 {
			t.Fatalf("%s: objects of the first attempt: %v", name, got)
		}
		harness.Change(t, app, test.stop)
		if test.left == "" {
			w.Reach(app, v1alpha1.SuspendedReason)
		} else {
			harness.Eventually(t, app, "in its second run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			w.Run(app)
		}
		if got := strings.Join(madeFor(t, app), " "); !strings.HasSuffix(got, test.left) || strings.Contains(got, " ") || (got == "") != (test.left == "") {
			t.Errorf("%s: left are %q, want one that ends with %q, if that says anything", name, got, test.left)
		}
	}
}

// madeFor returns the names of the ConfigMaps and Secrets that were created for an application.
func madeFor(t *testing.T, app *v1alpha1.SparkApplication) []string {
	t.Helper()
	var names []string
	for _, kind := range []string{"ConfigMapList", "SecretList"} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
		if err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace), client.MatchingLabels{v1alpha1.ApplicationLabel: app.Name}); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
	}
	return names
}

// TestFilesAreMounted: an entry of configMaps is a ConfigMap of the attempt, mounted into driver and executors.
func TestFilesAreMounted(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.ConfigMaps = []v1alpha1.InlineConfigMap{{Name: "job", MountPath: "/etc/job", Data: map[string]string{"a.txt": "a\n"}}}
	})
	driver := w.Run(app)
	prefix := strings.TrimSuffix(driver.Name, "-driver")
	files, conf := &corev1.ConfigMap{}, &corev1.ConfigMap{}
	for name, into := range map[string]*corev1.ConfigMap{prefix + "-files-job": files, prefix + "-driver-conf-map": conf} {
		if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: name}, into); err != nil {
			t.Fatal(err)
		}
	}
	if files.Data["a.txt"] != "a\n" || !metav1.IsControlledBy(files, app) || files.Labels[v1alpha1.AttemptLabel] != "1" {
		t.Errorf("files: %+v", files)
	}
	executor := &corev1.Pod{}
	if err := json.Unmarshal([]byte(conf.Data["podspec-configmap-key"]), executor); err != nil {
		t.Fatal(err)
	}
	for _, pod := range []*corev1.Pod{driver, executor} {
		mounted := ""
		for _, mount := range pod.Spec.Containers[0].VolumeMounts {
			if mount.MountPath == "/etc/job" && mount.ReadOnly {
				mounted = mount.Name
			}
		}
		source := ""
		for _, volume := range pod.Spec.Volumes {
			if volume.Name == mounted && volume.ConfigMap != nil {
				source = volume.ConfigMap.Name
			}
		}
		if source != files.Name {
			t.Errorf("pod %q mounts %q, want %q", pod.Name, source, files.Name)
		}
	}
	w.Succeed(app)
}
