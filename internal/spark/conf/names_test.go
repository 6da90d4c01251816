// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// TestNames: what cannot be called so is refused wherever the name comes from, and reported in one line.
func TestNames(t *testing.T) {
	t.Parallel()
	const remedy = ": rename the property"
	conf := func(key string) func(*v1alpha1.SparkApplicationSpec) {
		return func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{key: "x"} }
	}
	for name, test := range map[string]struct {
		edit    func(*v1alpha1.SparkApplicationSpec)
		sources Sources
		want    string
	}{
		"a line in sparkConf": {edit: conf("spark.x\nspark.master"),
			want: `spec.sparkConf["spark.x\nspark.master"]: the name "spark.x\nspark.master" has the character U+000A` + remedy},
		"an escape sequence": {edit: conf("spark.\x1b[2J"), want: `spec.sparkConf["spark.\x1b[2J"]: the name "spark.\x1b[2J" has the character U+001B` + remedy},
		"a carriage return":  {edit: conf("spark.a\r"), want: `spec.sparkConf["spark.a\r"]: the name "spark.a\r" has the character U+000D` + remedy},
		"a blank":            {edit: conf("spark.a "), want: `spec.sparkConf[spark.a ]: the name "spark.a " has a space at its beginning or end, which Spark would drop` + remedy},
		"another blank":      {edit: conf("spark.a\u00a0b"), want: `spec.sparkConf["spark.a\u00a0b"]: the name "spark.a\u00a0b" has the character U+00A0` + remedy},
		"an equals sign": {edit: conf("spark.a=b"),
			want: `spec.sparkConf[spark.a=b]: the name "spark.a=b" has '=', which ends a name for spark-submit` + remedy},
		"NUL":              {edit: conf("spark.a\x00"), want: `spec.sparkConf["spark.a\x00"]: the name "spark.a\x00" has the character U+0000` + remedy},
		"text to the left": {edit: conf("spark.\u202ea"), want: `spec.sparkConf["spark.\u202ea"]: the name "spark.\u202ea" has the character U+202E` + remedy},
		"no width":         {edit: conf("spark.\u200ba"), want: `spec.sparkConf["spark.\u200ba"]: the name "spark.\u200ba" has the character U+200B` + remedy},
		"a lost surrogate": {edit: conf("spark.\ufffd"), want: "spec.sparkConf[spark.\ufffd]: the name \"spark.\ufffd\" has the replacement character U+FFFD, which stands for one that could not be decoded" + remedy},
		"no UTF-8":         {edit: conf("spark.\xff"), want: `spec.sparkConf["spark.\xff"]: the name "spark.\xff" has the replacement character U+FFFD, which stands for one that could not be decoded` + remedy},
		"no property of Spark": {edit: conf("a\nb"),
			want: `spec.sparkConf["a\nb"]: the key is not a property of Spark: use a key that begins with spark. (Hadoop's properties go to spec.hadoopConf)`},
		"hadoopConf": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.HadoopConf = map[string]string{"fs\tx": "y"} },
			want: `spec.hadoopConf["fs\tx"]: the name "spark.hadoop.fs\tx" has the character U+0009` + remedy},
		"the file of a ConfigMap": {sources: Sources{ConfigMap: map[string]string{DefaultsFile: `spark.a\nspark.master=x`}},
			want: `spec.sparkConfigMap["spark.a\nspark.master"]: the name "spark.a\nspark.master" has the character U+000A` + remedy},
		"defaults of the operator": {sources: Sources{Operator: map[string]string{"spark.a\v": "x"}},
			want: `defaults of the operator["spark.a\v"]: the name "spark.a\v" has the character U+000B` + remedy},
		"defaults of the namespace": {sources: Sources{Namespace: map[string]string{"spark.a\f": "x"}},
			want: `defaults of the namespace["spark.a\f"]: the name "spark.a\f" has the character U+000C` + remedy},
		"sparkConfFrom": {edit: func(s *v1alpha1.SparkApplicationSpec) {
			s.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: "spark.a\u0085"}}
		},
			want: `spec.sparkConfFrom["spark.a\u0085"]: the name "spark.a\u0085" has the character U+0085` + remedy},
		"a label": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.Driver.Labels = map[string]string{"a\nb": "c"} },
			want: `spec.driver.labels["a\nb"]: the name "spark.kubernetes.driver.label.a\nb" has the character U+000A` + remedy},
		"an annotation": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.Executor.Annotations = map[string]string{"a=b": "c"} },
			want: `spec.executor.annotations[a=b]: the name "spark.kubernetes.executor.annotation.a=b" has '=', which ends a name for spark-submit` + remedy},
		"a node selector": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.Driver.NodeSelector = map[string]string{"\x1b": "c"} },
			want: `spec.driver.nodeSelector["\x1b"]: the name "spark.kubernetes.driver.node.selector.\x1b" has the character U+001B` + remedy},
		"a long name is cut": {edit: conf("spark.\n" + strings.Repeat("x", 1000)),
			want: `spec.sparkConf["spark.\n` + strings.Repeat("x", 246) + `…"]: the name "spark.\n` + strings.Repeat("x", 118) + `…" has the character U+000A` + remedy},
		"a value with NUL": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{"spark.a": "x\x00"} },
			want: "spec.sparkConf[spark.a]: the value has the character U+0000, which no process can be given: remove it"},
		"a value that is no text": {edit: func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{"spark.a": "x\xff"} },
			want: "spec.sparkConf[spark.a]: the value is not UTF-8 text, so Spark would read a different one: encode it, in base64 for example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, findings := Merge(application(test.edit), test.sources)
			if len(findings) != 1 || findings[0].String() != test.want {
				t.Fatalf("found  %v\nwant %s", findings, test.want)
			}
			if diff := cmp.Diff(map[string]string{AppName: "pi"}, valuesOf(merged)); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUsualNames: names that programs use are taken.
func TestUsualNames(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"spark.metrics.conf.*.sink.jmx.class", "spark.sql.catalog.my-cat.io-impl", "spark.kubernetes.driver.annotation.example.org/a_b", "spark.x[0].y", "spark.é.中.😀",
		"spark.hadoop.fs.azure.account.key.a.dfs.core.windows.net", "spark.x$y%z@w,v;u|t{s}(r)", `spark.a\b`, "spark.#!", "spark.a b", "spark.a:b",
	} {
		if message := refusedName(key); message != "" {
			t.Errorf("%s: %s", key, message)
		}
	}
}

// TestNothingUnreadableIsPlanned: what is left after merging is read back by Java to the letter, and what is refused is reported in one line.
func TestNothingUnreadableIsPlanned(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 13))
		app := application(func(s *v1alpha1.SparkApplicationSpec) {
			s.SparkConf, s.HadoopConf = randomProperties(r), map[string]string{randomText(r): randomText(r)}
			s.Driver.Labels = map[string]string{randomText(r): randomText(r)}
		})
		merged, findings := Merge(app, Sources{ConfigMap: map[string]string{DefaultsFile: properties(randomProperties(r)).Text()}})
		for _, f := range findings {
			if !redact.Prints(f.Field) {
				t.Fatalf("seed %d: the field %q does more than print", seed, f.Field)
			}
		}
		got, err := javaLoad(merged.Text())
		if diff := cmp.Diff(valuesOf(merged), got); diff != "" || err != nil {
			t.Fatalf("seed %d: %v; read back (-want +got):\n%s", seed, err, diff)
		}
		for key := range got {
			if refusedName(key) != "" {
				t.Fatalf("seed %d: the name %q is planned", seed, key)
			}
		}
	}
}
