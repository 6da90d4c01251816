// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"regexp/syntax"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// TestPatternThatTakesLong: users write Spark's redaction pattern and the names that it is matched against, and the
// time for matching is proportional to both. Without a bound this would take minutes for each failed attempt.
func TestPatternThatTakesLong(t *testing.T) {
	t.Parallel()
	const (
		long  = "(withheld: spark.redaction.regex is longer than 1024 bytes, and is not matched with the names of properties: shorten it)"
		large = "(withheld: spark.redaction.regex is too large to match it with the names of all properties: shorten it, or repeat less in it)"
		usual = `(?i)secret|password|token|access[.]?key`
	)
	for name, tc := range map[string]struct {
		pattern string
		names   int
		want    string
	}{
		"a long one":                 {strings.Repeat("x?", maxPatternBytes/2) + "y", 0, long},
		"many that repeat":           {strings.Repeat("(?:x?){1000}", 850), 0, long},
		"many ranges in any case":    {"(?i)" + strings.Repeat("[B-\U0010FFFF]", 4000), 0, long},
		"some that repeat":           {strings.Repeat("(?:x?){1000}", 80), 0, large},
		"repeated without an end":    {strings.Repeat("(?:x?){1000,}", 70), 0, large},
		"repeated up to that often":  {strings.Repeat("(?:x?){0,1000}", 70), 0, large},
		"nested repeats":             {strings.Repeat("(?:(?:(?:x?){10}y?){10}z?){10}", 30), 0, large},
		"nothing that repeats":       {strings.Repeat("(?:(?:x{0}){10}){100}", 45), 0, large},
		"nested deeply":              {strings.Repeat("(", 200) + "x?" + strings.Repeat(")", 200) + "{1000}", 0, large},
		"classes that repeat":        {`(?:\pL?){1000}`, 0, large},
		"many names":                 {strings.Repeat("x?", 500) + "y", 1000, large},
		"one that repeats, and many": {"(?:x?){500}y", 1000, large},
		"a usual one":                {usual + "|mine", 0, "text of (hidden)"},
		"a usual one and many names": {usual + "|mine", 300, "text of (hidden)"},
		"one that repeats":           {"^spark[.](?:[a-z]{1,20}[.]?){1,5}$", 0, "text of (hidden)"},
		"another usual one":          {usual, 300, "text of mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := logPass(t, "{}")
			p.app.Spec.SparkConf = map[string]string{conf.RedactionRegex: tc.pattern, "spark.is.mine": "mine"}
			for i := range tc.names {
				p.app.Spec.SparkConf[fmt.Sprintf("spark.%s%d", strings.Repeat("x", 100), i)] = "1"
			}
			p.Logs = fixedLog("text of ")
			if got, _ := p.observer.driverLog(t.Context()); *got != tc.want {
				t.Errorf("got %q, want %q", *got, tc.want)
			}
		})
	}
}

// TestUsualPattern: Spark's default pattern hides the values that it matches when a user sets it explicitly.
func TestUsualPattern(t *testing.T) {
	t.Parallel()
	properties := conf.Properties{}
	for _, key := range []string{"spark.my.SECRET", "spark.password.of.x", "spark.accessKey", "spark.access.key", "spark.tokens", "spark.app.name"} {
		properties.Set(key, "x", conf.Origin{})
	}
	properties.Set(conf.RedactionRegex, `(?i)secret|password|token|access[.]?key`, conf.Origin{})
	names, why := redacted(properties)
	for key := range properties {
		if want := key != "spark.app.name" && key != conf.RedactionRegex; names[key] != want || why != "" {
			t.Errorf("%s is matched: %t, %q", key, names[key], why)
		}
	}
}

// TestPatternSize: a pattern never has more instructions than estimated, and not many fewer unless it has large
// classes.
func TestPatternSize(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", "secret", `(?i)secret|password|token|access[.]?key`, "x*", "(?:x?)*", "(x+)?", "(?:x?){1000}", "(?:x??){0,1000}", "x{3,}", "x{0}", "x{0,0}", "(?:x{0}){1000}",
		"(?:(?:x?){10}y|z){20,30}", "(?:a|bc|def|$|^){7}", "[^a-z]{9}", `(?:\b|\B|.){50}`, "[^\\x00-\\x{10FFFF}]{9}", "((((x?)?)?)?){100}", "(?:)",
	} {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		size, instructions := patternSize(parsed), len(program.Inst)-2 // to fail and to match
		if size < instructions || size > 3*instructions+3 && !strings.Contains(text, "x{0") && !strings.Contains(text, "[^") {
			t.Errorf("%q: size %d, and %d instructions", text, size, instructions)
		}
	}
}

// TestOnePatternAtATime: patterns of users are matched one after the other. Applications without a pattern do not wait
// for them.
func TestOnePatternAtATime(t *testing.T) {
	t.Parallel()
	properties := func(pattern string, source conf.Source) conf.Properties {
		p := conf.Properties{}
		p.Set(conf.RedactionRegex, pattern, conf.Origin{Source: source})
		return p
	}
	var free atomic.Bool
	early := make(chan bool)
	userPattern.Lock()
	go func() {
		_, _ = redacted(properties("x", conf.SparkConf))
		early <- !free.Load()
	}()
	for _, p := range []conf.Properties{{}, properties("", conf.SparkConf), properties("x", conf.Derived), properties(strings.Repeat("x", maxPatternBytes+1), conf.SparkConf)} {
		_, _ = redacted(p) // would not return
	}
	for range 1000 {
		runtime.Gosched()
	}
	free.Store(true)
	userPattern.Unlock()
	if <-early {
		t.Error("a pattern was matched while another was")
	}
}
