// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// fromSecrets returns an application that takes properties from Secrets.
func fromSecrets(edit func(*v1alpha1.SparkApplicationSpec), keys ...string) *v1alpha1.SparkApplication {
	return application(func(spec *v1alpha1.SparkApplicationSpec) {
		for _, key := range keys {
			spec.SparkConfFrom = append(spec.SparkConfFrom, v1alpha1.SparkConfSource{Name: key, SecretKeyRef: v1alpha1.SecretKeyReference{Name: "s", Key: "k"}})
		}
		if edit != nil {
			edit(spec)
		}
	})
}

// inPodsOf returns the finding of a property that Spark writes into the pods of executors.
func inPodsOf(key string) string {
	return "spec.sparkConfFrom[" + key + "]: the property " + key + " cannot be taken from a Secret: " +
		"Spark writes its value into the pods of executors, where others may read it: set it in sparkConf if they may"
}

func TestPropertiesFromSecrets(t *testing.T) {
	t.Parallel()
	const key = "spark.hadoop.fs.s3a.secret.key"
	for name, test := range map[string]struct {
		keys []string
		edit func(*v1alpha1.SparkApplicationSpec)
		want []string
	}{
		"one":                   {keys: []string{key}},
		"credentials of a site": {keys: []string{"spark.jars.repositories", "spark.ssl.keyPassword", "spark.org.apache.spark.ui.JWSFilter.param.secretKey"}},
		"in sparkConf, too": {
			keys: []string{key}, edit: func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{key: "x"} },
			want: []string{"spec.sparkConfFrom[" + key + "]: the property is already set by spec.sparkConf[" + key + "]; remove one"},
		},
		"in a field, too": {
			keys: []string{key}, edit: func(s *v1alpha1.SparkApplicationSpec) { s.HadoopConf = map[string]string{"fs.s3a.secret.key": "x"} },
			want: []string{"spec.sparkConfFrom[" + key + "]: the property is already set by spec.hadoopConf[fs.s3a.secret.key]; remove one"},
		},
		"the operator's own": {
			keys: []string{"spark.master", "spark.kubernetes.driver.podTemplateFile"},
			want: []string{
				"spec.sparkConfFrom[spark.master]: the property spark.master cannot be taken from a Secret: the operator owns this property: " + owned[Master],
				"spec.sparkConfFrom[spark.kubernetes.driver.podTemplateFile]: the property spark.kubernetes.driver.podTemplateFile cannot be taken from a Secret: " +
					"the operator owns this property: set spec.driver.template instead",
			},
		},
		"needed before": {
			keys: []string{"spark.executor.memory", "spark.jars"},
			want: []string{
				"spec.sparkConfFrom[spark.executor.memory]: the property spark.executor.memory cannot be taken from a Secret: " + beforeSecrets,
				"spec.sparkConfFrom[spark.jars]: the property spark.jars cannot be taken from a Secret: " + beforeSecrets,
			},
		},
		"what Spark hides": {
			keys: []string{RedactionRegex, "spark.redaction.string.regex"},
			want: []string{
				"spec.sparkConfFrom[spark.redaction.regex]: the property spark.redaction.regex cannot be taken from a Secret: " +
					"it says what Spark hides: set it in sparkConf",
				"spec.sparkConfFrom[spark.redaction.string.regex]: the property spark.redaction.string.regex cannot be taken from a Secret: " +
					"it says what Spark hides: set it in sparkConf",
			},
		},
		"for all to read in pods": {
			keys: []string{"spark.executorEnv.TOKEN", "spark.kubernetes.driverEnv.TOKEN", "spark.authenticate.secret"},
			want: []string{
				"spec.sparkConfFrom[spark.executorEnv.TOKEN]: the property spark.executorEnv.TOKEN cannot be taken from a Secret: " +
					"Spark writes its value into the pods of executors, where others may read it: set executor.env with valueFrom",
				"spec.sparkConfFrom[spark.kubernetes.driverEnv.TOKEN]: the property spark.kubernetes.driverEnv.TOKEN cannot be taken from a Secret: " +
					"its value would stand in the pod of the driver: set driver.env with valueFrom",
				"spec.sparkConfFrom[spark.authenticate.secret]: the property spark.authenticate.secret cannot be taken from a Secret: " +
					"Spark writes its value into the pods of executors, where others may read it: " +
					"remove it, so that Spark generates one, or mount the Secret and set spark.authenticate.secret.file in sparkConf",
			},
		},
		"for executors to start with": {
			keys: []string{"spark.authenticate.enableSaslEncryption", "spark.rpc.io.token", "spark.network.crypto.key", "spark.ssl.keyStore", "spark.port.a", "spark.my.port"},
			want: []string{
				inPodsOf("spark.authenticate.enableSaslEncryption"), inPodsOf("spark.rpc.io.token"), inPodsOf("spark.network.crypto.key"), inPodsOf("spark.ssl.keyStore"),
				inPodsOf("spark.port.a"), inPodsOf("spark.my.port"),
			},
		},
		"passwords of SSL, which executors get from the driver": {keys: []string{"spark.ssl.keyStorePassword", "spark.ssl.rpc.trustStorePassword", "spark.my.port.number"}},
		"no property": {
			keys: []string{"fs.s3a.secret.key"},
			want: []string{"spec.sparkConfFrom[fs.s3a.secret.key]: the property fs.s3a.secret.key cannot be taken from a Secret: " +
				"the key is not a property of Spark: use a key that begins with spark."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, findings := Merge(fromSecrets(test.edit, test.keys...), Sources{ConfigMap: map[string]string{DefaultsFile: key + "=file"}})
			var got []string
			for _, f := range findings {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if len(findings) > 0 {
				return
			}
			for _, k := range test.keys {
				if diff := cmp.Diff(Property{k, Masked, Origin{Secret, "spec.sparkConfFrom[" + k + "]"}}, merged[k]); diff != "" {
					t.Errorf("property (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestKnownKeysDoNotComeFromSecrets: every property that the operator knows by name is one that it must know before it reads a Secret. A new
// key has to be refused, or to stand here.
func TestKnownKeysDoNotComeFromSecrets(t *testing.T) {
	t.Parallel()
	free := map[string]string{
		ShuffleServiceEnabled: "whether it is set counts, not to what",
		ShuffleIOPlugin:       "whether it is set counts, not to what",
		Repositories:          "only the driver reads it, and addresses may have passwords",
		HadoopPrefix:          "a family that only the driver reads",
	}
	keys := keysOfSource(t)
	if len(keys) < 60 {
		t.Fatalf("only %d keys were found", len(keys))
	}
	for _, key := range keys {
		_, isFree := free[key]
		if refused := RefusedFromSecret(key) != ""; refused == isFree {
			t.Errorf("%s: refused %v, listed as free %v", key, refused, isFree)
		}
	}
	for _, r := range []Role{Driver, Executor} {
		if RefusedFromSecret(r.Key("volumes.hostPath.a.mount.path")) == "" {
			t.Errorf("volumes of role %s may come from Secrets", r)
		}
	}
}

// keysOfSource returns the values of the constants in keys.go that are properties.
func keysOfSource(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		if key, err := strconv.Unquote(literal.Value); err == nil && len(key) > len("spark.kubernetes.") && key[:len(prefix)] == prefix {
			keys = append(keys, key)
		}
		return true
	})
	return keys
}

func TestRevealed(t *testing.T) {
	t.Parallel()
	const secret, other, plain = "spark.a.password", "spark.b.password", "spark.c"
	app := fromSecrets(func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{plain: "c"} }, secret, other)
	merged, _ := Merge(app, Sources{})
	revealed := merged.Revealed(map[string]string{secret: "a: b\\c\n", plain: "overwritten", "spark.d": "added"})
	want := valuesOf(merged)
	want[secret] = "a: b\\c\n"
	if diff := cmp.Diff(want, valuesOf(revealed)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if merged.Get(secret, "") != Masked {
		t.Errorf("the properties themselves were changed: %q", merged.Get(secret, ""))
	}
	if got := ParseFile(revealed.Text())[secret]; got != "a: b\\c\n" {
		t.Errorf("the file says %q", got)
	}
}

// TestSparkHidesWhatComesFromSecrets: where Spark would show a value by the name of its property, the name is added to what it hides.
func TestSparkHidesWhatComesFromSecrets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		keys []string
		conf map[string]string
		want string
	}{
		"hidden by Spark's default": {keys: []string{"spark.a.password", "spark.hadoop.fs.s3a.access.key"}},
		"others are added": {
			keys: []string{"spark.z+z", "spark.jars.repositories", "spark.a.password"},
			want: `(?i)secret|password|token|access[.]?key|credential|spark\.jars\.repositories|spark\.z\+z`,
		},
		"the user has chosen": {
			keys: []string{"spark.jars.repositories"}, conf: map[string]string{RedactionRegex: "jars"},
			want: "jars",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := fromSecrets(func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = test.conf }, test.keys...)
			for range 3 { // the order of a map must not show
				merged, findings := Merge(app, Sources{})
				if got := merged.Get(RedactionRegex, ""); got != test.want || len(findings) > 0 {
					t.Fatalf("%q, want %q (findings %v)", got, test.want, findings)
				}
				slices.Reverse(app.Spec.SparkConfFrom)
			}
		})
	}
}
