// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package versions

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// asks needs a Spark that plans, and executors that run Python.
const asks = `
@udf("int")
def next(n):
    return n + 1

print(spark.version, spark.sql("select sum(id) from range(0, 1000, 1, 4)").collect()[0][0], [row[0] for row in spark.range(3).select(next("id")).collect()], end="")
`

// connectOf35 is the package of pom.xml: Spark 3.5 does not bring Spark Connect along. Its patch version may differ from that of Spark.
const connectOf35 = "org.apache.spark:spark-connect_2.12:3.5.5"

// TestSlowAConnectServerAnswers: the client of the version gets answers from a server of the version.
func TestSlowAConnectServerAnswers(t *testing.T) {
	t.Parallel()
	version := sparkVersion(t)
	app := env.Example(t, "connect-server.yaml")
	app.Spec.SparkVersion, app.Spec.Image, app.Spec.Arguments = version, "docker.io/sparkgate/spark:"+minorOf(version), nil
	n := env.NewNotebook(t, app.Spec.Image, env.ClientOfSpark, "1", "3Gi")
	app.Namespace, app.Spec.Queue.Name = "", n.Name
	app.Spec.SparkConf["spark.sql.execution.pythonUDF.arrow.enabled"] = "false" // the default of 4.3 needs pyarrow, which the image has not
	if minorOf(version) == "3.5" {
		app.Spec.Deps = &v1alpha1.Dependencies{Packages: []string{connectOf35}}
		app.Spec.Driver.Env = []v1alpha1.EnvVar{{Name: "DEFAULT_ARTIFACT_REPOSITORY", Value: env.MavenCentral(t)}}
	}
	n.Apply(app)
	n.Shows(app.Name, "ready", func(app *v1alpha1.SparkApplication) error {
		if ready := env.Condition(app, v1alpha1.ReadyCondition); ready.Status != metav1.ConditionTrue {
			return fmt.Errorf("ready is %s: %s", ready.Status, ready.Message)
		}
		return nil
	})
	if said, want := n.Run(asks), version+" 499500 [1, 2, 3]"; said != want {
		t.Errorf("the notebook shows %q, want %q", said, want)
	}
	n.Kubectl("delete", "sgapp", app.Name, "--timeout=5m")
	n.GivenBack(n.Name)
}
