// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// image and program without which no call says anything.
var (
	image   = []string{"--conf", "spark.kubernetes.container.image=docker.io/apache/spark:4.1.4"}
	program = []string{"--class", "org.example.Main", "local:///opt/app.jar"}
)

// files is a folder in memory.
type files map[string]string

func (f files) read(name string) ([]byte, error) {
	if text, ok := f[name]; ok {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("%s: %w", name, os.ErrNotExist)
}

// translate translates options, with image and program added.
func translate(options []string, f files) (spec, notes string, err error) {
	got, err := Translate(Input{Arguments: append(append(append([]string{}, image...), options...), program...), ReadFile: f.read})
	if err != nil {
		return "", "", err
	}
	app := got.Application
	for _, n := range got.Notes {
		notes += n.Subject + ": " + n.Message + "\n"
	}
	text, err := yaml.Marshal(map[string]any{"metadata": app.ObjectMeta, "spec": app.Spec})
	if err != nil {
		return "", "", err
	}
	return string(text), notes, nil
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options []string
		files   files
		// want are lines of the application, unwanted ones that must not be there.
		want, unwanted []string
		// note is a part of a note, unwantedNote one that must not be there.
		note, unwantedNote string
	}{
		"a driver without executors": {
			options: []string{"--conf", "spark.kubernetes.driver.master=local[4]"}, want: []string{"spark.kubernetes.driver.master: local[4]"},
		},
		"a driver without executors, in unknown words": { // which the check of the application refuses
			options: []string{"--conf", "spark.kubernetes.driver.master=local[x]"}, want: []string{"spark.kubernetes.driver.master: local[x]"},
		},
		"option": {
			options: []string{"--driver-memory", "2g", "--executor-cores=4", "--num-executors", "3"},
			want:    []string{"    memory: 2g", "    cores: 4", "    instances: 3"},
		},
		"a heap that Java cannot read": {
			options: []string{"--driver-memory", "2gb", "--executor-memory", "2gb"},
			want:    []string{"  driver:\n    memory: 2g\n", "  executor:\n    memory: 2gb\n"},
			note:    `spark.driver.memory: 2g, because Java cannot read "2gb", which the driver is started with: it reads only the units k, m, g and t`,
		},
		"a heap without a unit": {options: []string{"--conf", "spark.driver.memory=1536"}, want: []string{"    memory: 1536m"}},
		"a heap of executors without a unit": {
			options: []string{"--executor-memory", "4096"}, want: []string{"  executor:\n    memory: 4g\n"},
			note: `spark.executor.memory: 4g, because "4096" has no unit, so that the driver reads it as bytes and ends when it starts`,
		},
		"a tag that may be the program's own": {
			options: []string{"--conf", "spark.kubernetes.container.image=registry:5000/team/etl:4.1.0"}, want: []string{"  sparkVersion: 4.1.0"},
			note: "spec.sparkVersion: 4.1.0, which the tag of the image begins with: if that is the version of your program, name that of Spark with --spark-version",
		},
		"a heap that nothing can read": {options: []string{"--driver-memory", "2gx"}, want: []string{"    spark.driver.memory: 2gx"}},
		"option before conf before file": {
			options: []string{"--properties-file", "p", "--driver-memory", "1g", "-c", "spark.driver.memory=2g", "--conf", "spark.executor.memory=5g"},
			files:   files{"p": "spark.driver.memory 3g\nspark.executor.memory 4g\nspark.driver.cores: 2\nother.key=x\n"},
			want:    []string{"    memory: 1g", "    memory: 5g", "    cores: 2"}, unwanted: []string{"other.key"},
		},
		"the last one counts": {
			options: []string{"--name", "a", "--name", "b", "--conf", "spark.ui.port=1", "--conf", "spark.ui.port=2"},
			want:    []string{"  name: b", `    spark.ui.port: "2"`},
		},
		"lists": {
			options: []string{"--jars", "local:///a.jar,local:///b.jar", "--conf", "spark.jars.packages=g:a:1"},
			want:    []string{"    jars:\n    - local:///a.jar\n    - local:///b.jar", "    packages:\n    - g:a:1"},
		},
		"a list with blanks stays as it is written": {
			options: []string{"--conf", "spark.kubernetes.container.image.pullSecrets= a, ,b"},
			want:    []string{"    spark.kubernetes.container.image.pullSecrets: ' a, ,b'"},
		},
		"what a field would say otherwise stays": {
			options: []string{"--conf", "spark.dynamicAllocation.maxExecutors=5", "--conf", "spark.driver.memory= 2g", "--conf", "spark.executor.cores=04"},
			want:    []string{`    spark.dynamicAllocation.maxExecutors: "5"`, "    spark.driver.memory: ' 2g'", `    spark.executor.cores: "04"`},
		},
		"what the schema refuses stays": {
			options: []string{"--conf", "spark.kubernetes.memoryOverheadFactor=1e-1", "--conf", "spark.executor.instances=0"},
			want:    []string{"    spark.kubernetes.memoryOverheadFactor: \"1e-1\"", `    spark.executor.instances: "0"`},
		},
		"families": {
			options: []string{"--conf", "spark.kubernetes.driver.label.a/b=", "--conf", "spark.hadoop.fs.x=y=z"},
			want:    []string{`      a/b: ""`, "    fs.x: y=z"},
		},
		"place and names": {
			options: []string{
				"--name", "My Job, daily", "--conf", "spark.kubernetes.namespace=jobs", "--conf", "spark.kubernetes.driver.pod.name=d",
				"--master", "k8s://https://10.0.0.1", "--deploy-mode", "cluster", "--conf", "spark.app.id=x",
			},
			want:     []string{"  name: my-job-daily", "  namespace: jobs", "    podName: d", "    spark.app.name: My Job, daily"},
			unwanted: []string{"spark.master", "deployMode", "spark.app.id", "spark.kubernetes.namespace"},
		},
		"on a cluster": {
			options:  []string{"--master", "spark://etl.jobs:7077", "--conf", "spark.executor.cores=2"},
			want:     []string{"  namespace: jobs", "  clusterRef:\n    name: etl", "    cores: 2"},
			unwanted: []string{"spark.master"},
		},
		"on a cluster of the namespace": {
			options: []string{"--master", "spark://etl", "--conf", "spark.kubernetes.namespace=team"}, want: []string{"  namespace: team", "    name: etl"},
		},
		"owned by the operator": {
			options: []string{"--conf", "spark.driver.host=h"}, unwanted: []string{"spark.driver.host"},
			note: "spark.driver.host: left out: value \"h\" cannot be set because the operator owns this property: executors reach the driver by its Service",
		},
		"of spark-submit alone": {
			options:  []string{"--conf", "spark.kubernetes.authenticate.submission.oauthToken=abc", "--queue", "q", "--supervise", "--verbose"},
			unwanted: []string{"submission", "abc"}, note: "--queue: left out: it is a queue of YARN",
		},
		"no property of Spark": {
			options: []string{"--conf", "log.level=INFO"}, unwanted: []string{"log.level"}, note: "log.level: left out: the key is not a property of Spark",
		},
		"classes that change pods": {
			options: []string{"--conf", "spark.kubernetes.driver.pod.featureSteps=org.example.Step"},
			want:    []string{"    spark.kubernetes.driver.pod.featureSteps: org.example.Step"},
		},
		"secret": {
			options: []string{"--conf", "spark.hadoop.fs.s3a.secret.key=hunter2", "--conf", "spark.ssl.keyPassword=hunter2"},
			want: []string{
				"  sparkConfFrom:\n  - name: spark.hadoop.fs.s3a.secret.key\n    secretKeyRef:\n      key: spark.hadoop.fs.s3a.secret.key\n      name: org-example-main-secrets\n",
				"  - name: spark.ssl.keyPassword",
			}, unwanted: []string{"hunter2"},
			note: "kubectl create secret generic org-example-main-secrets --namespace default --from-literal=spark.hadoop.fs.s3a.secret.key=VALUE " +
				"--from-literal=spark.ssl.keyPassword=VALUE",
		},
		"secret in the environment": {
			options:  []string{"--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=hunter2", "--conf", "spark.executorEnv.API_TOKEN=hunter2"},
			want:     []string{"    - name: DB_PASSWORD\n      valueFrom:\n        secretKeyRef:\n          key: DB_PASSWORD", "    - name: API_TOKEN\n      valueFrom:"},
			unwanted: []string{"hunter2"}, note: "spec.driver.env takes it from key DB_PASSWORD of Secret",
		},
		"secret in the environment of both": {
			options: []string{"--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=hunter2", "--conf", "spark.executorEnv.DB_PASSWORD=hunter2"},
			want:    []string{"    - name: DB_PASSWORD\n      valueFrom:\n        secretKeyRef:\n          key: DB_PASSWORD"},
			note:    "kubectl create secret generic org-example-main-secrets --namespace default --from-literal=DB_PASSWORD=VALUE\n",
		},
		"another secret in the environment of executors": {
			options: []string{"--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=hunter2", "--conf", "spark.executorEnv.DB_PASSWORD=hunter3"},
			want:    []string{"          key: DB_PASSWORD", "          key: spark.kubernetes.driverEnv.DB_PASSWORD"}, unwanted: []string{"hunter"},
			note: "--from-literal=DB_PASSWORD=VALUE --from-literal=spark.kubernetes.driverEnv.DB_PASSWORD=VALUE",
		},
		"secret that no Secret can hold": {
			options:  []string{"--conf", "spark.authenticate.secret=hunter2"},
			want:     []string{"    spark.authenticate.secret: " + conf.Placeholder},
			unwanted: []string{"hunter2"}, note: "remove it, so that Spark generates one",
		},
		"password in an address": {
			options: []string{"--repositories", "https://ci:hunter2@nexus/x", "--conf", "spark.sql.catalog.pg.url=jdbc:postgresql://db/x?user=a&password=hunter2"},
			want: []string{
				"  - name: spark.jars.repositories\n    secretKeyRef:\n      key: spark.jars.repositories\n", "  - name: spark.sql.catalog.pg.url\n    secretKeyRef:",
			}, unwanted: []string{"hunter2"},
		},
		"password in an address in the environment": {
			options: []string{"--conf", "spark.kubernetes.driverEnv.DB=postgres://ci:hunter2@db/x"},
			want:    []string{"    - name: DB\n      valueFrom:\n        secretKeyRef:\n          key: DB"}, unwanted: []string{"hunter2"},
		},
		"password in an address that no Secret can hold": {
			options: []string{"--jars", "https://ci:hunter2@nexus/a.jar"}, want: []string{"    - https://ci:hunter2@nexus/a.jar"},
			note: "spec.deps.jars: a text looks as if it held a password",
		},
		"names of secrets": {
			options: []string{
				"--conf", "spark.kubernetes.driver.secretKeyRef.PASSWORD=db:password", "--conf", "spark.kubernetes.driver.secrets.token=/etc/t",
				"--conf", "spark.kubernetes.authenticate.driver.mounted.oauthTokenFile=/etc/token",
			},
			want: []string{"db:password", "/etc/t\n", "/etc/token"}, unwanted: []string{conf.Placeholder, "sparkConfFrom"},
		},
		"a template of Spark's own suite": {
			options:  []string{"--conf", "spark.kubernetes.driver.podTemplateFile=/t.yaml"},
			files:    files{"/t.yaml": "apiVersion: v1\nKind: Pod\nspec: {priorityClassName: high}\n"},
			unwanted: []string{"Kind: Pod"},
		},
		"a reference to a Secret": {
			options: []string{"--conf", "spark.kubernetes.driver.secretKeyRef.PASSWORD=secret:key"}, want: []string{"secret:key"}, unwantedNote: "password",
		},
		"what Spark hides": {
			options: []string{"--conf", "spark.redaction.regex=(?i)secret|password|mycred", "--conf", "spark.redaction.string.regex=password=[^ ]+"},
			want:    []string{"(?i)secret|password|mycred", "password=[^ ]+"}, unwanted: []string{"sparkConfFrom"}, unwantedNote: "password",
		},
		"annotations by which pods are given secrets": {
			options:  []string{"--conf", "spark.kubernetes.driver.annotation.vault.hashicorp.com/agent-inject-secret-db=database/creds/etl"},
			want:     []string{"    annotations:\n      vault.hashicorp.com/agent-inject-secret-db: database/creds/etl\n"},
			unwanted: []string{conf.Placeholder, "sparkConfFrom"},
		},
		"password among Java options": {
			options: []string{"--driver-java-options", "-Djavax.net.ssl.trustStorePassword=x"}, want: []string{"javaOptions: -Djavax"},
			note: "spec.driver.javaOptions: a text looks as if it held a password",
		},
		"templates": {
			options: []string{"--conf", "spark.kubernetes.driver.podTemplateFile=file:///t.yaml", "--conf", "spark.kubernetes.executor.podTemplateFile=e.yaml"},
			files:   files{"/t.yaml": "apiVersion: v1\nkind: Pod\nspec: {priorityClassName: high}\n", "e.yaml": "metadata: {labels: {a: b}}\n"},
			want:    []string{"    template:\n      spec:\n        priorityClassName: high", "    template:\n      metadata:\n        labels:\n          a: b", "  podSecurity: None"},
			note:    "spec.podSecurity: None", unwanted: []string{"podTemplateFile"},
		},
		"user": {options: []string{"--proxy-user", "alice"}, want: []string{"  proxyUser: alice"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, notes, err := translate(test.options, test.files)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			for _, unwanted := range test.unwanted {
				if strings.Contains(got, unwanted) {
					t.Errorf("%q should not be in\n%s", unwanted, got)
				}
			}
			if !strings.Contains(notes, test.note) {
				t.Errorf("notes = %q, want %q in them", notes, test.note)
			}
			if test.unwantedNote != "" && strings.Contains(notes, test.unwantedNote) {
				t.Errorf("notes = %q, with %q in them", notes, test.unwantedNote)
			}
			if strings.Contains(notes, "hunter2") || strings.Contains(notes, `"abc"`) {
				t.Errorf("the notes tell a secret: %s", notes)
			}
		})
	}
}

