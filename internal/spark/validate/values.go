// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// reader parses a property and returns an error if it is invalid.
type reader func(p conf.Properties, key string) error

// values are the properties that Sparkgate, or the start of the driver, depends on, by their readers.
var values = []struct {
	read reader
	keys []string
}{
	{memoryAboveZero, heaps},
	{memory, otherMemory},
	{bytes, []string{conf.OffHeapSize}},
	{share, []string{conf.MemoryOverheadFactor}},
	{shareAboveZero, []string{conf.DriverOverheadFactor, conf.ExecutorOverheadFactor}},
	{plainAboveZero, []string{conf.DriverCores, conf.ExecutorCores}},
	{aboveZero, []string{conf.DynamicAllocationMax}},
	{filesSize, []string{conf.ConfigMapMaxSize}},
	{notNegative, []string{conf.DynamicAllocationMin, conf.DynamicAllocationInitial}},
	{flag, []string{
		conf.DynamicAllocationEnabled, conf.ShuffleTrackingEnabled, conf.DecommissionEnabled, conf.DecommissionShuffleBlocks,
		conf.UIEnabled, conf.OffHeapEnabled, conf.LocalDirsTmpfs, conf.ExecutorDeleteOnTermination, conf.LegacyAccessMode,
		"spark.driver.userClassPathFirst", "spark.log.structuredLogging.enabled", "spark.kubernetes.trust.certificates",
	}},
	{whole, []string{"spark.kubernetes.submission.connectionTimeout", "spark.kubernetes.submission.requestTimeout"}},
	{quantity, []string{
		conf.Driver.Key("request.cores"), conf.Driver.Key("limit.cores"), conf.Executor.Key("request.cores"), conf.Executor.Key("limit.cores"),
	}},
	{literal, []string{
		conf.PySparkPython, conf.PySparkDriverPython, conf.SchedulerName, conf.Driver.Key("scheduler.name"), conf.Executor.Key("scheduler.name"),
		conf.ImagePullSecrets, conf.Krb5ConfigMap, conf.TokenSecretName, conf.TokenSecretKey,
	}},
	{oneOf("Always", "IfNotPresent", "Never"), []string{conf.ImagePullPolicy}},
	{oneOf("SingleStack", "PreferDualStack", "RequireDualStack"), []string{conf.DriverServiceIPPolicy}},
	{oneOf("IPv4", "IPv6", "IPv4,IPv6", "IPv6,IPv4"), []string{conf.DriverServiceFamilies}},
}

// heaps and otherMemory are properties with an amount of memory, in mebibytes if it has no unit.
var (
	heaps       = []string{conf.DriverMemory, conf.ExecutorMemory}
	otherMemory = []string{
		conf.DriverMemoryOverhead, conf.DriverMinOverhead, conf.ExecutorMemoryOverhead, conf.ExecutorMinOverhead, conf.ExecutorPySparkMemory,
	}
)

// binaryUnit matches a size with a unit of Kubernetes' notation.
var binaryUnit = regexp.MustCompile(`^\s*[0-9]+([kmgtp]ib?)\s*$`)

// checkMemoryUnits reports units that Spark understands only from 4.2 on. checkDriverHeap reports them for the heap of
// the driver, with a better message.
func checkMemoryUnits(s *subject) []Finding {
	if render.TakesBinaryUnits(s.spec.SparkVersion) {
		return nil
	}
	var findings []Finding
	for _, key := range append([]string{conf.ExecutorMemory, conf.OffHeapSize}, otherMemory...) {
		unit := binaryUnit.FindStringSubmatch(strings.ToLower(s.properties.Get(key, "")))
		if unit == nil {
			continue
		}
		findings = append(findings, findingsOf(s.properties.Wrong(key, "has the unknown unit \""+unit[1]+"\"", conf.MemoryForm))...)
	}
	return findings
}

