// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// asks needs a Spark that plans, executors that run Python, and the Python of the server in the client.
const asks = `
print(spark.sql("select sum(id) from range(0, 1000, 1, 4)").collect()[0][0])

@udf("int")
def next(n):
    return n + 1

print([row[0] for row in spark.range(3).select(next("id")).collect()])
`

// busy keeps all executors busy until four have worked for it and the test creates a file.
const busy = `
@udf("string")
def host(_):
    time.sleep(1)
    return os.uname().nodename

hosts = set()
while len(hosts) < 4 or not os.path.exists("/tmp/enough"):
    hosts |= {row[0] for row in spark.range(0, 16, 1, 16).select(host("id")).collect()}
`

// TestSlowANotebookUsesTheQuotaOfAQueue: a notebook needs a name and a port. Its executors come as far as the queue has quota, have what
// the template says, and go when the notebook has nothing to do.
func TestSlowANotebookUsesTheQuotaOfAQueue(t *testing.T) {
	t.Parallel()
	const quota = "4480Mi" // five pods
	n := env.NewNotebook(t, env.Image, env.ClientAlone, "4", quota)
	n.Apply(server("notebooks", n.Name, v1alpha1.ConnectServer, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.dynamicAllocation.executorIdleTimeout"] = "5s"
		// Spark's own default keeps an executor with shuffle files until a collection of garbage in the driver, which may take half an hour.
		spec.SparkConf["spark.dynamicAllocation.shuffleTracking.timeout"] = "5s"
		spec.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"metadata": {"labels": {"cost-centre": "research"}}}`)}
	}))
	serves(n.Namespace, "notebooks", env.First)
	if said := n.Run(asks); said != "499500\n[1, 2, 3]\n" {
		t.Errorf("the notebook shows %q", said)
	}

	working := n.Start(busy)
	executors(n, "four, while others wait for quota", func(e *v1alpha1.ExecutorStatus) bool { return e.Ready == 4 && e.Gated > 0 })
	n.Tell("/tmp/enough")
	working.Succeeds()
	// Executors that go hand their shuffle files over. Spark keeps the last one, which may have some, until another query has ended.
	executors(n, "at most one", func(e *v1alpha1.ExecutorStatus) bool { return e.Ready <= 1 && e.Pending == 0 && e.Gated == 0 })
	if peak, most := n.Peak(), resource.MustParse(quota); peak.Memory > most.Value() {
		t.Errorf("at the peak there were %+v, want no more than %s", peak, quota)
	}
	for _, pod := range n.Pods("notebooks", v1alpha1.SparkRoleExecutor) {
		if got := pod.Labels["cost-centre"]; got != "research" {
			t.Errorf("executor %s has the label cost-centre %q", pod.Name, got)
		}
	}
	n.Kubectl("delete", "sgapp", "notebooks", "--timeout=5m")
	n.GivenBack(n.Name)
}

// executors waits until the status counts such executors of the server.
func executors(n env.Notebook, what string, are func(*v1alpha1.ExecutorStatus) bool) {
	n.Shows("notebooks", "at these executors: "+what, func(app *v1alpha1.SparkApplication) error {
		if e := app.Status.Executors; e == nil || !are(e) {
			return fmt.Errorf("executors: %+v", e)
		}
		return nil
	})
}

// outlives has a session when its server is killed. What it knew is gone with it. The same Python connects again, to the same name.
const outlives = `
spark.sql("create temporary view answers as select 42 as answer")
assert spark.table("answers").collect()[0].answer == 42
open("/tmp/connected", "w").close()
wait_for("/tmp/killed")
try:
    spark.table("answers").collect()
except Exception as error:
    print("lost:", error)
else:
    raise Exception("the session has outlived its server")
spark = connect()
assert spark.sql("select 6 * 7").collect()[0][0] == 42
assert not spark.catalog.tableExists("answers")
`

// motto must reach Spark as it is, though shells, templates and files of properties have a meaning for what is in it.
const motto = `$HOME ${HOME} $(id) $SPARK_HOME$$ {{APP_ID}} "double" 'single'  two blanks; C:\temp\n #1 key=value: 100% {"a": [1]}`

// TestSlowANotebookFindsItsServerAgain: a server that is killed or changed is back at its name.
func TestSlowANotebookFindsItsServerAgain(t *testing.T) {
	t.Parallel()
	n := env.NewNotebook(t, env.Image, env.ClientAlone, "1", "3Gi")
	app := server("notebooks", n.Name, v1alpha1.ConnectServer, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.sparkgate.motto"] = motto
		spec.SparkConf["spark.sql.shuffle.partitions"] = "3"
	})
	n.Apply(app)
	driver := serves(n.Namespace, "notebooks", env.First)
	knows(t, n, "3")

	open := n.Start(outlives)
	n.AwaitFile("/tmp/connected")
	n.Kubectl("delete", "pod", driver)
	n.Tell("/tmp/killed")
	serves(n.Namespace, "notebooks", env.Attempt{Run: 1, Attempt: 2})
	open.Succeeds()

	app.Spec.SparkConf["spark.sql.shuffle.partitions"] = "5"
	n.Apply(app)
	serves(n.Namespace, "notebooks", env.Attempt{Run: 2, Attempt: 1})
	knows(t, n, "5")
	n.Kubectl("delete", "sgapp", "notebooks", "--timeout=5m")
	n.GivenBack(n.Name)
}

// knows checks what a new session says about the configuration of the server.
func knows(t *testing.T, n env.Notebook, partitions string) {
	t.Helper()
	said := n.Run(`print(spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.sparkgate.motto"), end="")`)
	if want := partitions + " " + motto; said != want {
		t.Errorf("the session says  %s\nand the spec has %s", said, want)
	}
}
