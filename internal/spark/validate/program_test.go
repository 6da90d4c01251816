// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

func TestMainProgram(t *testing.T) {
	t.Parallel()
	table{
		"no image": {"image: ''", []string{`spec.image: the image is missing: set the container image of Spark`}},
		"no main file": {"mainApplicationFile: ''", []string{
			`spec.mainApplicationFile: the file is missing: set the jar, Python or R file to run, such as local:///opt/spark/examples/pi.py`,
		}},
		"no language": {"type: Go", []string{`spec.type: invalid type "Go": set Java, Scala, Python or R`}},
		"Java without a class": {"mainClass: ''", []string{
			`spec.mainClass: the main class is missing: set the class with the main method`,
		}},
		"Scala without a class": {"type: Scala\nmainClass: ''", []string{
			`spec.mainClass: the main class is missing: set the class with the main method`,
		}},
		"a class with a blank": {"mainClass: org.example Main", []string{
			`spec.mainClass: invalid class name "org.example Main": set its full name, such as org.example.Main`,
		}},
		"a class without a cluster mode": {"mainClass: org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver", []string{
			`spec.mainClass: value "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver" is the SQL shell, ` +
				`which Spark does not start in cluster mode: set a main class of your own that starts it`,
		}},
		"a server by its class": {"mainClass: org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", []string{
			`spec.mainClass: value "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2" is a server of Spark: ` +
				`remove mainClass and mainApplicationFile, and set server: {type: Thrift}`,
		}},
		"a server": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}}", nil},
		"a server and a program": {"{mainClass: org.example.Main, mainApplicationFile: '', server: {type: Connect}}", []string{
			`spec.server: a server of type Connect runs no program: remove mainApplicationFile, mainClass and arguments`,
		}},
		"an unknown server": {"{mainClass: '', mainApplicationFile: '', server: {type: Livy}}", []string{
			`spec.server.type: invalid type "Livy": set Connect or Thrift`,
		}},
		"a server that succeeds": {"{mainClass: '', mainApplicationFile: '', readyWhen: Succeeded, server: {type: Thrift}}", []string{
			`spec.readyWhen: value "Succeeded" is never reached by a server: set Running, or remove it`,
		}},
		"a server in R": {"{type: R, mainClass: '', mainApplicationFile: '', server: {type: Connect}}", []string{
			`spec.type: value "R" is not a language of a server: set Scala, Java or Python`,
		}},
		"a token in the open": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}, sparkConf: {spark.connect.authenticate.token: abc}}", []string{
			`spec.sparkConf[spark.connect.authenticate.token]: the operator writes properties into a ConfigMap: remove it, and set spec.server.token to the key of a Secret`,
		}},
		"a token of Thrift": {"{mainClass: '', mainApplicationFile: '', server: {type: Thrift, token: {name: a, key: b}}}", []string{
			`spec.server.token: only Spark Connect has a token: remove it`,
		}},
		"a token in 3.5": {"{mainClass: '', mainApplicationFile: '', sparkVersion: 3.5.8, server: {type: Connect, token: {name: a, key: b}}}", []string{
			`spec.server.token: Spark 3.5.8 has no token, and would take every client: remove it, or use 4.0 or later`,
		}},
		"two tokens": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect, token: {name: a, key: b}}, " +
			"driver: {env: [{name: SPARK_CONNECT_AUTHENTICATE_TOKEN, value: x}]}}", []string{
			`spec.server.token: spec.driver.env sets SPARK_CONNECT_AUTHENTICATE_TOKEN as well: remove one`,
		}},
		"another port": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}, sparkConf: {spark.connect.grpc.binding.port: '15003'}}", []string{
			`spec.sparkConf[spark.connect.grpc.binding.port]: the port of a server is 15002, which its Service, its probe and its clients know: remove it`,
		}},
		"memory beside the quota": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}, driver: {env: [{name: SPARK_DAEMON_MEMORY, value: 8g}]}}", []string{
			`spec.driver.env: Spark takes the memory of a server from SPARK_DAEMON_MEMORY instead of driver.memory, for which quota is asked: remove it`,
		}},
		"a class with signs of its own": {"mainClass: org.example.Outer$Inner_1", nil},
		"a class of the image":          {"mainApplicationFile: spark-internal", nil},
		"Java with a Python file": {"mainApplicationFile: local:///a.py", []string{
			`spec.mainApplicationFile: "local:///a.py" is not a jar: set spec.type to Python or R, or set a jar`,
		}},
		"Java with an R file": {"mainApplicationFile: local:///a.R", []string{
			`spec.mainApplicationFile: "local:///a.R" is not a jar: set spec.type to Python or R, or set a jar`,
		}},
		"Python": {"type: Python\nmainClass: ''\nmainApplicationFile: local:///a.py", nil},
		"Python with a class": {"type: Python\nmainApplicationFile: local:///a.py", []string{
			`spec.mainClass: value "org.example.Main" is not allowed for type Python: remove it`,
		}},
		"Python with a jar": {"type: Python\nmainClass: ''", []string{
			`spec.mainApplicationFile: value "local:///pi.jar" does not end with .py: Spark would not take it as a program in Python; rename the file, or set spec.type`,
		}},
		"Python in capitals": {"type: Python\nmainClass: ''\nmainApplicationFile: local:///a.PY", []string{
			`spec.mainApplicationFile: value "local:///a.PY" does not end with .py: Spark would not take it as a program in Python; rename the file, or set spec.type`,
		}},
		"Python from the class path": {"type: Python\nmainClass: ''\nmainApplicationFile: spark-internal", []string{
			`spec.mainApplicationFile: value "spark-internal" does not end with .py: Spark would not take it as a program in Python; rename the file, or set spec.type`,
		}},
		"R":             {"type: R\nmainClass: ''\nmainApplicationFile: local:///a.r", nil},
		"R in capitals": {"type: R\nmainClass: ''\nmainApplicationFile: local:///a.R", nil},
		"R with a class": {"type: R\nmainApplicationFile: local:///a.R", []string{
			`spec.mainClass: value "org.example.Main" is not allowed for type R: remove it`,
		}},
		"R with a jar": {"type: R\nmainClass: ''", []string{
			`spec.mainApplicationFile: value "local:///pi.jar" does not end with .r or .R: Spark would not take it as a program in R; rename the file, or set spec.type`,
		}},
	}.run(t)
}

