// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// checkExecutors compares the numbers of executors with each other.
func checkExecutors(s *subject) []Finding {
	p, findings := s.properties, taskFindings(s)
	gang, err := p.Executors()
	if err != nil {
		return findings // the error is reported by checkValues
	}
	findings = append(findings, allocationFindings(s, gang)...)
	if dynamic, err := p.Bool(conf.DynamicAllocationEnabled, false); err == nil && dynamic && !gang.Dynamic {
		return append(findings, invalid(p.Field(conf.DynamicAllocationEnabled), "value true asks for executors, but the driver has none with %q in %s: remove one of the two",
			p.Get(conf.DriverMaster, ""), p.Field(conf.DriverMaster)))
	}
	if !gang.Dynamic {
		return findings
	}
	if gang.Most == math.MaxInt32 {
		return append(findings, invalid("spec.dynamicAllocation.maxExecutors",
			"value is absent, so the number of executors has no bound and no queue could hold the job: set dynamicAllocation.maxExecutors"))
	}
	findings = append(findings, shuffleFindings(p)...)
	for _, key := range []string{conf.DynamicAllocationMin, conf.DynamicAllocationInitial, conf.ExecutorInstances} {
		if number, err := p.Int(key, 0); err == nil && number > gang.Most {
			findings = append(findings, invalid(p.Field(key),
				"value %d is above %d of %s: lower it, or raise the other", number, gang.Most, p.Field(conf.DynamicAllocationMax)))
		}
	}
	return findings
}

// shuffleFindings reports dynamic allocation without a way to keep shuffle data when executors are removed, with which
// Spark exits at once (ExecutorAllocationManager.validateSettings).
func shuffleFindings(p conf.Properties) []Finding {
	tracking, err := p.Bool(conf.ShuffleTrackingEnabled, true)
	decommission, wrong := p.Bool(conf.DecommissionEnabled, false)
	if err != nil || wrong != nil || tracking {
		return nil // what cannot be read is reported by checkValues
	}
	if blocks, err := p.Bool(conf.DecommissionShuffleBlocks, true); err != nil || decommission && blocks {
		return nil
	}
	_, plugin := p.Lookup(conf.ShuffleIOPlugin)
	if service, err := p.Bool(conf.ShuffleServiceEnabled, false); err != nil || service || plugin {
		return nil
	}
	return []Finding{invalid(p.Field(conf.ShuffleTrackingEnabled), "value false leaves dynamic allocation without a way to keep shuffle data "+
		"when executors are removed, and Spark exits at once: remove it, or set %s to true in spec.sparkConf", conf.DecommissionEnabled)}
}

// allocationFindings makes sure that Spark may create as many executor pods as the job starts with: the number of the
// last one has to be below the bound (ExecutorPodsAllocator.requestNewExecutors).
func allocationFindings(s *subject, gang conf.Gang) []Finding {
	if !render.BoundsExecutorPods(s.spec.SparkVersion) {
		return nil
	}
	p, key := s.properties, conf.AllocationMaximum
	if err := aboveZero(p, key); err != nil {
		return findingsOf(err)
	}
	if most, err := p.Int(key, math.MaxInt32); err == nil && most <= gang.Base && most < math.MaxInt32 {
		return []Finding{invalid(p.Field(key), "value %d has to be above the %d executors that the job starts with, because Spark creates fewer pods than "+
			"that in the whole run: remove it, or raise it", most, gang.Base)}
	}
	return nil
}

// taskFindings makes sure that one task fits into an executor.
func taskFindings(s *subject) []Finding {
	p := s.properties
	task, err := coresOfTask(p, render.TakesPartsOfCores(s.spec.SparkVersion))
	if err != nil {
		return findingsOf(err)
	}
	cores, err := p.Int(conf.ExecutorCores, 1)
	if err != nil || cores < 1 || task <= float64(cores) {
		return nil // what cannot be read is reported by checkValues
	}
	return []Finding{invalid(p.Field(taskCores), "value %s is above the %d cores of an executor: lower it, or raise spec.executor.cores",
		strconv.FormatFloat(task, 'f', -1, 64), cores)}
}

