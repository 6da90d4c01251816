// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

func TestConfigMaps(t *testing.T) {
	t.Parallel()
	table{
		"two": {spec: `configMaps: [{name: a, mountPath: /a, data: {b.c: d}}, {name: b, mountPath: /a/b, data: {}}]`},
		"mounted by a sidecar, too": {spec: `
configMaps: [{name: a, mountPath: /a, data: {b: c}}]
driver: {volumeMounts: [{name: files-a, mountPath: /again}]}`},
		"one name": {`configMaps: [{name: a, mountPath: /a, data: {}}, {name: a, mountPath: /b, data: {}}]`, []string{
			`spec.configMaps[a].name: name "a" is already used by another entry; choose another`,
		}},
		"one folder": {`configMaps: [{name: a, mountPath: /x/, data: {}}, {name: b, mountPath: /x, data: {}}]`, []string{
			`spec.configMaps[b].mountPath: path "/x" is already used by spec.configMaps[a]; choose another`,
		}},
		"Spark's folders": {`
configMaps:
- {name: a, mountPath: /opt/spark/conf, data: {}}
- {name: b, mountPath: /opt/spark/../spark, data: {}}
- {name: c, mountPath: //, data: {}}
- {name: d, mountPath: /opt/sparkling, data: {}}`, []string{
			`spec.configMaps[a].mountPath: value "/opt/spark/conf" is the folder of Spark's configuration: use spec.sparkConfigMap; choose another`,
			`spec.configMaps[b].mountPath: value "/opt/spark/../spark" would hide Spark itself, which is in /opt/spark: choose another folder`,
			`spec.configMaps[c].mountPath: value "//" would hide Spark itself, which is in /opt/spark: choose another folder`,
		}},
		"no folder": {`configMaps: [{name: a, mountPath: x, data: {}}, {name: b, mountPath: "/a:b", data: {}}]`, []string{
			`spec.configMaps[a].mountPath: invalid folder "x": write an absolute path without ':'`,
			`spec.configMaps[b].mountPath: invalid folder "/a:b": write an absolute path without ':'`,
		}},
		"names of files": {`configMaps: [{name: a, mountPath: /a, data: {ok.txt: a, sub/file: b, "..": c}}]`, []string{
			`spec.configMaps[a].data[..]: invalid file name "..": use at most 253 letters, digits, '-', '_' and '.', and no folders`,
			`spec.configMaps[a].data[sub/file]: invalid file name "sub/file": use at most 253 letters, digits, '-', '_' and '.', and no folders`,
		}},
		"volumes of the roles": {`
configMaps: [{name: a, mountPath: /a, data: {}}]
driver: {volumes: [{name: files-a, emptyDir: {}}]}
executor: {template: {spec: {volumes: [{name: files-a, emptyDir: {}}]}}}`, []string{
			`spec.driver.volumes[0].name: name "files-a" is already used by spec.configMaps[a]; choose another`,
			`spec.executor.template.spec.volumes[0].name: name "files-a" is already used by spec.configMaps[a]; choose another`,
		}},
		"mounts of the roles": {`
configMaps: [{name: a, mountPath: /a, data: {}}]
driver: {volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /a/}]}
executor: {template: {spec: {volumes: [{name: v, emptyDir: {}}], containers: [{volumeMounts: [{name: v, mountPath: /a}]}]}}}`, []string{
			`spec.driver.volumeMounts[0].mountPath: path "/a/" is already used by spec.configMaps[a]; choose another`,
			`spec.executor.template.spec.containers[0].volumeMounts[0].mountPath: path "/a" is already used by spec.configMaps[a]; choose another`,
		}},
		"volumes of properties": {`
configMaps: [{name: a, mountPath: /a, data: {}}, {name: s, mountPath: /s, data: {}}]
sparkConf:
  spark.kubernetes.executor.volumes.emptyDir.v.mount.path: /a
  spark.kubernetes.executor.secrets.mine: /s`, []string{
			`spec.sparkConf[spark.kubernetes.executor.volumes.emptyDir.v.mount.path]: path "/a" is already used by spec.configMaps[a]; choose another`,
			`spec.sparkConf[spark.kubernetes.executor.secrets.mine]: path "/s" is already used by spec.configMaps[s]; choose another`,
		}},
		"a folder of Spark's that only the driver has": {`
configMaps: [{name: a, mountPath: /opt/hadoop/conf, data: {}}]
hadoopConfigMap: hadoop`, []string{
			`spec.driver.volumeMounts: the volumes files-a and hadoop-properties are both mounted at "/opt/hadoop/conf" in container spark-kubernetes-driver; change one`,
			`spec.executor.volumeMounts: the volumes files-a and hadoop-properties are both mounted at "/opt/hadoop/conf" in container spark-kubernetes-executor; change one`,
		}},
	}.run(t)
}

