// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// FuzzText: what is written into a file of properties is read back to the letter.
func FuzzText(f *testing.F) {
	for _, seed := range [][2]string{
		{"spark.a", "b"}, {"spark.a b", " =:#!\\ \t\f\r\n"}, {"spark.ü", "👍\u0085\u2028"}, {"", ""}, {"#", "!"}, {"a\\", "\\"}, {"spark.x", "\x00\xff"}, {"\n", "a\\\nb"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		properties := Properties{}
		properties.Set(key, value, Origin{})
		read := Parse(properties.Text())
		if got, ok := read[key]; !ok || got != value || len(read) != 1 {
			t.Errorf("%q=%q is read back as %q", key, value, read)
		}
	})
}

// FuzzMemory: a size is an error or not below zero, whatever is around it, and a size in mebibytes is read back as itself.
func FuzzMemory(f *testing.F) {
	for _, seed := range []string{"1g", "512", " 2048MB ", "0", "-1", "1.5g", "9223372036854775807", "8589934592t", "1pib", "٣g", "", "1 g", "1e3"} {
		f.Add(seed, int64(mebi))
	}
	f.Fuzz(func(t *testing.T, text string, unit int64) {
		if unit != 1 {
			unit = mebi
		}
		amount, err := parseMemory(text, unit)
		if err != nil {
			return
		}
		if amount < 0 || strings.Trim(strings.ToLower(strings.TrimSpace(text)), "0123456789bkmgtpi") != "" {
			t.Errorf("%q is %d MiB", text, amount)
		}
		if again, err := parseMemory(" "+strings.ToUpper(text)+"\t", unit); err != nil || again != amount {
			t.Errorf("%q is %d MiB, in capitals %d (%v)", text, amount, again, err)
		}
	})
}

// FuzzDouble: a number is printed as one that is read back as the same, and printed again in the same way.
func FuzzDouble(f *testing.F) {
	for _, seed := range []string{"0.1", "1", "+.5D", "1E-4", "12345678.9", "-0.0", "1e400", "4.9E-324", "0x1p3", "NaN", "1_000", ".", "1e", "0.1f", " 7 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, err := ParseDouble(text)
		if err != nil || math.IsInf(number, 0) {
			return
		}
		printed := FormatDouble(number)
		again, err := ParseDouble(printed)
		if err != nil || again != number || FormatDouble(again) != printed {
			t.Errorf("%q is printed as %q, and that read as %v (%v)", text, printed, again, err)
		}
	})
}

// FuzzQuantity: reading comes to an end, and what is printed is the same amount, if it can be counted: of larger ones Kubernetes drops powers
// of ten for which it has no suffix.
func FuzzQuantity(f *testing.F) {
	for _, seed := range []string{"500m", "1.5Gi", "1e99", "1e-999999999", "1E1000", " 2 ", "-1", "1n", "0", "9999999999999999999999", "1ee1", "+1", "1i",
		"1" + strings.Repeat("0", 64)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := ParseQuantity(text)
		if _, refused := amounts.Of("", amount); err != nil || refused != nil {
			return
		}
		printed := amount.String()
		again, err := ParseQuantity(printed)
		if err != nil || again.Cmp(amount) != 0 || again.String() != printed {
			t.Errorf("%q is printed as %q, and that read as %s (%v)", text, printed, again.String(), err)
		}
	})
}

// FuzzDuration: Spark's notation loses nothing but what is below a millisecond.
func FuzzDuration(f *testing.F) {
	for _, seed := range []int64{0, 1, 999_999, 1_000_000, 1_500_000_000, 90_000_000_000, -1_500_000_000, math.MaxInt64, math.MinInt64} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, nanoseconds int64) {
		length := time.Duration(nanoseconds)
		printed := SparkDuration(length)
		again, err := time.ParseDuration(printed)
		if err != nil || again != length.Truncate(time.Millisecond) {
			t.Errorf("%s is printed as %q, which is %s (%v)", length, printed, again, err)
		}
	})
}

// FuzzFileOfProperties: a key of a file is one of Spark, and its value has no blanks around it; written again, it is read as the same.
func FuzzFileOfProperties(f *testing.F) {
	for _, seed := range []string{"spark.a b", "spark.a = b \\\n  c", "# x\n! y\nspark.u \\u00fc\\uZZ", "spark.a\\=b:c\r\nspark.a", "\\", "spark.x \\u0020y\\u0020"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		properties := Properties{}
		for key, value := range ParseFile(text) {
			if !strings.HasPrefix(key, prefix) || value != strings.TrimFunc(value, isBlank) {
				t.Errorf("%q has %q=%q", text, key, value)
			}
			properties.Set(key, value, Origin{})
		}
		again := ParseFile(properties.Text())
		for key, property := range properties {
			if again[key] != property.Value {
				t.Errorf("%q: %q=%q is read back as %q", text, key, property.Value, again[key])
			}
		}
	})
}

// FuzzScheme: a URI that is taken has a scheme, and nothing that could not stand in a list of files.
func FuzzScheme(f *testing.F) {
	for _, seed := range []string{"local:///a.jar", "s3a://b/c?d=e#f", "a", "http://[::1]/x", "local:///a b", "a:%zz", "a:%41", "://", "A+b-c.1:x", "x:\u00a0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		scheme, err := Scheme(uri)
		if err != nil {
			return
		}
		if scheme == "" || strings.ToLower(scheme) != scheme || !strings.HasPrefix(strings.ToLower(uri), scheme+":") {
			t.Errorf("%q has the scheme %q", uri, scheme)
		}
		if utf8.ValidString(uri) && strings.ContainsAny(uri, " \t\n\"<>\\^`{|}") {
			t.Errorf("%q is taken", uri)
		}
	})
}
