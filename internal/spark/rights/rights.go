// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Right is a verb on a resource of the core API group, in the namespace of the application.
type Right struct{ Resource, Verb string }

// The resources.
const (
	pods       = "pods"
	configMaps = "configmaps"
	claims     = "persistentvolumeclaims"
)

// Keys of Spark 3.5 to 4.3 that change which requests a driver makes (org.apache.spark.deploy.k8s.Config).
const (
	enableWatcher    = "spark.kubernetes.executor.enableApiWatcher"
	enablePolling    = "spark.kubernetes.executor.enableApiPolling"
	disableConfigMap = "spark.kubernetes.executor.disableConfigMap"
	// mountedCredentials is the prefix of files with which the driver authenticates instead of the token of its service
	// account.
	mountedCredentials = "spark.kubernetes.authenticate.driver.mounted."
)

// Needed returns the rights that the service account of a driver needs, sorted by resource. It returns none if the
// driver runs without a cluster, or uses other credentials. Requests that may fail without harm are left out, such as
// the deletion of leftovers at the end, which the operator does as well.
//
// Other drivers need rights before they create executors: before the program begins, one reads its own pod, watches for
// executors and creates their ConfigMap (KubernetesClusterSchedulerBackend, ExecutorPodsAllocator).
func Needed(properties conf.Properties) []Right {
	if conf.IsLocal(properties.Get(conf.DriverMaster, "")) || properties.OnCluster() || len(properties.WithPrefix(mountedCredentials)) > 0 {
		return nil
	}
	needed := []Right{{pods, "get"}}
	for key, verb := range map[string]string{enableWatcher: "watch", enablePolling: "list"} {
		if on, err := properties.Bool(key, true); on || err != nil {
			needed = append(needed, Right{pods, verb})
		}
	}
	if gang, err := properties.Executors(); err != nil || gang.Most > 0 {
		needed = append(needed, Right{pods, "create"}, Right{pods, "delete"})
	}
	if off, err := properties.Bool(disableConfigMap, false); !off || err != nil {
		needed = append(needed, Right{configMaps, "create"})
	}
	if createsClaims(properties) {
		needed = append(needed, Right{claims, "create"})
	}
	slices.SortFunc(needed, func(a, b Right) int { return strings.Compare(order(a), order(b)) })
	return needed
}

// order sorts pods, without which nothing works, before other resources.
func order(r Right) string {
	if r.Resource == pods {
		return " " + r.Verb
	}
	return r.Resource + " " + r.Verb
}

// createsClaims reports whether the driver creates claims for volumes of executors.
func createsClaims(properties conf.Properties) bool {
	return slices.ContainsFunc(properties.ExecutorClaims(), func(c conf.ExecutorClaim) bool { return c.Created })
}

// Missing returns the message that a service account lacks rights, and how to grant them.
func Missing(namespace, account string, lacking []Right) string {
	var verbs []string // by resource
	for i, r := range lacking {
		if i == 0 || lacking[i-1].Resource != r.Resource {
			verbs = append(verbs, r.Verb)
		} else {
			verbs[len(verbs)-1] += ", " + r.Verb
		}
		if i == len(lacking)-1 || lacking[i+1].Resource != r.Resource {
			verbs[len(verbs)-1] += " " + r.Resource
		}
	}
	remedy := fmt.Sprintf("kubectl create rolebinding spark-driver-%s -n %s --role=spark-driver --serviceaccount=%s:%s", account, namespace, namespace, account)
	if account == "default" {
		remedy = "set spec.driver.serviceAccountName to spark, or also give the Role to this account: " + remedy
	}
	return fmt.Sprintf("ServiceAccount %q of namespace %s, under which the driver runs, may not %s there: kubectl apply -k config/job-namespace, with this namespace, "+
		"creates ServiceAccount spark and the Role spark-driver; then %s", account, namespace, strings.Join(verbs, "; "), remedy)
}