// taskCores is how many cores of an executor one task occupies.
const taskCores = "spark.task.cpus"

// decimal is a number as Spark reads one that may be a fraction.
var decimal = regexp.MustCompile(`^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// coresOfTask returns how many cores of an executor one task occupies, 1 if nothing says so: a whole number, or one of at
// most nine decimal places where the version takes parts of cores (org.apache.spark.resource.CpuAmount).
func coresOfTask(p conf.Properties, parts bool) (float64, error) {
	const smallest, scale, longest = 1e-9, 1e9, 64
	text := strings.TrimSpace(p.Get(taskCores, "1"))
	if !parts {
		cores, err := p.Int(taskCores, 1)
		return float64(cores), cmp.Or(err, aboveZero(p, taskCores))
	}
	cores, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !decimal.MatchString(text) || len(text) > longest || cores > math.MaxInt32:
		return 0, p.Wrong(taskCores, "is not a number of cores", "set one such as 0.5 or 2")
	case cores == 0:
		return 0, p.Wrong(taskCores, "is not above zero", "set a number of cores such as 0.5 or 2")
	}
	if exact, ok := new(big.Rat).SetString(text); cores < smallest || !ok || !exact.Mul(exact, big.NewRat(scale, 1)).IsInt() {
		return 0, p.Wrong(taskCores, "has more than nine decimal places", "round it")
	}
	return cores, nil
}

// checkLimits reports CPU requests above their limit.
func checkLimits(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		limitKey, requestKey := r.Name.Key("limit.cores"), r.Name.Key("request.cores")
		text, ok := s.properties.Lookup(limitKey)
		if !ok {
			continue
		}
		limit, err := conf.ParseQuantity(text)
		if err != nil {
			continue // reported by checkValues
		}
		coresKey := "spark." + string(r.Name) + ".cores"
		request, err := render.Cores(s.properties, requestKey, coresKey)
		if err != nil || request.Cmp(limit) <= 0 {
			continue
		}
		from := coresKey
		if _, ok := s.properties.Lookup(requestKey); ok {
			from = requestKey
		}
		findings = append(findings, invalid(s.properties.Field(limitKey),
			"value %q is below the request of %s cores (%s): raise it, or lower the request", text, request.String(), s.properties.Field(from)))
	}
	return findings
}

// checkAccelerators compares the field gpu with Spark's properties for the same resource.
func checkAccelerators(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		gpu := r.Fields.GPU
		if gpu == nil {
			continue
		}
		if gpu.Quantity <= 0 {
			findings = append(findings, invalid(r.Path+".gpu.quantity", "value %d is below 1: set a whole number above zero", gpu.Quantity))
		}
		if _, err := amounts.Of(gpu.Name, *resource.NewQuantity(gpu.Quantity, resource.DecimalSI)); err != nil && gpu.Quantity > 0 {
			findings = append(findings, invalid(r.Path+".gpu.quantity", "%s", err))
		}
		wanted, err := render.Accelerators(s.properties, "spark."+string(r.Name)+".resource.")
		if err != nil {
			continue // reported by checkRendered
		}
		for name, amount := range wanted {
			if string(name) == gpu.Name && amount.Value() != gpu.Quantity {
				findings = append(findings, invalid(r.Path+".gpu.quantity",
					"value %d contradicts %d of spark.%s.resource in spec.sparkConf; remove one", gpu.Quantity, amount.Value(), r.Name))
			}
		}
	}
	return findings
}

// checkPorts reports ports of the driver that are the same, because a Service cannot have one twice.
func checkPorts(s *subject) []Finding {
	var findings []Finding
	first := map[int32]string{}
	for _, port := range render.PortsOf(s.spec.SparkVersion) {
		number, err := s.properties.Int(port.Key, port.Default)
		if err != nil {
			continue // reported by checkRendered
		}
		other, taken := first[number]
		if !taken {
			first[number] = port.Key
			continue
		}
		key := port.Key
		if _, set := s.properties.Lookup(key); !set {
			key, other = other, key
		}
		findings = append(findings, invalid(s.properties.Field(key), "port %d is already used by %s; choose another", number, other))
	}
	return findings
}