// TestProgram: language, class and name follow from the file, and arguments arrive as they are.
func TestProgram(t *testing.T) {
	t.Parallel()
	odd := []string{"two\nlines\n", "'single' \"double\"", " blanks ", "", "--conf", "a=b", "Zürich 中文", `back\slash`, "yes", "1", "null", "$(X)"}
	for name, test := range map[string]struct {
		class, file          string
		wantType, wantName   string
		wantClass, wantSpark string
	}{
		"jar":      {"org.example.Main", "local:///a.jar", "Java", "org-example-main", "org.example.Main", "org.example.Main"},
		"python":   {"", "s3a://b/my_job.py", "Python", "my-job-py", "", "my_job.py"},
		"class":    {"x.Y", "local:///job.py", "Python", "x-y", "", "x.Y"},
		"r":        {"", "local:///job.R", "R", "job-r", "", "job.R"},
		"upper PY": {"x.Y", "local:///job.PY", "Java", "x-y", "x.Y", "x.Y"},
		"no file":  {"x.Y", "spark-internal", "Java", "x-y", "x.Y", "x.Y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{}, image...)
			if test.class != "" {
				args = append(args, "--class", test.class)
			}
			translated, err := Translate(Input{Arguments: append(append(args, test.file), odd...)})
			if err != nil {
				t.Fatal(err)
			}
			app := translated.Application
			got := []string{string(app.Spec.Type), app.Name, app.Spec.MainClass, app.Spec.SparkConf["spark.app.name"], app.Spec.MainApplicationFile}
			want := []string{test.wantType, test.wantName, test.wantClass, test.wantSpark, test.file}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("program (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(odd, app.Spec.Arguments); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoSubmission(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no program":        {image, "name the jar, Python or R file"},
		"unknown option":    {[]string{"--driver-memori", "1g", "a.jar"}, "unknown spark-submit option --driver-memori; an option of sparkctl stands before --"},
		"a long dash":       {[]string{"–-master", "k8s://x"}, `the program is "–-master", which begins with a long dash: write --master`},
		"a long dash alone": {[]string{"—master", "k8s://x"}, "write --master"},
		"an interpreter":    {[]string{"python3", "a.py"}, `the program is "python3": leave it out, and name the jar, Python or R file to run`},
		"another encoding":  {[]string{"a.jar", "Z\xfcrich"}, "argument 2 is not UTF-8 text"},
		"no value":          {[]string{"--name"}, "--name has no value"},
		"conf without =":    {[]string{"--conf", "spark.password", "a.jar"}, "write --conf KEY=VALUE"},
		"client mode":       {[]string{"--deploy-mode", "client", "a.jar"}, "drivers always run in a pod"},
		"mode by property":  {[]string{"--conf", "spark.submit.deployMode=client", "a.jar"}, "drivers always run in a pod"},
		"another master":    {[]string{"--master", "yarn", "a.jar"}, `the master is "yarn"`},
		"kill":              {[]string{"--kill", "x"}, "delete the SparkApplication"},
		"status":            {[]string{"--status", "x"}, "kubectl get"},
		"version":           {[]string{"--conf", "spark.kubernetes.container.image=spark:latest", "a.jar"}, "--spark-version 4.1.4, before --"},
		"no image":          {[]string{"a.jar"}, "no image is set: use --conf spark.kubernetes.container.image=IMAGE:TAG"},
		"no such file":      {[]string{"--properties-file", "p", "a.jar"}, "read the file of --properties-file: p: file does not exist"},
		"no extra file":     {[]string{"--extra-properties-file", "p", "a.jar"}, "read the file of --extra-properties-file: p: file does not exist"},
		"defaults in 3.5":   {[]string{"--conf", "spark.kubernetes.container.image=spark:3.5.7", "--load-spark-defaults", "a.jar"}, "came with Spark 4.0"},
		"extra of 4.1":      {[]string{"--conf", "spark.kubernetes.container.image=spark:4.1.4", "--extra-properties-file=empty", "a.jar"}, "came with Spark 4.2"},
		"another port":      {[]string{"--master", "spark://etl.jobs:6066", "a.jar"}, "as in spark://NAME.NAMESPACE:7077"},
		"another team's":    {[]string{"--master", "spark://etl.jobs.svc:7077", "--conf", "spark.kubernetes.namespace=team", "--conf", "spark.kubernetes.container.image=spark:4.1.4", "--class", "A", "local:///a.jar"}, "programs use the clusters of their own namespace"},
		"no such template": {
			[]string{"--conf", "spark.kubernetes.driver.podTemplateFile=t", "a.jar"}, "read the template of spark.kubernetes.driver.podTemplateFile: t",
		},
		"several mistakes at once": {
			[]string{"--conf", "spark.kubernetes.namespace=", "--conf", "spark.kubernetes.driver.podTemplateFile=t", "--conf", "spark.driver.bindAddress=::1", "a.jar"},
			"spark.kubernetes.namespace is empty: give a name, or leave it out\nspark.driver.bindAddress is \"::1\": leave it out, the driver binds to the address " +
				"of its pod\nread the template of spark.kubernetes.driver.podTemplateFile: t: file does not exist\nno image is set",
		},
		"template elsewhere": {
			[]string{"--conf", "spark.kubernetes.driver.podTemplateFile=s3a://b/t", "a.jar"}, "fetch it and name the local file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Translate(Input{Arguments: test.args, ReadFile: files{"empty": ""}.read})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestSparkVersion(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"docker.io/apache/spark:4.1.4":              "4.1.4",
		"registry:5000/spark:v3.5.9-scala2.12-java": "3.5.9",
		"apache/spark:4.0":                          "",
		"registry:5000/spark":                       "",
		"spark@sha256:0123":                         "",
		"apache/spark:4.1.4@sha256:0123":            "4.1.4",
	} {
		translated, err := Translate(Input{Arguments: []string{"--conf", "spark.kubernetes.driver.container.image=" + tag, "a.jar"}})
		got := ""
		if err == nil {
			got = translated.Application.Spec.SparkVersion
		}
		if got != want {
			t.Errorf("%s: version %q (%v), want %q", tag, got, err, want)
		}
	}
	translated, err := Translate(Input{Arguments: append(append([]string{}, image...), program...), SparkVersion: "4.3.0"})
	if err != nil || translated.Application.Spec.SparkVersion != "4.3.0" {
		t.Errorf("the version that is given does not count: %v", err)
	}
}

// FuzzTranslate: whatever the arguments are, there is an application or an error, and no argument of the program is changed.
func FuzzTranslate(f *testing.F) {
	f.Add("--conf\x00spark.driver.memory=2g\x00--name=x\x00a.py\x00arg")
	f.Add("--conf\x00spark.kubernetes.driver.label.=\x00--jars\x00,\x00a.jar")
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\x00")
		translated, err := Translate(Input{Arguments: args, SparkVersion: "4.1.4", ReadFile: files{}.read})
		if err != nil {
			return
		}
		app := translated.Application
		if n := len(app.Spec.Arguments); n > 0 && !cmp.Equal(app.Spec.Arguments, args[len(args)-n:]) {
			t.Errorf("the arguments are %q", app.Spec.Arguments)
		}
	})
}

// TestMistakesShowNoPasswords: what is wrong with a call is said without the passwords in it.
func TestMistakesShowNoPasswords(t *testing.T) {
	t.Parallel()
	for _, line := range [][]string{
		{"--jars", "https://ci:hunter2@nexus/a.jar, b.jar", "a.jar"}, {"--jars", "a.jar, https://ci:hunter2@nexus/b.jar", "a.jar"},
		{"--master", "spark://ci:hunter2@host", "a.jar"}, {"--conf", "spark.my.password hunter2", "a.jar"}, {"--conf", "https://ci:hunter2@x", "a.jar"},
		{"--conf", "spark.kubernetes.driver.podTemplateFile=https://ci:hunter2@git/t.yaml", "a.jar"}, {"--properties-file", "https://ci:hunter2@git/p", "a.jar"},
		{"--password=hunter2", "a.jar"}, {"--conf", "spark.driver.bindAddress=https://ci:hunter2@x", "a.jar"},
	} {
		_, err := Translate(Input{Arguments: append(append([]string{}, image...), line...), ReadFile: files{}.read})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", line, err)
		}
	}
}