func TestLongArguments(t *testing.T) {
	t.Parallel()
	app := spec("").application(t)
	app.Spec.Arguments = []string{strings.Repeat("a", 131071), strings.Repeat("b", 131072)}
	want := []string{"spec.arguments[1]: an argument of 131072 bytes is longer than the 131071 that a process can be given: put it into a file"}
	if diff := cmp.Diff(want, texts(Application(app))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	table{
		"a snapshot":   {"sparkVersion: 4.1.5-SNAPSHOT", nil},
		"no version":   {"sparkVersion: latest", []string{`spec.sparkVersion: invalid version "latest": set one such as 4.1.4`}},
		"only a major": {"sparkVersion: '4'", []string{`spec.sparkVersion: invalid version "4": set one such as 4.1.4`}},
		"too old":      {"sparkVersion: 3.4.4", []string{`spec.sparkVersion: value "3.4.4" is too old: use an image with Spark 3.5, 4.0, 4.1, 4.2 or 4.3`}},
		"much too old": {"sparkVersion: 2.4.8", []string{`spec.sparkVersion: value "2.4.8" is too old: use an image with Spark 3.5, 4.0, 4.1, 4.2 or 4.3`}},
		"the oldest":   {"sparkVersion: 3.5.0", nil},
		"the newest":   {"sparkVersion: 4.3.0", nil},
		"newer":        {"sparkVersion: 4.4.0", []string{unsupportedVersion("4.4.0")}},
		"much newer":   {"sparkVersion: 5.0.0", []string{unsupportedVersion("5.0.0")}},
	}.run(t)
}

func TestTokensByVersion(t *testing.T) {
	t.Parallel()
	const label = "spark.kubernetes.driver.label.id"
	table{
		"all of them": {"image: 'spark:{{SPARK_VERSION}}'\nsparkConf: {" + label + ": '{{APP_ID}}'}", nil},
		"labels before 4.0": {"sparkVersion: 3.5.9\nsparkConf: {" + label + ": '{{APP_ID}}'}", []string{
			`spec.sparkConf[` + label + `]: value "{{APP_ID}}" has a token, which Spark 3.5.9 replaces in annotations only: write it out, or use Spark 4.0 or later`,
		}},
		"labels of executors before 4.0": {"sparkVersion: 3.5.9\nexecutor: {labels: {id: '{{APP_ID}}-{{EXECUTOR_ID}}'}, annotations: {id: '{{APP_ID}}'}}", []string{
			`spec.executor.labels[id]: value "{{APP_ID}}-{{EXECUTOR_ID}}" has a token, which Spark 3.5.9 replaces in annotations only: write it out, or use Spark 4.0 or later`,
		}},
		"images before 4.1": {"sparkVersion: 4.0.5\nimage: 'spark:{{SPARK_VERSION}}'\nsparkConf: {" + label + ": '{{APP_ID}}'}", []string{
			`spec.image: value "spark:{{SPARK_VERSION}}" has a token, which Spark 4.0.5 does not replace: write it out, or use Spark 4.1 or later`,
		}},
		"the image of one role": {"sparkVersion: 4.0.5\nexecutor: {image: 'spark:{{SPARK_VERSION}}'}", []string{
			`spec.executor.image: value "spark:{{SPARK_VERSION}}" has a token, which Spark 4.0.5 does not replace: write it out, or use Spark 4.1 or later`,
		}},
	}.run(t)
}

// unsupportedVersion returns the finding of a version that comes later.
func unsupportedVersion(version string) string {
	return `* spec.sparkVersion: value "` + version + `" is not honoured by this version yet: use an image with Spark 3.5, 4.0, 4.1, 4.2 or 4.3 and set its version`
}

func TestFiles(t *testing.T) {
	t.Parallel()
	noScheme := " has no scheme: write local:// before a path inside the image, or set a remote URI"
	isFile := " refers to a file on the submission host, which does not exist here: write local:// for a path inside the image, or set a remote URI"
	table{
		"remote":              {"mainApplicationFile: s3a://b/a.jar", nil},
		"without a scheme":    {"mainApplicationFile: /opt/a.jar", []string{`spec.mainApplicationFile: value "/opt/a.jar"` + noScheme}},
		"of the submitter":    {"mainApplicationFile: 'file:///a.jar'", []string{`spec.mainApplicationFile: value "file:///a.jar"` + isFile}},
		"with capital scheme": {"mainApplicationFile: 'FILE:/a.jar'", []string{`spec.mainApplicationFile: value "FILE:/a.jar"` + isFile}},
		"with a blank": {"mainApplicationFile: local:///my job.jar", []string{
			`spec.mainApplicationFile: value "local:///my job.jar" has the character ' ', which is not allowed in a URI: escape it as %XX`,
		}},
		"with a blank, escaped": {"mainApplicationFile: local:///my%20job.jar", nil},
		"with a comma": {"mainApplicationFile: 'local:///a.jar,local:///b.jar'", []string{
			`spec.mainApplicationFile: value "local:///a.jar,local:///b.jar" has a comma, which separates files: write one entry for each file`,
		}},
		"dependencies": {`
deps:
  jars: ["local:///a.jar", "b.jar"]
  files: ["file:/c"]
  pyFiles: ["d.py"]
  archives: ["local:///e.zip#e f"]`, []string{
			`spec.deps.jars[1]: value "b.jar"` + noScheme,
			`spec.deps.files[0]: value "file:/c"` + isFile,
			`spec.deps.pyFiles[0]: value "d.py"` + noScheme,
			`spec.deps.archives[0]: value "local:///e.zip#e f" has the character ' ', which is not allowed in a URI: escape it as %XX`,
		}},
		"two in one entry": {`deps: {jars: ["local:///a.jar,local:///b.jar"]}`, []string{
			`spec.deps.jars[0]: value "local:///a.jar,local:///b.jar" has a comma, which separates files: write one entry for each file`,
		}},
		"properties": {`sparkConf: {spark.jars: "local:///a.jar, /b.jar", spark.files: "https://h/{a}"}`, []string{
			`spec.sparkConf[spark.jars]: value "/b.jar"` + noScheme,
			`spec.sparkConf[spark.files]: value "https://h/{a}" has the character '{', which is not allowed in a URI: escape it as %XX`,
		}},
	}.run(t)
}

func TestPackages(t *testing.T) {
	t.Parallel()
	table{
		"a slash":    {`deps: {packages: ["g/a:1"]}`, nil},
		"no version": {`deps: {packages: ["g:a:1", "g:a"]}`, []string{`spec.deps.packages: invalid Maven coordinate "g:a": write group:artifact:version`}},
		"an empty part": {`sparkConf: {spark.jars.packages: "g::1"}`, []string{
			`spec.sparkConf[spark.jars.packages]: invalid Maven coordinate "g::1": write group:artifact:version`,
		}},
		"a blank": {`deps: {packages: ["g:a b:1"]}`, []string{`spec.deps.packages: invalid Maven coordinate "g:a b:1": write group:artifact:version`}},
		"an exclusion with a version": {`deps: {excludePackages: ["g:a:1"]}`, []string{
			`spec.deps.excludePackages: invalid Maven coordinate "g:a:1": write group:artifact`,
		}},
	}.run(t)
}

func TestValues(t *testing.T) {
	t.Parallel()
	const unit = "set a whole number followed by k, m, g or t, such as 512m or 4g"
	const offHeap = ", so the driver would exit: set a size such as 1g, or remove spark.memory.offHeap.enabled"
	const heap = "is passed to Java as it is written, which reads only the units k, m, g and t: set "
	table{
		"memory": {"driver: {memory: 512mx}", []string{`spec.driver.memory: value "512mx" has the unknown unit "mx": ` + unit}},
		"a unit of Kubernetes": {"driver: {memory: 1Gi}\nexecutor: {memory: 2GiB}", []string{
			`spec.executor.memory: value "2GiB" has the unknown unit "gib": ` + unit, `spec.driver.memory: value "1Gi" ` + heap + "1g",
		}},
		"a unit of Kubernetes, which the version knows": {"sparkVersion: 4.3.0\ndriver: {memory: 1Gi}\nexecutor: {memory: 2GiB}", []string{
			`spec.driver.memory: value "1Gi" ` + heap + "1g",
		}},
		"a heap of the driver without a unit": {"driver: {memory: '1536'}", []string{`spec.driver.memory: value "1536" ` + heap + "1536m"}},
		"a heap of the driver in megabytes":   {"driver: {memory: 2048MB}", []string{`spec.driver.memory: value "2048MB" ` + heap + "2g"}},
		"a heap of the driver in bytes": {"sparkConf: {spark.driver.memory: 1610612000b}", []string{
			`spec.sparkConf[spark.driver.memory]: value "1610612000b" ` + heap + "1535m",
		}},
		"references": {"sparkConf: {spark.pyspark.python: '${env:HOME}/python', spark.kubernetes.executor.scheduler.name: '${spark.app.name}', spark.sql.warehouse.dir: '${x}'}", []string{
			`spec.sparkConf[spark.pyspark.python]: value "${env:HOME}/python" has a reference, which spark-submit replaces and nothing does here: write out what it stands for`,
			`spec.sparkConf[spark.kubernetes.executor.scheduler.name]: value "${spark.app.name}" has a reference, which spark-submit replaces and nothing does here: ` +
				`write out what it stands for`,
		}},
		"a heap of executors without a unit": {"executor: {memory: '4096'}", []string{
			`spec.executor.memory: value "4096" has no unit, so that the driver reads it as bytes and ends when it starts: set 4g`,
		}},
		"a heap of the driver that Java reads": {"sparkConf: {spark.driver.memory: ' 1600000k '}", nil},
		"executors may have any unit of Spark": {"executor: {memory: 2048MB, memoryOverhead: '512'}", nil},
		"executor memory":                      {"executor: {memory: 1.5g}", []string{`spec.executor.memory: value "1.5g" is not a memory size: ` + unit}},
		"no memory":                            {"executor: {memory: '0'}", []string{`spec.executor.memory: value "0" is less than 1m: set a memory size such as 1g`}},
		"overhead below zero": {"sparkConf: {spark.executor.memoryOverhead: '-1'}", []string{
			`spec.sparkConf[spark.executor.memoryOverhead]: value "-1" is not a memory size: ` + unit,
		}},
		"off-heap memory": {"sparkConf: {spark.memory.offHeap.size: x}", []string{
			`spec.sparkConf[spark.memory.offHeap.size]: value "x" is not a memory size: ` + unit,
		}},
		"off-heap memory without a size": {"sparkConf: {spark.memory.offHeap.enabled: 'true'}", []string{
			`spec.sparkConf[spark.memory.offHeap.size]: spark.memory.offHeap.enabled is true but no size is set` + offHeap,
		}},
		"off-heap memory of a few bytes": {"sparkConf: {spark.memory.offHeap.enabled: 'true', spark.memory.offHeap.size: '1024'}", []string{
			`spec.sparkConf[spark.memory.offHeap.size]: spark.memory.offHeap.enabled is true but value "1024" is less than 1m (a plain number counts bytes)` + offHeap,
		}},
		"off-heap memory of a mebibyte": {"sparkConf: {spark.memory.offHeap.enabled: 'true', spark.memory.offHeap.size: '1048576'}", nil},
		"off-heap memory, switched off": {"sparkConf: {spark.memory.offHeap.enabled: 'false', spark.memory.offHeap.size: '0'}", nil},
		"factor": {"sparkConf: {spark.kubernetes.memoryOverheadFactor: ten percent}", []string{
			`spec.sparkConf[spark.kubernetes.memoryOverheadFactor]: value "ten percent" is not a number: set a number such as 0.1`,
		}},
		"factor below zero": {"sparkConf: {spark.executor.memoryOverheadFactor: '-0.1'}", []string{
			`spec.sparkConf[spark.executor.memoryOverheadFactor]: value "-0.1" is not a share of memory: set a number above zero, such as 0.1`,
		}},
		"cores": {"sparkConf: {spark.driver.cores: '1.5'}", []string{
			`spec.sparkConf[spark.driver.cores]: value "1.5" is not a whole number: set a number such as 2`,
		}},
		"no cores": {"sparkConf: {spark.executor.cores: '0'}", []string{
			`spec.sparkConf[spark.executor.cores]: value "0" is below 1: set a whole number above zero`,
		}},
		"request of cores": {"sparkConf: {spark.kubernetes.driver.request.cores: two}", []string{
			`spec.sparkConf[spark.kubernetes.driver.request.cores]: value "two" is not an amount of cores: set a quantity above zero such as 500m or 2`,
		}},
		"cores without end": {`sparkConf: {spark.kubernetes.driver.limit.cores: "1e9999999999", spark.kubernetes.driver.request.cores: "1e-999999999"}`, []string{
			`spec.sparkConf[spark.kubernetes.driver.request.cores]: value "1e-999999999" is not an amount of cores: set a quantity above zero such as 500m or 2`,
			`spec.sparkConf[spark.kubernetes.driver.limit.cores]: value "1e9999999999" is not an amount of cores: set a quantity above zero such as 500m or 2`,
		}},
		"limit of cores": {"executor: {coreLimit: '0'}", []string{
			`spec.executor.coreLimit: value "0" is not an amount of cores: set a quantity above zero such as 500m or 2`,
		}},
		"a switch": {"sparkConf: {spark.dynamicAllocation.enabled: 'yes'}", []string{
			`spec.sparkConf[spark.dynamicAllocation.enabled]: value "yes" is neither true nor false: set true or false`,
		}},
		"a pull policy": {"sparkConf: {spark.kubernetes.container.image.pullPolicy: Sometimes}", []string{
			`spec.sparkConf[spark.kubernetes.container.image.pullPolicy]: value "Sometimes" is not known: set Always, IfNotPresent or Never`,
		}},
		"a policy of IP families": {"sparkConf: {spark.kubernetes.driver.service.ipFamilyPolicy: Any, spark.kubernetes.driver.service.ipFamilies: 'IPv4, IPv6'}", []string{
			`spec.sparkConf[spark.kubernetes.driver.service.ipFamilyPolicy]: value "Any" is not known: set SingleStack, PreferDualStack or RequireDualStack`,
			`spec.sparkConf[spark.kubernetes.driver.service.ipFamilies]: value "IPv4, IPv6" is not known: set IPv4, IPv6, IPv4,IPv6 or IPv6,IPv4`,
		}},
		"no executors": {"sparkConf: {spark.executor.instances: '0'}", []string{
			`spec.sparkConf[spark.executor.instances]: value "0" is below 1: set a whole number above zero`,
		}},
		"executors below zero": {"executor: {instances: -1}", []string{
			`spec.executor.instances: value "-1" is below 1: set a whole number above zero`,
		}},
		"executors that are no number": {"sparkConf: {spark.executor.instances: two}", []string{
			`spec.sparkConf[spark.executor.instances]: value "two" is not a whole number: set a number such as 2`,
		}},
		"a secret": {"sparkConf: {spark.kubernetes.driver.secretKeyRef.PASSWORD: db-creds}", []string{
			`spec.sparkConf[spark.kubernetes.driver.secretKeyRef.PASSWORD]: value (hidden) does not name a key of a Secret: set <name of the Secret>:<key>`,
		}},
	}.run(t)
}

func TestContradictionsAndOwnedKeys(t *testing.T) {
	t.Parallel()
	table{
		"a contradiction": {"driver: {memory: 1g}\nsparkConf: {spark.driver.memory: 2g}", []string{
			`spec.driver.memory: value "1g" contradicts "2g" of spec.sparkConf[spark.driver.memory]; remove one`,
		}},
		"an owned key": {"sparkConf: {spark.submit.deployMode: cluster}", []string{
			`spec.sparkConf[spark.submit.deployMode]: value "cluster" cannot be set because the operator owns this property: remove it: drivers always run in a pod`,
		}},
		"no property": {"sparkConf: {fs.s3a.endpoint: x}", []string{
			`spec.sparkConf[fs.s3a.endpoint]: the key is not a property of Spark: use a key that begins with spark. (Hadoop's properties go to spec.hadoopConf)`,
		}},
		"another allocator": {"sparkConf: {spark.kubernetes.allocation.pods.allocator: statefulset}", []string{
			`spec.sparkConf[spark.kubernetes.allocation.pods.allocator]: value "statefulset" is not supported: remove it; executors are created directly`,
		}},
	}.run(t)
}

func TestJavaOptions(t *testing.T) {
	t.Parallel()
	table{
		"heap of the driver":   {"driver: {javaOptions: '-Da=b -Xmx2g'}", []string{`spec.driver.javaOptions: value "-Xmx2g" sets the heap: remove it and set spec.driver.memory`}},
		"heap of executors":    {"executor: {javaOptions: '-Xmx2g'}", []string{`spec.executor.javaOptions: value "-Xmx2g" sets the heap: remove it and set spec.executor.memory`}},
		"heap by property":     {"sparkConf: {spark.driver.defaultJavaOptions: '-Xmx1g'}", []string{`spec.sparkConf[spark.driver.defaultJavaOptions]: value "-Xmx1g" sets the heap: remove it and set spec.driver.memory`}},
		"a property of Spark":  {"executor: {javaOptions: '-Dspark.x=y'}", []string{`spec.executor.javaOptions: value "-Dspark.x=y" sets a property of Spark, which executors refuse: set it in spec.sparkConf`}},
		"a secret of Spark":    {"executor: {javaOptions: '-Dspark.my.password=x'}", []string{`spec.executor.javaOptions: value (hidden) sets a property of Spark, which executors refuse: set it in spec.sparkConf`}},
		"the driver takes it":  {"driver: {javaOptions: '-Dspark.x=y'}", nil},
		"something like it":    {"driver: {javaOptions: '-Dnote=no-Xmx -Xss2m'}", nil},
		"the other role alone": {"driver: {javaOptions: '-Xms2g'}", nil},
	}.run(t)
}

func TestSensitiveValuesAreHidden(t *testing.T) {
	t.Parallel()
	app := spec(`
driver: {labels: {my-token: "not a label!"}}
sparkConf:
  spark.kubernetes.driver.secretKeyRef.A: top-secret-value
  spark.kubernetes.authenticate.driver.oauthToken: top-secret-value
  spark.kubernetes.authenticate.submission.oauthToken: top-secret-value
  spark.executor.extraJavaOptions: -Dspark.password=top-secret-value
`).application(t)
	findings := Application(app)
	if len(findings) != 5 {
		t.Errorf("%d findings, want 5: %v", len(findings), findings)
	}
	for _, finding := range findings {
		if strings.Contains(finding.String(), "top-secret-value") || strings.Contains(finding.String(), "not a label!") {
			t.Errorf("a secret is shown: %s", finding)
		}
	}
}

func TestReaders(t *testing.T) {
	t.Parallel()
	// Every reader takes what is right, and names the key of what is wrong.
	for _, kind := range values {
		for _, key := range kind.keys {
			p := conf.Properties{}
			p.Put(key, "¿${x}")
			if err := kind.read(p, key); err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("%s: error = %v, want one that names the key", key, err)
			}
		}
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	got := texts(sorted([]Finding{invalid("b", "1: x"), invalid("a", "2: x"), invalid("b", "0: x")}))
	if diff := cmp.Diff([]string{"a: 2: x", "b: 1: x", "b: 0: x"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
