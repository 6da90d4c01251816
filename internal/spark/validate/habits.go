// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// habits are what people bring along and what does not do here what they mean, with what to write instead. A row's
// pattern matches KEY=VALUE of a property, uri= and the URI of a file, or argument= and an argument of the program; $1
// stands for what its first group matches.
var habits = []struct {
	pattern *regexp.Regexp
	// refused reports that the application cannot work so; else the row is a warning.
	refused bool
	// version is how the versions of Spark begin for which the row holds; empty for all.
	version string
	says    string
}{
	{regexp.MustCompile(`^(spark\.kubernetes\.\w+\.volumes\.[^\s=]*)\s+([^=]*)=`), true, "", "belongs to a property with a blank in its name: write $1$2"},
	{regexp.MustCompile(`^uri=(?i:local)://([^/].*)`), true, "", "has two slashes, so that Spark takes its first folder for a host: write local:///$1"},
	{regexp.MustCompile(`^uri=(L(?:ocal|OCAL)|S3A?|HDFS|GS|ABFSS?):`), true, "", "begins with $1, and Spark knows schemes in lower case only: write it so"},
	{regexp.MustCompile(`^uri=local:.*/\*`), true, "", "has a *, which Spark expands in no path of the image: name each file, or add the folder with /* to spark.driver.extraClassPath and spark.executor.extraClassPath"},
	{regexp.MustCompile(`^(?:uri|spark\.jars\.packages)=.*?([\w.-]+_2\.1[0-2])[:-]`), false, "4.", "has $1, built for another Scala than Spark 4, whose is 2.13: use the artifact that ends with _2.13"},
	{regexp.MustCompile(`^argument=(--?[A-Za-z][\w-]*) +\S`), false, "", "is one argument for the program: write two entries, $1 and its value"},
	{regexp.MustCompile(`JavaOptions=.*-Dlog4j\.configuration=`), false, "", "has -Dlog4j.configuration, which Spark has not read since 3.3: write -Dlog4j2.configurationFile, with a file in the format of Log4j 2"},
	{regexp.MustCompile(`^spark\.ssl\.ui\.enabled=true`), true, "", "moves the web interface to a port to which neither Service nor Ingress leads: remove it, and have the Ingress end TLS (spec.ui.ingress.tlsSecretName)"},
	{regexp.MustCompile(`^spark\.kubernetes\.file\.upload\.path=`), false, "", "has no effect, because no files of a machine are uploaded: remove it"},
	{regexp.MustCompile(`^spark\.(driver|executor)\.cores=0?\.(\d)$`), true, "", "is a part of a CPU: write spec.$1.coreRequest: ${2}00m, and leave cores out"},
	{regexp.MustCompile(`^spark\.(driver|executor)\.cores=0?\.(\d\d)$`), true, "", "is a part of a CPU: write spec.$1.coreRequest: ${2}0m, and leave cores out"},
	{regexp.MustCompile(`^spark\.shuffle\.service\.enabled=(?i:true)$`), false, "", "asks for the external shuffle service, which nodes of Kubernetes do not have, so that executors would end: remove it (under dynamic allocation, shuffle tracking is on by default)"},
	{regexp.MustCompile(`^spark\.streaming\.dynamicAllocation\.enabled=(?i:true)$`), false, "", "has the stream create executors beyond those that its queue has granted, which are charged but not held back: remove it, and set spec.executor.instances to what the stream needs at most"},
	{regexp.MustCompile(`^spark\.plugins=.*ExecutorResizePlugin`), false, "", "has ExecutorResizePlugin, which may not resize executors, because they have the memory that their queue has granted: remove it, and raise spec.executor.memory or memoryOverhead"},
	{regexp.MustCompile(`^spark\.hadoop\.spark\.hadoop\.([^=]*)=`), false, "", "has no effect, because spark.hadoop. is added to every key here: write $1"},
	{regexp.MustCompile(`^argument=[^\r]*\r`), false, "", "has carriage returns, which Spark's start script drops: remove them"},
	{regexp.MustCompile(`(?s)^argument=(?:.*[^$])?\$\(`), false, "", "has $$(, and Kubernetes replaces $$(NAME) by the variable of that name: write $$$$(NAME) if that is not meant"},
}

// checkHabits reports habits with which the application cannot work.
func checkHabits(s *subject) []Finding { return habitsOf(s, true) }

// habitWarnings warns about the other ones.
func habitWarnings(s *subject) []Finding { return habitsOf(s, false) }

func habitsOf(s *subject, refused bool) []Finding {
	var findings []Finding
	look := func(field, key, value string) {
		text := key + "=" + value
		for _, h := range habits {
			if at := h.pattern.FindStringSubmatchIndex(text); at != nil && h.refused == refused && strings.HasPrefix(s.spec.SparkVersion, h.version) {
				findings = append(findings, invalid(field, "value %s %s", conf.Quote(key, value), h.pattern.ExpandString(nil, h.says, text, at)))
			}
		}
	}
	for _, property := range s.properties.Sorted() {
		look(property.Origin.Field, property.Key, property.Value)
	}
	for _, e := range s.files() {
		look(e.field, "uri", e.uri)
	}
	for i, argument := range s.spec.Arguments {
		look("spec.arguments["+strconv.Itoa(i)+"]", "argument", argument)
	}
	return findings
}

// files returns the program and the files of all lists.
func (s *subject) files() []element {
	var all []element
	if file := s.spec.MainApplicationFile; file != "" && file != render.NoResource {
		all = append(all, element{"spec.mainApplicationFile", file})
	}
	for _, list := range lists {
		all = append(all, s.elements(list.key, list.field, list.typed)...)
	}
	return all
}
