// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// TestRecordedCauses: the causes of real failures are found.
func TestRecordedCauses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"value": `ValueError: no such column "x"`,
		"analysis": "pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name " +
			"`colour` cannot be resolved. Did you mean one of the following? [`id`]. SQLSTATE: 42703;",
		"task": "ZeroDivisionError: division by zero",
		"chained": "RuntimeError: the configuration cannot be read; Caused by: json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 " +
			"column 2 (char 1)",
		"save":  "java.io.IOException: Mkdirs failed to create file:/proc/none/here/_temporary/0/_temporary/attempt",
		"path":  "org.apache.spark.sql.AnalysisException: [PATH_NOT_FOUND] Path does not exist: file:/nowhere/at/all. SQLSTATE: 42K03",
		"stage": "java.lang.IllegalStateException: record 0 is broken; Caused by: java.io.IOException: unexpected end of file",
		"s3key": "java.nio.file.AccessDeniedException: s3a://my-bucket/in: getFileStatus on s3a://my-bucket/in: software.amazon.awssdk.services.s3.model.S3Exception: " +
			"Forbidden (Service: S3, Status Code: 403, Request ID: ",
		"s3connector": "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
		"noclass":     "Failed to load class Nowhere.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name+".log"))
			if err != nil {
				t.Fatal(err)
			}
			if got := Find(string(text)); !strings.HasPrefix(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
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
			"",
		},
		"an exception with a location that repeats its causes": {
			"Exception in thread \"main\" org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://absent/in': getFileStatus on s3a://absent/in: NoSuchBucketException: The " +
				"specified bucket does not exist. (Status Code: 404)\n\tat x\nCaused by: NoSuchBucketException: The specified bucket does not exist. (Status Code: 404)\n\tat y",
			"org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://absent/in': getFileStatus on s3a://absent/in: NoSuchBucketException: The " +
				"specified bucket does not exist. (Status Code: 404)",
		},
		"an exception with a location, and a cause that adds to it": {
			"Exception in thread \"main\" java.io.IOException: cannot read s3a://bucket/in\n\tat x\nCaused by: java.net.ConnectException: Connection refused",
			"java.io.IOException: cannot read s3a://bucket/in; Caused by: java.net.ConnectException: Connection refused",
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
		"an exception that was handled when another was raised": {
			"Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
				"Traceback (most recent call last):\n  File \"b.py\"\nValueError: b", "ValueError: b; Caused by: KeyError: 'a'",
		},
		"the last words of an executor": {
			" at x\n26/01/01 ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread Thread[#58,Executor task launch worker,5,main]\n" +
				"java.lang.OutOfMemoryError: Java heap space\n\tat x\n26/01/01 INFO ShutdownHookManager: bye", "java.lang.OutOfMemoryError: Java heap space",
		},
		"a bare cause":                       {java("java.lang.RuntimeException: java.lang.NullPointerException", "java.lang.NullPointerException"), "java.lang.NullPointerException"},
		"a cause that stands in the message": {java("java.lang.RuntimeException: cannot load: a.B: no file", "a.B: no file"), "java.lang.RuntimeException: cannot load: a.B: no file"},
		"causes":                             {java("a.A: a", "b.B: b", "c.C: c"), "a.A: a; Caused by: b.B: b; Caused by: c.C: c"},
		"causes that are too long together":  {java("a.A: "+long, "b.B: "+long, "c.C: root"), "a.A: " + long + "; Caused by: c.C: root"},
		"a first one and a root that are too long": {
			java("a.A: "+long, "c.C: "+long+long), redact.First("a.A: "+long, MaxBytes/3) + redact.First("; Caused by: c.C: "+long+long, MaxBytes-MaxBytes/3),
		},
		"colours and bars":           {"[Stage 0]\rTraceback (most recent call last):\r\n  File \"a.py\"\r\n\x1b[31mValueError\x1b[0m: a", "ValueError: a"},
		"an address":                 {java("a.A: cannot reach jdbc:x://user:hunter2@db/x?password=hunter2"), "a.A: cannot reach jdbc:x://(hidden)@db/x?password=(hidden)"},
		"a secret in a cause":        {java("a.A: no", "b.B: Authorization: Basic aHVudGVyMg=="), "a.A: no; Caused by: b.B: Authorization: (hidden)"},
		"a class about secrets":      {java("org.apache.hadoop.security.token.SecretManager$InvalidToken: it is expired"), "org.apache.hadoop.security.token.SecretManager$InvalidToken: it is expired"},
		"a secret that would be cut": {java("a.A: " + strings.Repeat("x", MaxBytes-len("a.A: password=hunt")) + " password=hunter2"), "a.A: " + strings.Repeat("x", MaxBytes-len("a.A: password=hunt")) + " password=…"},
		"a secret":                   {"Traceback (most recent call last):\n  File \"a.py\"\nValueError: password=hunter2", "ValueError: password=(hidden)"},
		"very long":                  {"Traceback (most recent call last):\n  File \"a.py\"\nValueError: " + strings.Repeat("x", 1000), "ValueError: " + strings.Repeat("x", MaxBytes-len("ValueError: ")-len("…")) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Find(tc.log); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestWhatEnded: what ends a program among what it survives, what follows from its end, and what others print.
func TestWhatEnded(t *testing.T) {
	t.Parallel()
	const stack = "Traceback (most recent call last):\n  File \"/opt/job.py\", line 3, in <module>\n    main()\n"
	const info, bye = "26/01/01 10:00:00 INFO DAGScheduler: Job 1 finished\n", "26/01/01 10:00:09 INFO SparkContext: Invoking stop() from shutdown hook\n"
	const heap = "java.lang.OutOfMemoryError: Java heap space"
	for name, tc := range map[string]struct{ log, want string }{
		"a traceback, and more words in its message": {stack + "ValueError: two lines\nof text\n" + bye, "ValueError: two lines"},
		"a traceback that was survived":              {stack + "KeyError: 'x'\n" + info + "3 of 9 checks failed\n" + bye, "its last line: 3 of 9 checks failed"},
		"a task of asyncio that was never awaited":   {"Task exception was never retrieved\nfuture: <Task>\n" + stack + "ValueError: side\n3 tables are empty\n" + bye, "its last line: 3 tables are empty"},
		"words after the session was stopped":        {"26/01/01 10:00:08 INFO SparkContext: SparkContext is stopping with exitCode 0 from stop at NativeMethodAccessorImpl.java:0.\nno orders\n" + bye, "its last line: no orders"},
		"words after the end":                        {"no orders\n" + bye + "deleting files\n", "its last line: no orders"},
		"a table":                                    {"no orders\n+---+\n| id|\n+---+\n" + bye, "its last line: no orders"},
		"an error of Python's logging":               {"ERROR:etl:input is missing\n" + bye, "input is missing"},
		"an error of a logger with a format":         {"2026-01-01 10:00:00,123 - etl - ERROR - input is missing\n" + bye, "input is missing"},
		"an error of a logger with brackets":         {"[2026-01-01, 10:00:00 UTC] {job.py:12} ERROR - input is missing\n" + bye, "input is missing"},
		"Spark's structured log":                     {"{\"ts\":\"2026-01-01T10:00:00Z\",\"level\":\"INFO\"}\n" + stack + "ValueError: x\n{\"ts\":\"2026-01-01T10:00:00Z\",\"level\":\"INFO\"}\n", "ValueError: x"},
		"options of click":                           {"Usage: job.py [OPTIONS]\n\nError: Missing option '--date'.\n" + bye, "Missing option '--date'."},
		"an exception in a box":                      {"╭ Traceback ╮\n│ job.py:3 │\n╰───╯\nValueError: bad input\n" + bye, "ValueError: bad input"},
		"Spark's backend":                            {"26/01/01 10:00:00 ERROR SparkContext: Error initializing SparkContext.\nx.IllegalStateException: Spark context stopped while waiting for backend\n\tat x.Y(Z.java:1)\n" + bye, ""},
		"a JVM without heap, seen by Python":         {"Exception in thread \"dispatcher\" " + heap + "\n\tat x.Y(Z.java:1)\nERROR:root:Exception while sending command.\n" + stack + "py4j.protocol.Py4JNetworkError: Answer from Java side is empty\n", heap},
		"a JVM that ends itself":                     {"Terminating due to " + heap + "\n", "Terminating due to " + heap},
		"a JVM without memory":                       {"#\n# There is insufficient memory for the Java Runtime Environment to continue.\n# /opt/hs_err_pid14.log\n", "There is insufficient memory for the Java Runtime Environment to continue."},
		"a crash of a library":                       {"#\n#  SIGSEGV (0xb) at pc=0x7f, pid=14, tid=15\n#\n# Problematic frame:\n# C  [libfoo.so+0x1]  foo\n", "SIGSEGV (0xb) at pc=0x7f, pid=14, tid=15"},
		"a crash of Python":                          {"Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n" + bye, "Fatal Python error: Segmentation fault"},
		"a shell":                                    {"+ exec /usr/bin/tini\n/opt/entrypoint.sh: line 12: exec: /usr/bin/tini: cannot execute\n", "its last line: /opt/entrypoint.sh: line 12: exec: /usr/bin/tini: cannot execute"},
		"a task that lost its executor": {"Exception in thread \"main\" org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 5.0 failed 4 times, most recent failure: " +
			"Lost task 3.3 in stage 5.0 (TID 77) (10.0.0.9 executor 4): ExecutorLostFailure (executor 4 exited) Reason: \nThe executor with id 4 exited with exit code 137(SIGKILL).\n\tat x.Y(Z.java:1)\n" + bye,
			"in a task on an executor: ExecutorLostFailure (executor 4 exited) Reason: The executor with id 4 exited with exit code 137(SIGKILL)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Find(tc.log); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// java returns what Java prints about an exception that ends a program, and its causes.
func java(thrown string, causes ...string) string {
	var b strings.Builder
	b.WriteString("Exception in thread \"main\" " + thrown + "\n\tat x.Y\n")
	for _, cause := range causes {
		b.WriteString("Caused by: " + cause + "\n\tat x.Y\n\t... 3 more\n")
	}
	return b.String()
}

// FuzzFind: a cause is one line of plain text within its limit, whatever a job prints.
func FuzzFind(f *testing.F) {
	f.Add("one\ntwo")
	f.Add("Traceback (most recent call last):\n File\nValueError: a\n" + strings.Repeat("é\n", 2000))
	f.Add(java("a.A: "+strings.Repeat("é", 400), "b.B: password=x", "c.C: "+strings.Repeat("é", 400)))
	f.Fuzz(func(t *testing.T, log string) {
		if got := Find(log); len(got) > MaxBytes || !redact.Prints(got) {
			t.Errorf("the cause of %q is %q (%d bytes)", log, got, len(got))
		}
	})
}

// TestRefusals: a refusal of pods names what keeps executors from being created; one that lasts ends an attempt.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ pods, lasts bool }{
		`pods "pi-1-1-exec-1" is forbidden: failed quota: q: must specify limits.cpu for: spark-kubernetes-executor`:                         {true, true},
		`pods "pi-1-1-exec-1" is forbidden: exceeded quota: q, requested: cpu=1, used: cpu=4, limited: cpu=4`:                                {true, false},
		`pods "pi-1-1-exec-1" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`:                     {true, true},
		`pods "pi-1-1-exec-1" is forbidden: error looking up service account team/spark: serviceaccount "spark" not found`:                   {true, false},
		`pods is forbidden: User "system:serviceaccount:team:default" cannot create resource "pods" in API group "" in the namespace "team"`: {true, true},
		`Pod "pi-1-1-exec-1" is invalid: spec.containers[0].image: Required value`:                                                           {true, true},
		`admission webhook "check.example.com" denied the request: no label team`:                                                            {true, true},
		`configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`:                                     {false, false},
		`secrets "db" is forbidden: User "a" cannot get resource "secrets" in API group "" in the namespace "team"`:                          {false, true},
		`org.apache.spark.SparkException: External scheduler cannot be instantiated; Caused by: sun.security.provider.certpath.SunCertPathBuilderException: ` +
			`unable to find valid certification path to requested target`: {false, true},
		"java.net.ConnectException: Connection refused": {false, false},
	} {
		if got := RefusesPods(text); got != want.pods {
			t.Errorf("%s: refuses pods %t, want %t", text, got, want.pods)
		}
		if got := Lasts(text); got != want.lasts {
			t.Errorf("%s: lasts %t, want %t", text, got, want.lasts)
		}
	}
}
