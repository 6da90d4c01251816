// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"math"
	"strings"
)

// Gang is how many executors an application wants.
type Gang struct {
	// Dynamic reports that Spark adds and removes executors at run time.
	Dynamic bool
	// Base is the number of executors at the start, for which quota is required. Under dynamic allocation it is at
	// least one.
	Base int32
	// Most is the maximum: Base without dynamic allocation, math.MaxInt32 if there is no limit, 0 if the driver runs the
	// tasks itself, or a SparkCluster does.
	Most int32
	// Initial is the number that Spark creates before a job of the program needs any: Base without dynamic allocation;
	// with it the number may be 0.
	Initial int32
}

// defaultInstances is Spark's default number of executors.
const defaultInstances = 2

// Executors returns how many executors the properties ask for. An error names the property that cannot be read.
func (p Properties) Executors() (Gang, error) {
	if IsLocal(p.Get(DriverMaster, "")) || p.OnCluster() {
		return Gang{}, nil
	}
	dynamic, err := p.Bool(DynamicAllocationEnabled, false)
	if err != nil {
		return Gang{}, err
	}
	if !dynamic {
		instances, err := p.Int(ExecutorInstances, defaultInstances)
		return Gang{Base: instances, Most: instances, Initial: instances}, err
	}
	return dynamicExecutors(p)
}

// dynamicExecutors returns the numbers under dynamic allocation. It starts with the largest of minExecutors,
// initialExecutors and spark.executor.instances, but at least one.
func dynamicExecutors(p Properties) (Gang, error) {
	least, err := p.Int(DynamicAllocationMin, 0)
	if err != nil {
		return Gang{}, err
	}
	initial, err := p.Int(DynamicAllocationInitial, least)
	if err != nil {
		return Gang{}, err
	}
	instances, err := p.Int(ExecutorInstances, 0)
	if err != nil {
		return Gang{}, err
	}
	most, err := p.Int(DynamicAllocationMax, math.MaxInt32)
	unasked := max(0, least, initial, instances)
	return Gang{Dynamic: true, Base: max(1, unasked), Most: most, Initial: unasked}, err
}

// OnDemand in the name of a claim is replaced by a name of the attempt. executorID in the name of a claim for executors
// is replaced by the number of the executor.
const (
	OnDemand   = "OnDemand"
	executorID = "SPARK_EXECUTOR_ID"
)

// ExecutorClaim is a claim of a volume that properties define for the executors (MountVolumesFeatureStep).
type ExecutorClaim struct {
	// Property sets the name of the claim.
	Property
	// Created reports that Spark creates the claim, whatever its name is, because the volume has a class and a size.
	Created bool
	// Own reports that each executor has a claim of another name.
	Own bool
}

// ExecutorClaims returns the claims of the executors' volumes that properties define, sorted by key.
func (p Properties) ExecutorClaims() []ExecutorClaim {
	var claims []ExecutorClaim
	prefix := Executor.Key("volumes.persistentVolumeClaim.")
	for _, property := range p.WithPrefix(prefix) {
		volume, ok := strings.CutSuffix(property.Name, ".options.claimName")
		if !ok {
			continue
		}
		_, class := p.Lookup(prefix + volume + ".options.storageClass")
		_, size := p.Lookup(prefix + volume + ".options.sizeLimit")
		claims = append(claims, ExecutorClaim{
			Property: property.Property,
			Created:  class && size,
			Own:      strings.Contains(property.Value, OnDemand) || strings.Contains(property.Value, executorID),
		})
	}
	return claims
}