// checkDriverHeap reports a heap size of the driver that Java cannot read. Spark's launcher in the pod passes it on
// unchanged (-Xmx), and the driver would not start. For executors Spark converts it to mebibytes.
func checkDriverHeap(s *subject) []Finding {
	return heapAs(conf.JavaHeap, s, conf.DriverMemory, "is passed to Java as it is written, which reads only the units k, m, g and t")
}

// checkExecutorHeap reports a heap size of executors without a unit. Their pods get that many mebibytes, but the driver
// reads it as bytes, finds it too small and exits at once (UnifiedMemoryManager.getMaxMemory).
func checkExecutorHeap(s *subject) []Finding {
	return heapAs(conf.ExecutorHeap, s, conf.ExecutorMemory, "has no unit, so that the driver reads it as bytes and ends when it starts")
}

// heapAs reports a heap size that is not in the required form, and says how to write it.
func heapAs(form func(string) string, s *subject, key, problem string) []Finding {
	text := s.properties.Get(key, "")
	heap := form(text)
	if heap == "" || heap == text {
		return nil // what is not a size is reported by checkValues
	}
	return findingsOf(s.properties.Wrong(key, problem, "set "+heap))
}

// checkOffHeap reports off-heap memory that is enabled without a size. Spark counts whole mebibytes, and the driver
// exits at once with none (Utils.checkOffHeapEnabled).
func checkOffHeap(s *subject) []Finding {
	p := s.properties
	on, err := p.Bool(conf.OffHeapEnabled, false)
	size, wrong := p.BytesInMiB(conf.OffHeapSize, 0)
	if err != nil || wrong != nil || !on || size > 0 {
		return nil // what cannot be read is reported by checkValues
	}
	problem := "no size is set"
	if text, ok := p.Lookup(conf.OffHeapSize); ok {
		problem = "value " + conf.Quote(conf.OffHeapSize, text) + " is less than 1m (a plain number counts bytes)"
	}
	return []Finding{invalid(p.Field(conf.OffHeapSize), "%s is true but %s, so the driver would exit: set a size such as 1g, or remove %[1]s", conf.OffHeapEnabled, problem)}
}

// checkValues checks the properties whose form is known.
func checkValues(s *subject) []Finding {
	var findings []Finding
	for _, kind := range values {
		for _, key := range kind.keys {
			if _, ok := s.properties.Lookup(key); ok {
				findings = append(findings, findingsOf(kind.read(s.properties, key))...)
			}
		}
	}
	if gang, err := s.properties.Executors(); err == nil && !gang.Dynamic && gang.Base <= 0 {
		findings = append(findings, findingsOf(aboveZero(s.properties, conf.ExecutorInstances))...)
	} else if findings = append(findings, findingsOf(err)...); err == nil && !gang.Dynamic {
		findings = append(findings, findingsOf(plainAboveZero(s.properties, conf.ExecutorInstances))...)
	}
	return findings
}

func memoryAboveZero(p conf.Properties, key string) error {
	if amount, err := p.MiB(key, 1); err != nil || amount > 0 {
		return err
	}
	return p.Wrong(key, "is less than 1m", "set a memory size such as 1g")
}

func memory(p conf.Properties, key string) error {
	_, err := p.MiB(key, 0)
	return err
}

func bytes(p conf.Properties, key string) error {
	_, err := p.BytesInMiB(key, 0)
	return err
}

func flag(p conf.Properties, key string) error {
	_, err := p.Bool(key, false)
	return err
}

func share(p conf.Properties, key string) error {
	if factor, err := p.Float(key, 0); err != nil || factor >= 0 && !math.IsInf(factor, 0) {
		return err
	}
	return p.Wrong(key, "is not a share of memory", "set a number that is not negative, such as 0.1")
}

func shareAboveZero(p conf.Properties, key string) error {
	if factor, err := p.Float(key, 1); err != nil || factor > 0 && !math.IsInf(factor, 0) {
		return err
	}
	return p.Wrong(key, "is not a share of memory", "set a number above zero, such as 0.1")
}