func TestPropertiesFromSecrets(t *testing.T) {
	t.Parallel()
	table{
		"one": {spec: `sparkConfFrom: [{name: spark.a.password, secretKeyRef: {name: s, key: k}}]`},
		"twice": {`
sparkConf: {spark.a.password: letmein}
sparkConfFrom: [{name: spark.a.password, secretKeyRef: {name: s, key: k}}]`, []string{
			`spec.sparkConfFrom[spark.a.password]: the property is already set by spec.sparkConf[spark.a.password]; remove one`,
		}},
		"no names": {`sparkConfFrom: [{name: spark.a, secretKeyRef: {name: No_Name, key: "a/b"}}]`, []string{
			`spec.sparkConfFrom[spark.a].secretKeyRef.name: invalid object name "No_Name": use lower-case letters, digits, '-' and '.', ` +
				`beginning and ending with a letter or digit`,
			`spec.sparkConfFrom[spark.a].secretKeyRef.key: invalid Secret key "a/b": use at most 253 letters, digits, '-', '_' and '.'`,
		}},
	}.run(t)
}

// TestSize: each object of an attempt is held to the limit on its own, and no value is shown.
func TestSize(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 400_000)
	for name, test := range map[string]struct {
		spec    string
		files   map[string]string
		secrets map[string]string
		// want are words of the one finding, if there is to be one.
		want []string
	}{
		"enough room everywhere": {
			spec: "configMaps: [{name: a, mountPath: /a, data: {f: " + large + "}}]\n" +
				"sparkConfFrom: [{name: spark.a, secretKeyRef: {name: s, key: k}}, {name: spark.b, secretKeyRef: {name: s, key: k}}]",
			files:   map[string]string{"a": large, "b": large},
			secrets: map[string]string{"spark.a": large, "spark.b": large},
		},
		"conf files": {
			files: map[string]string{"a": large, "b": large + "b", "c": large + "cc"},
			want: []string{"spec: the files of an attempt have ", " bytes together, more than 1000000; the largest are c (400003), b (400002), a (400001): " +
				"put large files into the image or a volume"},
		},
		"an entry": {
			spec: "configMaps: [{name: a, mountPath: /a, data: {f: " + large + ", g: " + large + ", h: " + large + "}}]",
			want: []string{"spec.configMaps[a].data: the files of an entry have 1200003 bytes together, more than 1000000; " +
				"the largest are f (400001), g (400001), h (400001): divide them among entries, or put large files into the image or a volume"},
		},
		"values of Secrets": {
			spec: "sparkConfFrom: [{name: spark.a, secretKeyRef: {name: s, key: k}}, {name: spark.b, secretKeyRef: {name: s, key: k}}, " +
				"{name: spark.c, secretKeyRef: {name: s, key: k}}]",
			secrets: map[string]string{"spark.a": large, "spark.b": large, "spark.c": large},
			want: []string{"spec.sparkConfFrom: the properties of an attempt have ", " bytes together, more than 1000000; " +
				"the largest are spark.a (400007), spark.b (400007), spark.c (400007): mount large values as files"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := spec(test.spec).application(t)
			in, _ := render.NewInput(app, conf.Sources{ConfigMap: test.files})
			in.Secrets = test.secrets
			objects, err := render.Build(in)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(texts(Size(app, objects)), "\n")
			if (got == "") != (test.want == nil) || strings.Contains(got, "\n") || strings.Contains(got, "xxx") {
				t.Errorf("findings: %.300s", got)
			}
			for _, words := range test.want {
				if !strings.Contains(got, words) {
					t.Errorf("%q does not say %q", got, words)
				}
			}
		})
	}
}

// TestSecretsAreNotWarnedOf: what comes from a Secret is where it belongs.
func TestSecretsAreNotWarnedOf(t *testing.T) {
	t.Parallel()
	app := spec("sparkConf: {spark.a.password: letmein}\nsparkConfFrom: [{name: spark.b.password, secretKeyRef: {name: s, key: k}}]").application(t)
	warnings := Warnings(app)
	if len(warnings) != 1 || warnings[0].Field != "spec.sparkConf[spark.a.password]" || !strings.Contains(warnings[0].Message, "spec.sparkConfFrom") {
		t.Errorf("warnings: %v", warnings)
	}
	for _, finding := range Application(app) {
		if finding.Reason == v1alpha1.NotYetSupportedReason {
			t.Errorf("not supported: %s", finding)
		}
	}
}
