// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package scenarios

import (
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// openDir creates a folder of the node that all users may write to. Call it before a namespace is created, so that it
// is deleted after the pods.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shuffler succeeds if its shuffle has left files in the local folder of every executor that worked for it, and if that
// folder is on /scratch.
const shuffler = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  shuffler.py: |
    import os, sys
    from pyspark.sql import SparkSession
    context = SparkSession.builder.getOrCreate().sparkContext
    pairs = context.parallelize(range(40000), 8).map(lambda n: (n % 97, str(n) * 20))
    groups = pairs.groupByKey(4).cache()
    assert groups.count() == 97

    def written(_):
        found = 0
        for root in os.environ["SPARK_LOCAL_DIRS"].split(","):
            assert root.startswith("/scratch/blockmgr-"), root
            for folder, _, files in os.walk(root):
                found += sum(os.path.getsize(os.path.join(folder, f)) for f in files if f.startswith("shuffle_"))
        yield os.uname().nodename, found

    sizes = dict(context.parallelize(range(8), 8).mapPartitions(written).collect())
    print("shuffle files:", sizes, flush=True)
    sys.exit(0 if sizes and all(size > 100000 for size in sizes.values()) else 5)
`

func TestSlowAShuffleWritesToClaimsMadeOnDemand(t *testing.T) {
	t.Parallel()
	dirs := map[string]string{"driver": openDir(t), "exec-1": openDir(t), "exec-2": openDir(t)}
	s := env.NewTenant(t, 1)
	for name, dir := range dirs {
		s.HostVolume(name, dir, corev1.ReadWriteOncePod)
	}
	s.ApplyText(shuffler)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("shuffler.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		for _, role := range []string{"driver", "executor"} {
			volume := "spark.kubernetes." + role + ".volumes.persistentVolumeClaim.spark-local-dir-1."
			spec.SparkConf[volume+"options.claimName"] = "OnDemand"
			spec.SparkConf[volume+"options.storageClass"] = s.Name
			spec.SparkConf[volume+"options.sizeLimit"] = "1Gi"
			spec.SparkConf[volume+"mount.path"] = "/scratch"
		}
		spec.SparkConf["spark.scheduler.minRegisteredResourcesRatio"] = "1.0"
	}))
	awaitExecutors(s, "pi", 2)
	claims := claimsOf(t, s, s.Application("pi").Status.Driver.ApplicationID)
	if len(claims) != 3 {
		t.Errorf("the claims are %v, want one for each pod", claims)
	}
	for name, phase := range claims {
		if phase != corev1.ClaimBound {
			t.Errorf("claim %s is %s", name, phase)
		}
	}
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	if log := s.Kubectl("logs", end.Status.Driver.PodName); !strings.Contains(log, "shuffle files:") {
		t.Errorf("the log of the driver tells no sizes:\n%s", log)
	}
	s.GivenBack(s.Name)
	id := end.Status.Driver.ApplicationID
	// A claim exists as long as a pod names it, and the driver's pod is kept.
	awaitClaims(t, s, id, 1)
	s.Kubectl("delete", "sgapp", "pi", "--timeout=10m")
	awaitClaims(t, s, id, 0)
}

// awaitClaims waits until an attempt has so many claims.
func awaitClaims(t *testing.T, s *env.Namespace, applicationID string, n int) {
	t.Helper()
	s.Await(fmt.Sprintf("%d claims to be left", n), func() error {
		if left := claimsOf(t, s, applicationID); len(left) != n {
			return fmt.Errorf("these are: %v", left)
		}
		return nil
	})
}

// claimsOf returns the phases of the claims of an attempt, by name.
func claimsOf(t *testing.T, s *env.Namespace, applicationID string) map[string]corev1.PersistentVolumeClaimPhase {
	t.Helper()
	list := &corev1.PersistentVolumeClaimList{}
	if err := env.Client().List(t.Context(), list, client.InNamespace(s.Name), client.MatchingLabels{v1alpha1.SparkSelectorLabel: applicationID}); err != nil {
		t.Fatal(err)
	}
	phases := map[string]corev1.PersistentVolumeClaimPhase{}
	for i := range list.Items {
		phases[list.Items[i].Name] = list.Items[i].Status.Phase
	}
	return phases
}

// historyServer reads the event logs of the claim "events".
const historyServer = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: events}
spec:
  storageClassName: $CLASS
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: history}
spec:
  securityContext: {runAsNonRoot: true, runAsUser: 185, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: history
    image: ` + env.Image + `
    resources: {requests: {cpu: 200m, memory: 384Mi}}
    command: [/opt/spark/bin/spark-class, org.apache.spark.deploy.history.HistoryServer]
    env:
    - name: SPARK_NO_DAEMONIZE
      value: "true"
    - name: SPARK_DAEMON_MEMORY
      value: 256m
    - name: SPARK_HISTORY_OPTS
      value: -Dspark.history.fs.logDirectory=file:///events -Dspark.history.fs.update.interval=1s -XX:TieredStopAtLevel=1
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: events, mountPath: /events}]
  volumes: [{name: events, persistentVolumeClaim: {claimName: events}}]
`

func TestSlowAHistoryServerShowsARunByItsEventLog(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	s := env.NewTenant(t, 1)
	s.HostVolume("events", dir, corev1.ReadWriteOnce)
	s.ApplyText(strings.ReplaceAll(historyServer, "$CLASS", s.Name))
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.eventLog.enabled"], spec.SparkConf["spark.eventLog.dir"] = "true", "file:///events"
		spec.Driver.Volumes = []runtime.RawExtension{{Raw: []byte(`{"name":"events","persistentVolumeClaim":{"claimName":"events"}}`)}}
		spec.Driver.VolumeMounts = []runtime.RawExtension{{Raw: []byte(`{"name":"events","mountPath":"/events"}`)}}
	}))
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)

	if version := s.HistoryShows("pods/history:18080", end.Status.Driver.ApplicationID); version != end.Spec.SparkVersion {
		t.Errorf("the history server shows a run with Spark %s, want %s", version, end.Spec.SparkVersion)
	}
	s.GivenBack(s.Name)
}
