// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// fixedLog is a log reader that returns the same log for every pod, followed by the pod's UID.
type fixedLog string

func (l fixedLog) Read(_ context.Context, pod *pods.Record, hide func(string) string) logtail.Log {
	return logtail.Log{Tail: hide(string(l) + string(pod.UID)), Cause: "its cause"}
}

// driverRecord returns a pod that may be the driver of the application pi.
func driverRecord(uid, owner types.UID, name string, role pods.Role) *pods.Record {
	return &pods.Record{Origin: &pods.Origin{OwnerUID: owner}, UID: uid, Name: name, Role: role}
}

// ownDriver returns the driver of the application pi.
func ownDriver() *pods.Record { return driverRecord("mine", "pi-uid", "pi-driver", pods.Driver) }

// logPass returns a pass of the application pi with some objects around it, and the names of the Secrets that it reads.
func logPass(t *testing.T, spec string, objects ...client.Object) (*pass, *[]string) {
	t.Helper()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi", UID: "pi-uid"}}
	if err := yaml.UnmarshalStrict([]byte(spec), &app.Spec); err != nil {
		t.Fatal(err)
	}
	app.Status.Driver = &v1alpha1.DriverStatus{PodName: "pi-driver"}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if len(objects) == 0 || objects[0].GetName() != "team" {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}})
	}
	var read []string
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*corev1.Secret); is {
				read = append(read, key.Name)
			}
			switch {
			case strings.HasPrefix(key.Name, "forbidden"):
				return apierrors.NewForbidden(corev1.Resource("secrets"), key.Name, errors.New("no"))
			case strings.HasPrefix(key.Name, "broken"):
				return errors.New("the network is down")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	}).Build()
	reconciler := &Reconciler{Options: Options{Client: c, Live: c}, lookups: newLookups(newExistenceCache(clocktesting.NewFakeClock(time.Unix(0, 0))))}
	p := newPass(reconciler, app)
	p.observed.Pods = []*pods.Record{ownDriver()}
	return p, &read
}

// secretOf returns a Secret in the namespace.
func secretOf(name string, data ...string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}, Data: map[string][]byte{}}
	for _, pair := range data {
		key, value, _ := strings.Cut(pair, "=")
		s.Data[key] = []byte(value)
	}
	return s
}

// TestLogTail: the log of the driver of this attempt is read, and that of no other pod.
func TestLogTail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		logs LogReader
		pods []*pods.Record
		want string
	}{
		"of the driver":                    {fixedLog("of "), []*pods.Record{driverRecord("x", "mine", "pi-exec-1", pods.Executor), ownDriver()}, "of mine"},
		"no reader":                        {nil, []*pods.Record{ownDriver()}, ""},
		"no driver":                        {fixedLog("of "), nil, ""},
		"somebody else's pod of that name": {fixedLog("of "), []*pods.Record{driverRecord("other", "another-uid", "pi-driver", pods.Driver)}, ""},
		"the driver of an earlier attempt": {fixedLog("of "), []*pods.Record{driverRecord("old", "pi-uid", "pi-0-driver", pods.Driver)}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := logPass(t, "{}")
			p.Logs, p.observed.Pods = tc.logs, tc.pods
			if got, cause := p.observer.driverLog(t.Context()); got == nil || *got != tc.want || (cause != "") != (tc.want != "") {
				t.Errorf("got %v, because %q; want %q", got, cause, tc.want)
			}
		})
	}
}

// TestLogTailPerNamespace: an annotation of the namespace switches the log tail off, with any value other than true.
func TestLogTailPerNamespace(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"true": "of mine", "false": "", "no": "", "": ""} {
		p, read := logPass(t, "driver: {envFrom: [{secretRef: {name: db}}]}",
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: map[string]string{v1alpha1.LogTailAnnotation: value}}}, secretOf("db"))
		p.Logs = fixedLog("of ")
		if got, _ := p.observer.driverLog(t.Context()); got == nil || *got != want {
			t.Errorf("with %q the tail is %v, want %q", value, got, want)
		}
		if want == "" && len(*read) > 0 {
			t.Errorf("with %q Secrets were read: %v", value, *read)
		}
	}
	p, _ := logPass(t, "{}")
	p.Logs, p.app.Namespace = fixedLog("of "), "elsewhere"
	if got, _ := p.observer.driverLog(t.Context()); *got != "" {
		t.Errorf("the tail of a namespace that cannot be read is %q", *got)
	}
}

