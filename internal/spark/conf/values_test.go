// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMiB(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value   string
		want    int64
		problem string
	}{
		"absent":                {value: "-", want: 7},
		"a plain number":        {value: "1024", want: 1024},
		"bytes":                 {value: "1048576b", want: 1},
		"bytes are cut off":     {value: "1610612000b", want: 1535},
		"kibibytes":             {value: "2048k", want: 2},
		"kibibytes, cut off":    {value: "2047kb", want: 1},
		"mebibytes":             {value: "512m", want: 512},
		"two letters":           {value: "512mb", want: 512},
		"gibibytes":             {value: "4g", want: 4096},
		"capital letters":       {value: "4GB", want: 4096},
		"blanks around":         {value: " 4g ", want: 4096},
		"a no-break space":      {value: "4g\u00a0", problem: "is not a memory size"},
		"tebibytes":             {value: "1t", want: 1 << 20},
		"pebibytes":             {value: "1pb", want: 1 << 30},
		"zero":                  {value: "0", want: 0},
		"a Kubernetes unit":     {value: "4Gi", want: 4096},
		"kibibytes, spelt out":  {value: "2048KiB", want: 2},
		"an unknown unit":       {value: "4Ei", problem: `has the unknown unit "ei"`},
		"a misspelt unit":       {value: "512mx", problem: `has the unknown unit "mx"`},
		"a doubled unit":        {value: "5bb", problem: `has the unknown unit "bb"`},
		"a fraction":            {value: "1.5g", problem: "is not a memory size"},
		"negative":              {value: "-1", problem: "is not a memory size"},
		"nothing":               {value: "", problem: "is not a memory size"},
		"a blank before a unit": {value: "1 g", problem: "is not a memory size"},
		"words":                 {value: "two", problem: "is not a memory size"},
		"beyond all bounds":     {value: "99999999999999999999", problem: "is above 8Pi, the most that is counted"},
		"beyond with its unit":  {value: "9999999999p", problem: "is above 8Pi, the most that is counted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Properties{}
			if test.value != "-" {
				p = properties(map[string]string{"spark.driver.memory": test.value})
			}
			got, err := p.MiB("spark.driver.memory", 7)
			checkProblem(t, err, test.problem)
			if got != test.want {
				t.Errorf("MiB(%q) = %d, want %d", test.value, got, test.want)
			}
		})
	}
}

// checkProblem compares what a ValueError complains about.
func checkProblem(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	var wrong *ValueError
	if errors.As(err, &wrong) {
		got = wrong.Problem
	} else if err != nil {
		t.Fatalf("error %v is no ValueError", err)
	}
	if got != want {
		t.Errorf("problem = %q, want %q", got, want)
	}
}

func TestBytesInMiB(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int64{"1073741824": 1024, "1g": 1024, "1048575": 0, "512m": 512} {
		got, err := properties(map[string]string{OffHeapSize: value}).BytesInMiB(OffHeapSize, 0)
		if err != nil || got != want {
			t.Errorf("BytesInMiB(%q) = %d, %v, want %d", value, got, err, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int64{
		"30": 30, "30s": 30, " 30S ": 30, "2m": 120, "2min": 120, "1h": 3600, "1d": 86400, "1999ms": 1, "5us": 0, "0": 0, "999999999999d": 86399999999913600,
		"": -1, "-1s": -1, "1.5s": -1, "30sec": -1, "s": -1, "1000000000000": -1,
	} {
		got, err := properties(map[string]string{ExecutorGracePeriod: value}).Seconds(ExecutorGracePeriod, 7)
		if want < 0 {
			checkProblem(t, err, "is not a duration")
		} else if err != nil || got != want {
			t.Errorf("Seconds(%q) = %d, %v, want %d", value, got, err, want)
		}
	}
	if got, err := (Properties{}).Seconds(ExecutorGracePeriod, 7); got != 7 || err != nil {
		t.Errorf("without a value: %d, %v", got, err)
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	const problem = "is not a whole number"
	for name, test := range map[string]struct {
		value   string
		want    int32
		problem string
	}{
		"absent":         {value: "-", want: 3},
		"a number":       {value: "12", want: 12},
		"blanks":         {value: " 12 ", want: 12},
		"a sign":         {value: "+12", want: 12},
		"negative":       {value: "-12", want: -12},
		"the largest":    {value: "2147483647", want: math.MaxInt32},
		"too large":      {value: "2147483648", problem: problem},
		"a fraction":     {value: "1.0", problem: problem},
		"nothing":        {value: "", problem: problem},
		"a word":         {value: "two", problem: problem},
		"another system": {value: "0x10", problem: problem},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Properties{}
			if test.value != "-" {
				p = properties(map[string]string{"spark.driver.cores": test.value})
			}
			got, err := p.Int("spark.driver.cores", 3)
			checkProblem(t, err, test.problem)
			if got != test.want {
				t.Errorf("Int(%q) = %d, want %d", test.value, got, test.want)
			}
		})
	}
}

func TestBool(t *testing.T) {
	t.Parallel()
	const problem = "is neither true nor false"
	for name, test := range map[string]struct {
		value   string
		want    bool
		problem string
	}{
		"absent":        {value: "-", want: true},
		"true":          {value: "true", want: true},
		"false":         {value: "false"},
		"any case":      {value: "TRUE", want: true},
		"blanks around": {value: " True ", want: true},
		"only a blank":  {value: " ", problem: problem},
		"yes":           {value: "yes", problem: problem},
		"one":           {value: "1", problem: problem},
		"nothing at it": {value: "", problem: problem},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Properties{}
			if test.value != "-" {
				p = properties(map[string]string{"spark.ui.enabled": test.value})
			}
			got, err := p.Bool("spark.ui.enabled", true)
			checkProblem(t, err, test.problem)
			if got != test.want {
				t.Errorf("Bool(%q) = %t, want %t", test.value, got, test.want)
			}
		})
	}
}