func whole(p conf.Properties, key string) error {
	_, err := p.Int(key, 0)
	return err
}

func aboveZero(p conf.Properties, key string) error {
	if number, err := p.Int(key, 1); err != nil || number > 0 {
		return err
	}
	return p.Wrong(key, "is below 1", "set a whole number above zero")
}

// plainAboveZero is aboveZero for numbers that spark-submit itself reads, which may have no blanks around them.
func plainAboveZero(p conf.Properties, key string) error {
	if text := p.Get(key, ""); text != strings.TrimSpace(text) {
		return p.Wrong(key, "has spaces around the number", "remove them")
	}
	return aboveZero(p, key)
}

// filesSize checks the maximum size of all files of Spark's configuration together.
func filesSize(p conf.Properties, key string) error {
	const largest = 1 << 20
	if number, err := strconv.ParseInt(strings.TrimSpace(p.Get(key, "")), 10, 64); err != nil || number > largest {
		return p.Wrong(key, "is not a number of bytes up to "+strconv.Itoa(largest), "remove it, or set a whole number")
	}
	return nil
}

func notNegative(p conf.Properties, key string) error {
	if number, err := p.Int(key, 0); err != nil || number >= 0 {
		return err
	}
	return p.Wrong(key, "is below 0", "set a whole number that is not negative")
}

func quantity(p conf.Properties, key string) error {
	_, err := p.CPU(key)
	return err
}

// literal refuses references such as ${spark.app.name} or ${env:HOME}. Spark replaces them where it reads the property:
// on the submitting machine, or in the driver (ConfigReader.substitute). The operator replaces none. It is used for
// properties that no other check restricts to characters without references.
func literal(p conf.Properties, key string) error {
	if strings.Contains(p.Get(key, ""), "${") {
		return p.Wrong(key, "has a reference, which spark-submit replaces and nothing does here", "write out what it stands for")
	}
	return nil
}

// oneOf returns the reader of a property that has only a few valid values.
func oneOf(allowed ...string) reader {
	return func(p conf.Properties, key string) error {
		if slices.Contains(allowed, p.Get(key, "")) {
			return nil
		}
		return p.Wrong(key, "is not known", "set "+strings.Join(allowed[:len(allowed)-1], ", ")+" or "+allowed[len(allowed)-1])
	}
}

// heapOption matches the Java option that the memory properties set.
var heapOption = regexp.MustCompile(`(^|[\s'"])-Xmx\S*`)

// sparkOption matches a Java option that sets a Spark property, which executors refuse.
var sparkOption = regexp.MustCompile(`(^|[\s'"])-Dspark\S*`)

// checkJavaOptions reports Java options that Spark refuses when driver or executors start.
func checkJavaOptions(s *subject) []Finding {
	var findings []Finding
	for key, memory := range map[string]string{
		conf.DriverJavaOptions:      "spec.driver.memory",
		conf.DriverDefaultOptions:   "spec.driver.memory",
		conf.ExecutorJavaOptions:    "spec.executor.memory",
		conf.ExecutorDefaultOptions: "spec.executor.memory",
	} {
		options := s.properties.Get(key, "")
		if heap := heapOption.FindString(options); heap != "" {
			findings = append(findings, invalid(s.properties.Field(key), "value %q sets the heap: remove it and set %s", strings.TrimSpace(heap), memory))
		}
		if option := sparkOption.FindString(options); option != "" && strings.Contains(key, "executor") {
			findings = append(findings, invalid(s.properties.Field(key),
				"value %s sets a property of Spark, which executors refuse: set it in spec.sparkConf", conf.Quote(option, strings.TrimSpace(option))))
		} else if option := hiddenSize(s.properties, options); option != "" && !strings.Contains(key, "executor") {
			findings = append(findings, invalid(s.properties.Field(key),
				"value %s sets a property of Spark by which pods are created and quota is requested: set it in spec.sparkConf", conf.Quote(option, option)))
		}
	}
	return sorted(findings)
}
