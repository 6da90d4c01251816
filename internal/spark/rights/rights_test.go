// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// created describes a volume whose claim Spark creates.
func created(role, claim string) map[string]string {
	volume := "spark.kubernetes." + role + ".volumes.persistentVolumeClaim.data.options."
	return map[string]string{volume + "claimName": claim, volume + "storageClass": "fast", volume + "sizeLimit": "10Gi"}
}

func TestNeeded(t *testing.T) {
	t.Parallel()
	const (
		executors = "pods create,pods delete,pods get,pods list,pods watch,configmaps create"
		none      = "pods get,pods list,pods watch,configmaps create"
	)
	for name, tt := range map[string]struct {
		conf map[string]string
		want string
	}{
		"by default":                         {nil, executors},
		"dynamic allocation":                 {map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.executor.instances": "0"}, executors},
		"no executors":                       {map[string]string{"spark.executor.instances": "0"}, none},
		"none may come":                      {map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "0"}, none},
		"not a number":                       {map[string]string{"spark.executor.instances": "many"}, executors},
		"no watch":                           {map[string]string{"spark.kubernetes.executor.enableApiWatcher": "false"}, strings.ReplaceAll(executors, ",pods watch", "")},
		"no polling":                         {map[string]string{"spark.kubernetes.executor.enableApiPolling": "false"}, strings.ReplaceAll(executors, ",pods list", "")},
		"no ConfigMap":                       {map[string]string{"spark.kubernetes.executor.disableConfigMap": "true"}, strings.ReplaceAll(executors, ",configmaps create", "")},
		"claims on demand":                   {created("executor", "OnDemand"), executors + ",persistentvolumeclaims create"},
		"claims by the numbers of executors": {created("executor", "data-SPARK_EXECUTOR_ID"), executors + ",persistentvolumeclaims create"},
		"claims of a fixed name":             {created("executor", "data"), executors + ",persistentvolumeclaims create"},
		"claims of others":                   {map[string]string{"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName": "data"}, executors},
		"claims of others, one for each executor": {
			map[string]string{"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName": "data-SPARK_EXECUTOR_ID"}, executors},
		"the driver's own":  {created("driver", "OnDemand"), executors},
		"local":             {map[string]string{"spark.kubernetes.driver.master": "local[2]"}, ""},
		"other credentials": {map[string]string{"spark.kubernetes.authenticate.driver.mounted.oauthTokenFile": "/token"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			properties := conf.Properties{}
			for key, value := range tt.conf {
				properties.Put(key, value)
			}
			var got []string
			for _, r := range Needed(properties) {
				got = append(got, r.Resource+" "+r.Verb)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ",")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	lacking := []Right{{pods, "create"}, {pods, "list"}, {configMaps, "create"}}
	const common = `ServiceAccount "NAME" of namespace team-a, under which the driver runs, may not create, list pods; create configmaps there: ` +
		"kubectl apply -k config/job-namespace, with this namespace, creates ServiceAccount spark and the Role spark-driver; then "
	for account, want := range map[string]string{
		"default": common + "set spec.driver.serviceAccountName to spark, or also give the Role to this account: " +
			"kubectl create rolebinding spark-driver-NAME -n team-a --role=spark-driver --serviceaccount=team-a:NAME",
		"etl": common + "kubectl create rolebinding spark-driver-NAME -n team-a --role=spark-driver --serviceaccount=team-a:NAME",
	} {
		if diff := cmp.Diff(strings.ReplaceAll(want, "NAME", account), Missing("team-a", account, lacking)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
