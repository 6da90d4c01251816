// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecordedCauses: the causes of real failures are found, and the tail contains the line.
func TestRecordedCauses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ cause, frame string }{
		"value": {`ValueError: no such column "x"`, `    raise ValueError('no such column "%s"' % name)`},
		"analysis": {
			"pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name " +
				"`colour` cannot be resolved. Did you mean one of the following? [`id`]. SQLSTATE: 42703;", `    spark.range(3).select("colour").show()`,
		},
		"task":    {"ZeroDivisionError: division by zero", `  File "/opt/jobs/task.py", line 3, in <lambda>`},
		"chained": {"RuntimeError: the configuration cannot be read", `    raise RuntimeError("the configuration cannot be read") from e`},
		"save":    {"java.io.IOException: Mkdirs failed to create file:/proc/none/here/_temporary/0/_temporary/attempt", "Caused by: java.io.IOException: Mkdirs failed"},
		"path": {
			"org.apache.spark.sql.AnalysisException: [PATH_NOT_FOUND] Path does not exist: file:/nowhere/at/all. SQLSTATE: 42K03",
			"Exception in thread \"main\" org.apache.spark.sql.AnalysisException",
		},
		"stage": {"java.io.IOException: unexpected end of file", "Caused by: java.io.IOException: unexpected end of file"},
		"s3key": {
			"java.nio.file.AccessDeniedException: s3a://my-bucket/in: getFileStatus on s3a://my-bucket/in: software.amazon.awssdk.services.s3.model.S3Exception: " +
				"Forbidden (Service: S3, Status Code: 403, Request ID: ", ": java.nio.file.AccessDeniedException: s3a://my-bucket/in",
		},
		"s3connector": {
			"java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
			"Caused by: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
		},
		"noclass": {"Failed to load class Nowhere.", "Error: Failed to load class Nowhere."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name+".log"))
			if err != nil {
				t.Fatal(err)
			}
			log := Read(string(text), 20)
			if !strings.HasPrefix(log.Cause, tc.cause) || tc.cause == "" && log.Cause != "" {
				t.Errorf("cause %q, want %q", log.Cause, tc.cause)
			}
			if !strings.Contains(log.Tail, tc.frame) {
				t.Errorf("%q is not in the tail:\n%s", tc.frame, log.Tail)
			}
			if len(log.Tail) > MaxBytes || strings.Count(log.Tail, "\n") >= 22 {
				t.Errorf("the tail has %d bytes and %d lines", len(log.Tail), strings.Count(log.Tail, "\n")+1)
			}
		})
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	const forbidden = `pods is forbidden: User "system:serviceaccount:team:default" cannot create resource "pods" in API group "" in the namespace "team"`
	const invalid = `Pod "pi-exec-1" is invalid: spec.containers[0].livenessProbe: Required value: must specify a handler type`
	const exceeded = `pods "pi-exec-5" is forbidden: exceeded quota: team, requested: cpu=1, used: cpu=4, limited: cpu=4`
	for name, tc := range map[string]struct{ log, want string }{
		"nothing":           {"INFO all is well\nINFO bye", ""},
		"not in the driver": {"WARN Lost task 0.0: x.PythonException: Traceback (most recent call last):\n  File \"a.py\"\nValueError: a\n\n\tat x.Y\nINFO bye", ""},
		"an exception that was logged, and then another": {
			"Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'\nTraceback (most recent call last):\n  File \"b.py\"\nKeyError: 'b'\nINFO bye", "KeyError: 'b'",
		},
		"without a message": {"Traceback (most recent call last):\n  File \"a.py\"\nAssertionError", "AssertionError"},
		"cut off":           {"Traceback (most recent call last):\n  File \"a.py\"", ""},
		"a refusal in a stack": {
			"Exception in thread \"main\" org.apache.spark.SparkException: External scheduler cannot be instantiated\n\tat x\nCaused by: io.fabric8.kubernetes.client." +
				"KubernetesClientException: Failure executing: POST at: https://x/api/v1/namespaces/team/pods. Message: " + forbidden + ". Received status: Status(apiVersion=v1)",
			forbidden,
		},
		"a refusal that was logged": {"26/01/01 ERROR Utils: Message: " + forbidden + "\nINFO bye", forbidden},
		"an invalid executor": {
			"WARN ExecutorPodsSnapshotsStoreImpl: Exception when notifying snapshot subscriber.\nio.fabric8.kubernetes.client.KubernetesClientException: Failure executing: " +
				"POST at: https://x/api/v1/namespaces/team/pods. Message: " + invalid + ". Received status: Status(apiVersion=v1, code=422)\n\tat x\nINFO bye",
			invalid,
		},
		"an executor that a webhook denies": {
			"Message: admission webhook \"policy.example.org\" denied the request: no such team. Received status: Status(apiVersion=v1)\nINFO bye",
			`admission webhook "policy.example.org" denied the request: no such team`,
		},
		"executors that a ResourceQuota refuses, until Spark gives up": {
			"ERROR ExecutorPodsAllocator: Failed to create executor pod 5. Total failures: 5\nio.fabric8.kubernetes.client.KubernetesClientException: Failure executing: " +
				"POST at: https://x/api/v1/namespaces/team/pods. Message: " + exceeded + ". Received status: Status(apiVersion=v1, code=403)\n\tat x\n" +
				"ERROR ExecutorPodsLifecycleManager: Max number of executor failures (4) reached\nTraceback (most recent call last):\n  File \"a.py\"\n" +
				"ConnectionRefusedError: [Errno 111] Connection refused\nException in thread \"main\" org.apache.spark.SparkException: Job 0 cancelled",
			exceeded,
		},
		"executors that failed until Spark gave up": {
			"ERROR ExecutorPodsLifecycleManager: Max number of executor failures (4) reached\nException in thread \"main\" org.apache.spark.SparkException: Job 0 cancelled",
			"org.apache.spark.SparkException: Job 0 cancelled",
		},
		"an exception with a location that repeats its causes": {
			"Exception in thread \"main\" org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://absent/in': getFileStatus on s3a://absent/in: NoSuchBucketException: The " +
				"specified bucket does not exist. (Status Code: 404)\n\tat x\nCaused by: NoSuchBucketException: The specified bucket does not exist. (Status Code: 404)\n\tat y",
			"org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://absent/in': getFileStatus on s3a://absent/in: NoSuchBucketException: The " +
				"specified bucket does not exist. (Status Code: 404)",
		},
		"an exception with a location, and a cause that adds to it": {
			"Exception in thread \"main\" java.io.IOException: cannot read s3a://bucket/in\n\tat x\nCaused by: java.net.ConnectException: Connection refused", "java.net.ConnectException: Connection refused",
		},
		"an exception of Spark that repeats its cause": {
			"Exception in thread \"main\" org.apache.spark.SparkException: Job aborted: java.io.IOException: no s3a://a/b\n\tat x\nCaused by: java.io.IOException: no s3a://a/b",
			"java.io.IOException: no s3a://a/b",
		},
		"something else that is invalid": {"WARN Config \"a\" is invalid: b\nINFO bye", ""},
		"no such program":                {"python3: can't open file '/a.py': [Errno 2] No such file or directory\n", "can't open file '/a.py': [Errno 2] No such file or directory"},
		"not Python":                     {"INFO hello\n  File \"/a.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n", "SyntaxError: invalid syntax"},
		"an argument that is missing": {
			"INFO hello\nusage: a.py [-h] --date DATE\na.py: error: the following arguments are required: --date\nINFO ShutdownHookManager: bye",
			"the following arguments are required: --date",
		},
		"a secret":  {"Traceback (most recent call last):\n  File \"a.py\"\nValueError: password=hunter2", "ValueError: password=(hidden)"},
		"very long": {"Traceback (most recent call last):\n  File \"a.py\"\nValueError: " + strings.Repeat("x", 1000), "ValueError: " + strings.Repeat("x", 241) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Read(tc.log, 20).Cause; got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}
