// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

const (
	// defaultMemory is the default memory of driver and executors, minOverhead the minimum overhead, both in MiB.
	defaultMemory = 1024
	minOverhead   = 384
	// jvmFactor and nonJVMFactor are the default shares of memory outside of the heap, for JVM programs and for others.
	jvmFactor    = 0.1
	nonJVMFactor = 0.4
)

// driverMemory returns the memory request of the driver, and the factor that is passed on to executors. That is the
// common factor, whatever the driver's own one is.
func driverMemory(c client, p conf.Properties, t v1alpha1.ApplicationType) (resource.Quantity, float64, error) {
	fallback := nonJVMFactor
	if isJVM(t) {
		fallback = jvmFactor
	}
	memory, err := MemoryOf(conf.Driver, p, fallback)
	if err != nil {
		return resource.Quantity{}, 0, err
	}
	memory.LeastIsFixed = !c.minOverhead
	mib, err := memory.MiB(p)
	return Mebibytes(mib), memory.SharedFactor, err
}

// Memory names the properties that determine the memory of a role.
type Memory struct {
	// Heap and Overhead are the keys of the two amounts.
	Heap, Overhead string
	// Least is the key of the minimum overhead. If LeastIsFixed is set, it is not read.
	Least        string
	LeastIsFixed bool
	// Factor is the key of the role's own factor; SharedFactor is used if it is not set.
	Factor       string
	SharedFactor float64
}

// MemoryOf returns the properties of a role. fallback is the shared factor if no property sets it.
func MemoryOf(role conf.Role, p conf.Properties, fallback float64) (Memory, error) {
	shared, err := factor(p, conf.MemoryOverheadFactor, fallback)
	heap := "spark." + string(role) + ".memory"
	return Memory{
		Heap: heap, Overhead: heap + "Overhead", Least: "spark." + string(role) + ".minMemoryOverhead",
		Factor: heap + "OverheadFactor", SharedFactor: shared,
	}, err
}

// MiB returns heap and overhead together.
func (m Memory) MiB(p conf.Properties) (int64, error) {
	heap, overhead, err := m.Parts(p)
	return saturatingAdd(heap, overhead), err
}

// Parts returns heap and overhead in mebibytes. The overhead is computed as a double and rounded down, as Spark does.
func (m Memory) Parts(p conf.Properties) (heap, overhead int64, err error) {
	heap, err = p.MiB(m.Heap, defaultMemory)
	if err != nil {
		return 0, 0, err
	}
	if heap <= 0 {
		return 0, 0, p.Wrong(m.Heap, "is less than 1m", "set a memory size such as 1g")
	}
	if _, ok := p.Lookup(m.Overhead); ok {
		overhead, err = p.MiB(m.Overhead, 0)
		return heap, overhead, err
	}
	least, share, err := m.overheadRule(p)
	if err != nil {
		return 0, 0, err
	}
	return heap, max(truncated(share*float64(heap)), least), nil
}

// overheadRule returns the minimum overhead and the share of the heap.
func (m Memory) overheadRule(p conf.Properties) (int64, float64, error) {
	least := int64(minOverhead)
	if !m.LeastIsFixed {
		var err error
		if least, err = p.MiB(m.Least, minOverhead); err != nil {
			return 0, 0, err
		}
	}
	share, err := factor(p, m.Factor, m.SharedFactor)
	return least, share, err
}

// factor returns a share of memory. It is an error if it is negative.
func factor(p conf.Properties, key string, fallback float64) (float64, error) {
	share, err := p.Float(key, fallback)
	if err == nil && (share < 0 || math.IsInf(share, 0)) {
		err = p.Wrong(key, "is not a share of memory", "set a number that is not negative, such as 0.1")
	}
	return share, err
}

// truncated rounds a positive number down, within the range of Java's int.
func truncated(x float64) int64 { return int64(min(x, math.MaxInt32)) }

// saturatingAdd adds two amounts that are not negative. A sum that would overflow becomes the largest number.
func saturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Mebibytes returns an amount of memory in the form in which Spark writes it.
func Mebibytes(mib int64) resource.Quantity {
	return resource.MustParse(strconv.FormatInt(mib, 10) + "Mi")
}

// Accelerators returns the amounts of <vendor>/<name> that the properties <prefix><name>.{amount,vendor} request.
func Accelerators(p conf.Properties, prefix string) (corev1.ResourceList, error) {
	amounts := corev1.ResourceList{}
	for _, property := range p.WithPrefix(prefix) {
		name, ok := strings.CutSuffix(property.Name, ".amount")
		if !ok {
			if err := hasAmount(p, prefix, property); err != nil {
				return nil, err
			}
			continue
		}
		amount, err := p.Int(property.Key, 0)
		if err == nil && property.Value != strings.TrimSpace(property.Value) {
			err = p.Wrong(property.Key, "has spaces around the number", "remove them")
		}
		if err != nil {
			return nil, err
		}
		if amount < 0 {
			return nil, p.Wrong(property.Key, "is negative", "set a quantity of zero or more")
		}
		if amount == 0 {
			continue
		}
		vendor, ok := p.Lookup(prefix + name + ".vendor")
		if !ok {
			return nil, p.Wrong(property.Key, "has no vendor", "set "+prefix+name+".vendor, such as nvidia.com")
		}
		amounts[corev1.ResourceName(vendor+"/"+name)] = *resource.NewQuantity(int64(amount), resource.DecimalSI)
	}
	return amounts, nil
}

// hasAmount returns an error if the resource that a property belongs to has no amount.
func hasAmount(p conf.Properties, prefix string, property conf.Named) error {
	name, _, _ := strings.Cut(property.Name, ".")
	if _, has := p.Lookup(prefix + name + ".amount"); has {
		return nil
	}
	return p.Wrong(property.Key, "belongs to a resource without an amount", "set "+prefix+name+".amount")
}
