// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// At returns the path of an entry of a map, such as spec.sparkConf[spark.driver.memory]. A key with unprintable
// characters is quoted, so that it cannot break or falsify a message.
func At(path, key string) string {
	const longest = 256
	if len(key) > longest {
		key = redact.First(key, longest)
	}
	if !redact.Prints(key) {
		key = strconv.Quote(key)
	}
	return path + "[" + key + "]"
}

// refusedName returns why key cannot be the name of a property; "" if it can. A properties file could hold any name,
// but programs on the way print, split or compare names and would change some of them. A space within a name and a
// colon are allowed, as the real client allows them.
func refusedName(key string) string {
	inner := strings.TrimSpace(key)
	for _, r := range key {
		var what string
		switch {
		case r == utf8.RuneError:
			what = "the replacement character U+FFFD, which stands for one that could not be decoded"
		case r == '=':
			what = "'=', which ends a name for spark-submit"
		case r == ' ' && inner != key:
			what = "a space at its beginning or end, which Spark would drop"
		case !strconv.IsPrint(r):
			what = fmt.Sprintf("the character %U", r)
		default:
			continue
		}
		return fmt.Sprintf("the name %s has %s: rename the property", quoteName(key), what)
	}
	return ""
}

// quoteName returns a name for a message: quoted and cut to a readable length.
func quoteName(key string) string {
	const longest = 128
	return strconv.Quote(redact.First(key, longest))
}

// refusedValue returns why a value cannot be passed to Spark; "" if it can.
func refusedValue(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "the value is not UTF-8 text, so Spark would read a different one: encode it, in base64 for example"
	case strings.ContainsRune(value, 0):
		return "the value has the character U+0000, which no process can be given: remove it"
	}
	return ""
}

// refuseUnreadable removes properties whose name or value cannot be passed on unchanged, with a finding for each.
func refuseUnreadable(p Properties) []Finding {
	var findings []Finding
	for _, property := range p.Sorted() {
		message := refusedName(property.Key)
		if message == "" {
			message = refusedValue(property.Value)
		}
		if message != "" {
			findings = append(findings, Finding{Field: p.Field(property.Key), Message: message})
			delete(p, property.Key)
		}
	}
	return findings
}
