// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The expected texts were written by java.util.Properties of Java 17.
func TestText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]string
		want   string
	}{
		"nothing": {want: ""},
		"sorted by key": {
			values: map[string]string{"spark.b": "2", "spark.a": "1", "spark.a.b": "3"},
			want:   "spark.a=1\nspark.a.b=3\nspark.b=2\n",
		},
		"an empty value": {
			values: map[string]string{"spark.submit.pyFiles": ""},
			want:   "spark.submit.pyFiles=\n",
		},
		"a URI": {
			values: map[string]string{"spark.jars": "local:///opt/spark/examples/jars/spark-examples.jar"},
			want:   "spark.jars=local\\:///opt/spark/examples/jars/spark-examples.jar\n",
		},
		"every character with a meaning": {
			values: map[string]string{"a key:=#!": "  lead\ttab\\back=eq#h!b:c\nnl\rcr\fff é中😀 trail "},
			want:   "a\\ key\\:\\=\\#\\!=\\  lead\\ttab\\\\back\\=eq\\#h\\!b\\:c\\nnl\\rcr\\fff é中😀 trail \n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const comment = "# Properties of one attempt, written by Sparkgate.\n"
			if diff := cmp.Diff(comment+test.want, properties(test.values).Text()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// properties makes properties of plain values.
func properties(values map[string]string) Properties {
	p := Properties{}
	for key, value := range values {
		p.Set(key, value, Origin{Source: SparkConf, Field: fieldOfKey(key)})
	}
	return p
}

func TestTextIsReadBack(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"spark.a":                    "plain",
		"spark.kubernetes.label.x/y": "a=b:c",
		"spark.blank key":            " leading and trailing ",
		"spark.lines":                "one\ntwo\r\nthree\tfour\ffive",
		"spark.slash":                `C:\dir\file`,
		"spark.hash#!":               "#not a comment",
		"spark.é":                    "中😀",
		"spark.empty":                "",
	}
	if diff := cmp.Diff(values, Parse(properties(values).Text())); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// The expected values were read by java.util.Properties of Java 17.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want map[string]string
	}{
		"nothing":                         {"", map[string]string{}},
		"comments and empty lines":        {"# c\n! c\n\n   \n  # c\nspark.a 1", map[string]string{"spark.a": "1"}},
		"three separators":                {"spark.a=1\nspark.b:2\nspark.c 3", map[string]string{"spark.a": "1", "spark.b": "2", "spark.c": "3"}},
		"blanks around a separator":       {"  spark.k   :  w", map[string]string{"spark.k": "w"}},
		"trailing blanks belong to value": {"spark.a = 1 ", map[string]string{"spark.a": "1 "}},
		"only the first separator counts": {"spark.j==v", map[string]string{"spark.j": "=v"}},
		"no value":                        {"spark.d\nspark.e=", map[string]string{"spark.d": "", "spark.e": ""}},
		"continued line":                  {"spark.f=x\\\n   y", map[string]string{"spark.f": "xy"}},
		"continued by a comment":          {"spark.m=a\\\n# not comment", map[string]string{"spark.m": "a# not comment"}},
		"an escaped backslash continues nothing": {
			"spark.g=a\\\\\nspark.h=b", map[string]string{"spark.g": `a\`, "spark.h": "b"},
		},
		"a backslash at the very end": {`spark.n=\`, map[string]string{"spark.n": ""}},
		"escapes":                     {`spark.h=\u0041\t\n\r\f|\q`, map[string]string{"spark.h": "A\t\n\r\f|q"}},
		"two halves of a character":   {`spark.h=a\ud83d\ude00b`, map[string]string{"spark.h": "a😀b"}},
		"halves that do not fit":      {`spark.h=\ud83da\ude00\ud83d\ud83d\ude00\ud83d\u00e9\ud83d\`, map[string]string{"spark.h": "\ufffda\ufffd\ufffd😀\ufffdé\ufffd"}},
		"a malformed code":            {`spark.h=\u00zz`, map[string]string{"spark.h": "u00zz"}},
		"a short code":                {`spark.h=\u00`, map[string]string{"spark.h": "u00"}},
		"an escaped blank in a key":   {`spark\ i=k`, map[string]string{"spark i": "k"}},
		"line ends of all systems":    {"spark.a=9\r\nspark.l=x\ry=2", map[string]string{"spark.a": "9", "spark.l": "x", "y": "2"}},
		"the last one counts":         {"spark.a=1\nspark.a=2", map[string]string{"spark.a": "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Parse(test.text)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseFileKeepsWhatSparkReads(t *testing.T) {
	t.Parallel()
	got := ParseFile("spark.a =  1 \t\nhadoop.b=2\nspark.c=x\\n\nsparkling=no\n")
	want := map[string]string{"spark.a": "1", "spark.c": "x\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"spark.a=1", "\\", "a\\", "=\\u", "#\n\\\n", " \\ = \\\r\n x", "\xff=\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("no ConfigMap holds such text")
		}
		values := Parse(text)
		if diff := cmp.Diff(values, Parse(properties(values).Text())); diff != "" {
			t.Errorf("written and read again (-first +second):\n%s", diff)
		}
	})
}

// TestLinesWithoutEnd: a line of many parts is read in memory, and so in time, in proportion to the text. To copy what
// came before each of its parts would take 5 GB here, and 60 GB of a ConfigMap of the largest size.
func TestLinesWithoutEnd(t *testing.T) {
	const parts = 100_000
	text := "spark.x " + strings.Repeat("a\\\n", parts) + "b\nspark.y c\\"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Parse(text)
	runtime.ReadMemStats(&after)
	if want := strings.Repeat("a", parts) + "b"; got["spark.x"] != want || got["spark.y"] != "c" {
		t.Errorf("read %d bytes and %q, want %d and c", len(got["spark.x"]), got["spark.y"], len(want))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 64*uint64(len(text)) {
		t.Errorf("%d bytes were allocated for a text of %d", took, len(text))
	}
}
