// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"math"
	"strings"
)

// Gang is how many executors an application wants.
type Gang struct {
	// Dynamic says that Spark adds and removes executors while it runs.
	Dynamic bool
	// Base is the number at the start, for which there has to be quota: at least one.
	Base int32
	// Most is the number that is never exceeded: Base without dynamic allocation, math.MaxInt32 for no bound.
	Most int32
	// Unasked is the number that Spark creates before any job of the program asks for some: Base without dynamic
	// allocation; with it perhaps none.
	Unasked int32
}

// defaultInstances is Spark's number of executors where none is set.
const defaultInstances = 2

// Executors returns how many executors the properties ask for. An error names the property that is not a whole number.
func (p Properties) Executors() (Gang, error) {
	dynamic, err := p.Bool(DynamicAllocationEnabled, false)
	if err != nil {
		return Gang{}, err
	}
	if !dynamic {
		instances, err := p.Int(ExecutorInstances, defaultInstances)
		return Gang{Base: instances, Most: instances, Unasked: instances}, err
	}
	return p.dynamicExecutors()
}

// dynamicExecutors returns Executors under dynamic allocation: the start is the largest of the three lower bounds, at
// least one.
func (p Properties) dynamicExecutors() (Gang, error) {
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
	return Gang{Dynamic: true, Base: max(1, unasked), Most: most, Unasked: unasked}, err
}

// OnDemand in the name of a claim stands for a name of the attempt's own; executorID, in the name of a claim of
// executors, for the number of the executor.
const (
	OnDemand   = "OnDemand"
	executorID = "SPARK_EXECUTOR_ID"
)

// ExecutorClaim is a claim that a volume of the executors names by property (MountVolumesFeatureStep).
type ExecutorClaim struct {
	// Property is the one with the name.
	Property
	// Created says that Spark creates the claim, whatever its name: the volume has a class and a size.
	Created bool
	// Own says that the name differs for each executor.
	Own bool
}

// ExecutorClaims returns the claims that volumes of the executors name by property, in ascending order of their keys.
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