// Java 17 was started with what stands here as a size that it reads, and with the sizes that are changed.
func TestJavaHeap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2g": "2g", "2G": "2G", "512m": "512m", "1600000k": "1600000k", "1t": "1t", " 2g ": " 2g ",
		"2gb": "2g", "2048MB": "2g", "1536": "1536m", "1024": "1g", "1610612000b": "1535m", "1kb": "", "2048kb": "2m", "2tb": "2t", "1p": "1024t",
		"2Gi": "2g", "1536MiB": "1536m",
		"": "", "0": "", "1000b": "", "1.5g": "", "-1g": "", "2x": "", "9999999p": "",
	} {
		if got := JavaHeap(text); got != want {
			t.Errorf("JavaHeap(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestExecutorHeap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"4096": "4g", " 1536 ": "1536m", "4gb": "4gb", " 2g ": " 2g ", "0": "", "": "", "2x": "2x"} {
		if got := ExecutorHeap(text); got != want {
			t.Errorf("ExecutorHeap(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFloat(t *testing.T) {
	t.Parallel()
	const problem = "is not a number"
	for name, test := range map[string]struct {
		value   string
		want    float64
		problem string
	}{
		"absent":             {value: "-", want: 0.1},
		"a fraction":         {value: "0.4", want: 0.4},
		"blanks":             {value: " 0.2 ", want: 0.2},
		"a whole number":     {value: "1", want: 1},
		"no digit before":    {value: ".5", want: 0.5},
		"no digit behind":    {value: "5.", want: 5},
		"an exponent":        {value: "1E-2", want: 0.01},
		"a Java suffix":      {value: "0.1d", want: 0.1},
		"negative":           {value: "-1", want: -1},
		"no number":          {value: "NaN", problem: problem},
		"infinity":           {value: "Infinity", problem: problem},
		"nothing":            {value: "", problem: problem},
		"digits in groups":   {value: "1_0", problem: problem},
		"only a point":       {value: ".", problem: problem},
		"beyond all numbers": {value: "1e999", problem: problem},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Properties{}
			if test.value != "-" {
				p = properties(map[string]string{MemoryOverheadFactor: test.value})
			}
			got, err := p.Float(MemoryOverheadFactor, 0.1)
			checkProblem(t, err, test.problem)
			if got != test.want {
				t.Errorf("Float(%q) = %v, want %v", test.value, got, test.want)
			}
		})
	}
}

// The expected texts were printed by Java 17.
func TestFormatDouble(t *testing.T) {
	t.Parallel()
	for want, number := range map[string]float64{
		"0.0":                 0,
		"0.1":                 0.1,
		"0.4":                 0.4,
		"1.0":                 1,
		"2.0":                 2,
		"0.57":                0.57,
		"1.0E-4":              1e-4,
		"0.001":               0.001,
		"9.9E-4":              0.00099,
		"1.0E7":               1e7,
		"9999999.0":           9999999,
		"1.23456789E7":        12345678.9,
		"1.0E-10":             1e-10,
		"100.0":               100,
		"123456.0":            123456,
		"0.30000000000000004": 0.30000000000000004,
		"1.0E21":              1e21,
		"-0.5":                -0.5,
	} {
		if got := FormatDouble(number); got != want {
			t.Errorf("FormatDouble(%v) = %s, want %s", number, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"":            nil,
		"a":           {"a"},
		"a,b":         {"a", "b"},
		" a , b ,":    {"a", "b"},
		",,":          nil,
		"local:/a, b": {"local:/a", "b"},
	} {
		if diff := cmp.Diff(want, Split(list)); diff != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", list, diff)
		}
	}
}

func TestValueErrorNamesFieldValueAndRemedy(t *testing.T) {
	t.Parallel()
	p := Properties{}
	p.Set(DriverMemory, "1x", Origin{Source: TypedField, Field: "spec.driver.memory"})
	p.Set("spark.my.password", "one", Origin{Source: SparkConf, Field: "spec.sparkConf[spark.my.password]"})
	for name, test := range map[string]struct {
		key, want string
	}{
		"a typed field": {
			DriverMemory, `spec.driver.memory: value "1x" is wrong: do better`,
		},
		"a sensitive property": {
			"spark.my.password", `spec.sparkConf[spark.my.password]: value (hidden) is wrong: do better`,
		},
		"a property that is not set": {
			"spark.other", `spec.sparkConf[spark.other]: value "" is wrong: do better`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := p.Wrong(test.key, "is wrong", "do better").Error(); got != test.want {
				t.Errorf("error = %s, want %s", got, test.want)
			}
		})
	}
}
