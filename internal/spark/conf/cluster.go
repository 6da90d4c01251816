// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// clusterScheme is how addresses of standalone masters begin, and clusterPort the port of SparkClusters.
const (
	clusterScheme = "spark://"
	clusterPort   = 7077
)

// coresMax is the property with the number of cores that an application may have in a standalone cluster. Without it, it
// gets all that are free.
const coresMax = "spark.cores.max"

// addCluster makes the SparkCluster of spec.clusterRef the master of the program.
func addCluster(app *v1alpha1.SparkApplication, typed Properties) {
	if ref := app.Spec.ClusterRef; ref != nil {
		typed.Set(Master, fmt.Sprintf("%s%s.%s:%d", clusterScheme, ref.Name, app.Namespace, clusterPort), Origin{Source: TypedField, Field: "spec.clusterRef"})
	}
}

// OnCluster reports whether a program runs on a standalone cluster.
func (p Properties) OnCluster() bool { return strings.HasPrefix(p.Get(Master, ""), clusterScheme) }

// deriveOnCluster bounds the cores that a program has in a standalone cluster by its number of executors, and has its
// executors hand over their data when their worker ends, unless the user has chosen otherwise. Values that are no numbers
// are left to validation.
func deriveOnCluster(p Properties) {
	if !p.OnCluster() {
		return
	}
	key, fallback := ExecutorInstances, int32(defaultInstances)
	if isTrue(p, DynamicAllocationEnabled) {
		key, fallback = DynamicAllocationMax, 0
	}
	executors, err := p.Int(key, fallback)
	cores, more := p.Int(ExecutorCores, 1)
	if _, chosen := p[coresMax]; err == nil && more == nil && !chosen && executors > 0 {
		p.Put(coresMax, strconv.FormatInt(int64(executors)*int64(cores), 10))
	}
	if _, chosen := p[ExecutorCores]; !chosen {
		p.Put(ExecutorCores, "1") // else an executor has all cores of its worker
	}
	HandOver(p)
}

// ClusterCores returns how many cores a program may have in its SparkCluster according to its spec; 0 if that has no bound.
func ClusterCores(app *v1alpha1.SparkApplication) int32 {
	properties, _ := Merge(app, Sources{})
	cores, err := properties.Int(coresMax, 0)
	if err != nil {
		return 0
	}
	return max(0, cores)
}

// decommissionInterval is how often a decommissioned executor checks whether it has handed over everything, so that it
// can end. With Spark's default of 30 s it would use up its grace period, while another job waits for its quota.
const decommissionInterval = "3s"

// HandOver makes executors hand over their data before they end, unless the user has chosen otherwise.
func HandOver(p Properties) {
	for _, property := range []struct{ key, value string }{
		{DecommissionEnabled, "true"}, {StorageDecommissionEnabled, "true"}, {DecommissionInterval, decommissionInterval},
	} {
		if _, chosen := p[property.key]; chosen {
			break
		}
		p.Put(property.key, property.value)
	}
}
