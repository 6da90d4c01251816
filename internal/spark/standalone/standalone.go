// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package standalone translates a SparkCluster into the SparkApplication that runs it, and back what is said of that one.
package standalone

import (
	"maps"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// defaults are the properties of master and workers unless the user sets others. The first three close what answers to
// whoever reaches it: submissions, and the buttons of the web interface. Workers are decommissioned by a signal.
var defaults = map[string]string{
	"spark.master.rest.enabled":                  "false",
	"spark.ui.killEnabled":                       "false",
	"spark.master.ui.decommission.allow.mode":    "DENY",
	"spark.ui.port":                              "8080",
	"spark.worker.preferConfiguredMasterAddress": "true",
	"spark.worker.cleanup.enabled":               "true",
	conf.DecommissionEnabled:                     "true",
}

// mostWorkers is the largest workers.max of the schema. The application of every cluster that may grow has it, so a change
// of workers.max does not start the cluster again.
const mostWorkers = 10000

// idleTimeout is the default of workers.autoscale.idleTimeout.
const idleTimeout = 10 * time.Minute

// Application returns the application that runs a cluster. Labels and annotations of the cluster are not copied: tools
// such as Flux recognize what they have applied by them.
func Application(cluster *v1alpha1.SparkCluster) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: cluster.Namespace, Name: cluster.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cluster, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkClusterKind))},
	}}
	from := &cluster.Spec
	least := ptr.Deref(from.Workers.Min, 1)
	properties := maps.Clone(defaults)
	maps.Copy(properties, from.SparkConf)
	app.Spec = v1alpha1.SparkApplicationSpec{
		Type: v1alpha1.ScalaApplication, SparkVersion: from.SparkVersion,
		Image: from.Image, ImagePullPolicy: from.ImagePullPolicy, ImagePullSecrets: from.ImagePullSecrets,
		Server:    &v1alpha1.Server{Type: v1alpha1.MasterServer, AllowedNamespaces: from.AllowedNamespaces, Workers: from.Workers.Replicas},
		SparkConf: properties, SparkConfFrom: from.SparkConfFrom,
		Driver:      v1alpha1.DriverSpec{PodRole: *from.Master.DeepCopy()},
		Executor:    v1alpha1.ExecutorSpec{PodRole: *from.Workers.PodRole.DeepCopy(), Instances: ptr.To(least)},
		PodSecurity: from.PodSecurity, RunID: from.RunID,
		Queue: from.Queue.DeepCopy(), Suspend: from.Suspend, UI: from.UI.DeepCopy(),
	}
	if auto := from.Workers.Autoscale; auto != nil {
		app.Spec.Server.Workers = from.Workers.Max
		app.Spec.Server.IdleTimeout = ptr.To(ptr.Deref(auto.IdleTimeout, metav1.Duration{Duration: idleTimeout}))
	}
	if ptr.Deref(from.Workers.Max, least) > least {
		app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To[int32](mostWorkers)}
	}
	if account := from.Workers.ServiceAccountName; account != "" {
		app.Spec.SparkConf["spark.kubernetes.authenticate.executor.serviceAccountName"] = account
	}
	return app
}

// term matches a word or a field that may be of an application, and the names of properties, pods and images in whole.
var term = regexp.MustCompile(`[\w./-]*(?:driver|executor)[\w./-]*`)

// parts are the parts of an application, and what they are in a cluster.
var parts = map[string]string{"driver": "master", "executor": "worker", "executors": "workers"}

// timeout matches a timeout of an application with its value, and policies are what messages say of others of its fields.
// A cluster has no such fields.
var (
	timeout  = regexp.MustCompile(`timeouts\.[a-zA-Z]+ \(([^)]+)\)`)
	policies = strings.NewReplacer(" and onTemplateChange is Restart", "", " and restartPolicy.type is Always", "", "an worker", "a worker")
)

// InWords returns a field or a message about the application of a cluster in the words of the cluster.
func InWords(text string) string {
	text = timeout.ReplaceAllString(text, "$1")
	return policies.Replace(term.ReplaceAllStringFunc(text, inWords))
}

func inWords(term string) string {
	path := strings.TrimRight(term, ".")
	inSpec, isPath := strings.CutPrefix(path, "spec.")
	name, field, hasField := strings.Cut(inSpec, ".")
	part, known := parts[name]
	switch {
	case !known:
		return term
	case name == "executor" && field == "instances":
		part, field = "workers", "min"
	case name == "executor" && (isPath || hasField):
		part = "workers"
	}
	if hasField {
		part += "." + field
	}
	return path[:len(path)-len(inSpec)] + part + term[len(path):]
}