// TestKnownSecrets: values from Secrets that the application refers to, and secret values in its spec, are hidden
// everywhere in the log.
func TestKnownSecrets(t *testing.T) {
	t.Parallel()
	objects := []client.Object{
		secretOf("db", "password=s3cr3t-value", "user=etl-writer", "other=other-value"), secretOf("multi", "key=the-first-line\n  the-second-line\n"),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "conf"}, Data: map[string]string{"spark-defaults.conf": "spark.x.password s3cr3t-value"}},
	}
	const said, hidden = "it said s3cr3t-value to 12 of ", "it said (hidden) to 12 of mine"
	container := "template: {spec: {containers: [{name: c, %s}]}}"
	for name, tc := range map[string]struct{ spec, log, want string }{
		"nothing":                  {"{}", said, said + "mine"},
		"a property":               {"sparkConf: {spark.x.password: s3cr3t-value, spark.y.secret: '12'}", said, hidden},
		"a property of Hadoop":     {"hadoopConf: {fs.s3a.secret.key: s3cr3t-value}", said, hidden},
		"a property of a file":     {"sparkConfigMap: conf", said, hidden},
		"by the user's pattern":    {"sparkConf: {spark.redaction.regex: 'spark[.]mine', spark.mine: s3cr3t-value}", said, hidden},
		"a pattern of Java":        {"sparkConf: {spark.redaction.regex: '(?<=a)b', spark.x.password: s3cr3t-value}", said, hidden},
		"within a property":        {"sparkConf: {spark.url: 'jdbc:x://h?password=s3cr3t-value&a=b'}", said, hidden},
		"within options of Java":   {"driver: {javaOptions: '-Xss1m -Djavax.net.ssl.keyStorePassword=s3cr3t-value'}", said, hidden},
		"what reads a secret":      {"sparkConf: {spark.x.credentials.provider: org.example.Provider}", "at org.example.Provider.get of ", "at org.example.Provider.get of mine"},
		"sparkConfFrom":            {"sparkConfFrom: [{name: spark.db, secretKeyRef: {name: db, key: password}}]", said, hidden},
		"another key of it":        {"sparkConfFrom: [{name: spark.db, secretKeyRef: {name: db, key: user}}]", said, said + "mine"},
		"a line of a secret":       {"sparkConfFrom: [{name: spark.db, secretKeyRef: {name: multi, key: key}}]", "it read the-second-line\nof ", "it read (hidden)\nof mine"},
		"an argument":              {"arguments: [--token, s3cr3t-value]", said, hidden},
		"an argument in one":       {"arguments: ['--token=s3cr3t-value']", said, hidden},
		"a variable":               {"driver: {env: [{name: DB_PASSWORD, value: s3cr3t-value}]}", said, hidden},
		"a variable from a Secret": {"driver: {env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}]}", said, hidden},
		"all variables":            {"executor: {envFrom: [{secretRef: {name: db}}]}", "etl-writer said other-value of ", "(hidden) said (hidden) of mine"},
		"a variable by property":   {"sparkConf: {spark.kubernetes.driver.secretKeyRef.A: 'db:password'}", said, hidden},
		"a mount by property":      {"sparkConf: {spark.kubernetes.driver.secrets.db: /db}", said, hidden},
		"a volume":                 {"driver: {volumes: [{name: v, secret: {secretName: db}}]}", said, hidden},
		"an item of a volume":      {"driver: {volumes: [{name: v, secret: {secretName: db, items: [{key: user, path: x}]}}]}", "etl-writer said other-value of ", "(hidden) said other-value of mine"},
		"a projected volume":       {"driver: {volumes: [{name: v, projected: {sources: [{secret: {name: db}}]}}]}", said, hidden},
		"a container's variable":   {"driver: {" + fmt.Sprintf(container, "env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}]") + "}", said, hidden},
		"a container's variables":  {"executor: {" + fmt.Sprintf(container, "envFrom: [{secretRef: {name: db}}]") + "}", said, hidden},
		"a Secret that is gone": {"driver: {envFrom: [{secretRef: {name: gone}}]}", said,
			`(withheld: Secret "gone", whose values may appear in the log, does not exist in namespace team)`},
		"an optional one": {"driver: {envFrom: [{secretRef: {name: gone, optional: true}}]}", said, said + "mine"},
		"optional once":   {"driver: {envFrom: [{secretRef: {name: gone, optional: true}}], env: [{name: A, valueFrom: {secretKeyRef: {name: gone, key: a}}}]}", said, "(withheld: "},
		"a Secret that may not be read": {"driver: {envFrom: [{secretRef: {name: forbidden}}]}", said,
			`(withheld: Secret "forbidden", whose values may appear in the log, may not be read by the operator: let its service account get Secrets in namespace team)`},
		"a Secret that cannot be read": {"driver: {envFrom: [{secretRef: {name: broken}}]}", said, `(withheld: Secret "broken" cannot be read now, and its values may appear in the log)`},
		"a file that cannot be read":   {"sparkConfigMap: broken", said, `(withheld: ConfigMap "broken" of spec.sparkConfigMap cannot be read now, and may contain secrets)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := logPass(t, tc.spec, objects...)
			p.Logs = fixedLog(tc.log)
			if got, _ := p.observer.driverLog(t.Context()); got == nil || *got != tc.want && (!strings.HasSuffix(tc.want, ": ") || !strings.HasPrefix(*got, tc.want)) {
				t.Errorf("got  %q\nwant %q", *got, tc.want)
			}
		})
	}
}

// TestKnownSecretsAreBounded: no application can make the operator read many Secrets or search for a large amount of
// text.
func TestKnownSecretsAreBounded(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range maxSecretsRead + 1 {
		fmt.Fprintf(&many, "{secretRef: {name: s%d}}, ", i)
	}
	p, read := logPass(t, "driver: {envFrom: ["+many.String()+"]}")
	p.Logs = fixedLog("text of ")
	const want = "(withheld: the application refers to 17 Secrets, and no more than 16 are looked for in a log)"
	if got, _ := p.observer.driverLog(t.Context()); *got != want || len(*read) > 0 {
		t.Errorf("got %q after reading %v", *got, *read)
	}
	p, _ = logPass(t, "driver: {envFrom: [{secretRef: {name: large}}]}", secretOf("large", "a="+strings.Repeat("x", 1<<20)))
	p.Logs = fixedLog("text of ")
	if got, _ := p.observer.driverLog(t.Context()); *got != "(withheld: the Secrets that the application refers to are too large to be looked for in a log)" {
		t.Errorf("got %q", *got)
	}
}
