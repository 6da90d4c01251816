// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// h is what a hidden part looks like.
const h = Masked

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"nothing to hide":                     {"26/03/01 INFO SparkContext: Running Spark version 4.1.4", "26/03/01 INFO SparkContext: Running Spark version 4.1.4"},
		"a property":                          {"spark.hadoop.fs.s3a.secret.key=abc/d+e", "spark.hadoop.fs.s3a.secret.key=" + h},
		"an access key":                       {"fs.s3a.access.key = abc", "fs.s3a.access.key = " + h},
		"a submitted property":                {"--conf spark.ssl.keyPassword=hunter2 --name pi", "--conf spark.ssl.keyPassword=" + h + " --name pi"},
		"an argument":                         {"job.py --db-password hunter2 --rows 5", "job.py --db-password " + h + " --rows 5"},
		"an environment variable":             {"AWS_SECRET_ACCESS_KEY=abc DB_PASSWD=x HOME=/root", "AWS_SECRET_ACCESS_KEY=" + h + " DB_PASSWD=" + h + " HOME=/root"},
		"JSON":                                {`{"user":"a","password":"b c","port":1}`, `{"user":"a","password":` + h + `,"port":1}`},
		"JSON in a string":                    {`{\"apiKey\":\"abc\",\"n\":1}`, `{\"apiKey\":` + h + `,\"n\":1}`},
		"YAML":                                {"password: hunter2\nuser: a", "password: " + h + "\nuser: a"},
		"Python":                              {"{'token': 'abc', 'n': 1}", "{'token': " + h + ", 'n': 1}"},
		"several in a line":                   {"token=a;secret=b", "token=" + h + ";secret=" + h},
		"a JDBC address":                      {"jdbc:postgresql://db/x?user=a&password=b&ssl=true", "jdbc:postgresql://db/x?user=a&password=" + h + "&ssl=true"},
		"an address with a password":          {"clone https://user:pass@example.com/x failed", "clone https://" + h + "@example.com/x failed"},
		"a password with an at sign":          {"amqp://u:p@ss@example.com", "amqp://" + h + "@example.com"},
		"an address with a token only":        {"https://abc@example.com/x", "https://" + h + "@example.com/x"},
		"an address without":                  {"see https://example.com/a@b", "see https://example.com/a@b"},
		"a signed address":                    {"GET /b?sv=1&sig=a%2Fb&X-Amz-Signature=ff HTTP", "GET /b?sv=1&sig=" + h + "&X-Amz-Signature=" + h + " HTTP"},
		"a header":                            {"> Authorization: Basic YTpi\n> Accept: x", "> Authorization: " + h + "\n> Accept: x"},
		"a bearer":                            {"sent bearer abcdefgh12345678== to x", "sent bearer " + h + " to x"},
		"colours":                             {"\x1b[1;31mERROR\x1b[0m no", "ERROR no"},
		"a title":                             {"\x1b]0;title\x07text", "text"},
		"a progress bar":                      {"[Stage 0:> 0%]\r[Stage 0:> 9%]\r\nend", "[Stage 0:> 0%]\n[Stage 0:> 9%]\nend"},
		"control characters":                  {"a\x00b\x07c\td\u202ee", "abc de"},
		"what is no text":                     {"a\xffb", "ab"},
		"hidden behind escape":                {"pass\x1b[0mword=abc", "password=" + h},
		"hidden behind zero-width characters": {"pass\u200bword=abc", "password=" + h},
		"a password with a star":              {"password=*hunter2", "password=" + h},
		"masked by Spark":                     {"(spark.a.password=*********(redacted))", "(spark.a.password=*********(redacted))"},
		"a word that is no name":              {"secretary went home", "secretary went home"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Text(tc.text)
			if got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			if again := Text(got); again != got {
				t.Errorf("scrubbed twice it is %q, once %q", again, got)
			}
		})
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"empty":                 {" \n ", 10, ""},
		"first line":            {"\n one \ntwo", 10, "one"},
		"cut":                   {"one two three", 10, "one two…"},
		"cut in a character":    {"éééééé", 6, "é…"},
		"scrubbed before a cut": {"a token=0123456789 and more", 20, "a token=(hidden) …"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Line(tc.text, tc.limit); got != tc.want || len(got) > tc.limit {
				t.Errorf("got %q (%d bytes), want %q", got, len(got), tc.want)
			}
		})
	}
}

// FuzzText: whatever the text, the result is printable text, has no more lines, and is the same when it is scrubbed again.
func FuzzText(f *testing.F) {
	for _, leak := range leaks {
		f.Add(leak.text)
	}
	for _, seed := range []string{"", "password=x", "\x1b[0m", "a://b:c@d", "token: \"a", "Authorization: x\nAuthorization=", "\xff\n\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\t\x7f") {
			t.Errorf("%q became %q, which is no plain text", text, got)
		}
		if again := Text(got); again != got {
			t.Errorf("%q became %q, and that %q", text, got, again)
		}
		if strings.Count(got, "\n") > strings.Count(text, "\n")+strings.Count(text, "\r") {
			t.Errorf("%q became %q, which has more lines", text, got)
		}
	})
}

func TestFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text              string
		limit             int
		bytes, characters string
	}{
		{"", 4, "", ""},
		{"abcd", 4, "abcd", "abcd"},
		{"abcde", 4, "a…", "abcd…"},
		{"äöü", 4, "…", "äöü"},
		{"äöüßä", 4, "…", "äöüß…"},
		{"äöü", 5, "ä…", "äöü"},
	} {
		if got := First(tc.text, tc.limit); got != tc.bytes {
			t.Errorf("the first %d bytes of %q are %q, want %q", tc.limit, tc.text, got, tc.bytes)
		}
		if got := FirstCharacters(tc.text, tc.limit); got != tc.characters {
			t.Errorf("the first %d characters of %q are %q, want %q", tc.limit, tc.text, got, tc.characters)
		}
	}
}
