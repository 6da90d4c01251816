// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Names of the rules about text.
const (
	RuleHeader  = "licence-header"
	RulePackage = "package"
	RulePath    = "machine-path"
	RuleHost    = "host"
)

// Headers checks that every program begins with the two lines of the licence. Other files have none.
func Headers(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		comment := commentOf(f)
		if comment == "" || f.Generated() {
			continue
		}
		want := fmt.Sprintf("%[1]s Copyright 2026 The Sparkgate Authors.\n%[1]s SPDX-License-Identifier: Apache-2.0\n", comment)
		if !bytes.HasPrefix(afterShebang(f.Data), []byte(want)) {
			problems = append(problems, Problem{File: f.Path, Line: 1, Rule: RuleHeader, Text: "begin the file with:\n" + want})
		}
	}
	return problems
}

// commentOf returns the marker of line comments in a program; empty for other files.
func commentOf(f File) string {
	switch path.Ext(f.Path) {
	case ".go", ".java", ".scala":
		return "//"
	case ".sh", ".py", ".mk":
		return "#"
	}
	if path.Base(f.Path) == "Makefile" || bytes.HasPrefix(f.Data, []byte("#!")) {
		return "#"
	}
	return ""
}

func afterShebang(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("#!")) {
		return data
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	return rest
}

// machinePath matches a folder of a developer's machine, which no file of the project may name.
var machinePath = regexp.MustCompile(`(^|[^A-Za-z0-9._-])/(root|home|work|Users)/[A-Za-z0-9._]`)

// innocent are home folders that exist on no developer's machine: that of the user inside the Spark image, and the one
// of tests.
var innocent = strings.NewReplacer("/home/spark", "", "/home/me", "")

// MachinePaths finds paths that exist only on one machine.
func MachinePaths(files []File) []Problem {
	return eachMatch(files, RulePath, func(line string) string {
		if machinePath.MatchString(innocent.Replace(line)) {
			return "names a folder of one machine; use a relative path or the user's cache folder"
		}
		return ""
	})
}

// eachMatch applies a rule to every line of hand-written files. The rule returns the problem with a line, or nothing.
func eachMatch(files []File, rule string, wrong func(line string) string) []Problem {
	var problems []Problem
	for _, f := range files {
		if f.Generated() || strings.HasPrefix(f.Path, "hack/checks/") || path.Ext(f.Path) == ".sum" {
			continue
		}
		n := 0
		for line := range strings.Lines(string(f.Data)) {
			n++
			if text := wrong(line); text != "" {
				problems = append(problems, Problem{File: f.Path, Line: n, Rule: rule, Text: text})
			}
		}
	}
	return problems
}

var hostOfURL = regexp.MustCompile(`https?://([A-Za-z0-9.-]*[A-Za-z0-9])`)

// Hosts finds URLs with hosts that are not known. Packages are fetched by name with the ordinary clients, so that users
// can configure a mirror outside the project.
func Hosts(files []File, known []string) []Problem {
	return eachMatch(files, RuleHost, func(line string) string {
		for _, m := range hostOfURL.FindAllStringSubmatch(line, -1) {
			if !knownHost(m[1], known) {
				return m[1] + " is not among the known hosts (hack/checks/hosts.go)"
			}
		}
		return ""
	})
}

func knownHost(host string, known []string) bool {
	host = strings.ToLower(host)
	if !strings.Contains(host, ".") || regexp.MustCompile(`^[0-9.]+$`).MatchString(host) {
		// A name inside a cluster, or an IP address.
		return true
	}
	return slices.ContainsFunc(known, func(k string) bool { return host == k || strings.HasSuffix(host, "."+k) })
}

// vague are package names that do not say what the package is for.
var vague = []string{"util", "utils", "common", "helper", "helpers", "types", "misc"}

// packageComment matches the start of a package comment.
var packageComment = regexp.MustCompile(`(?m)^// (Package|Command) [a-z0-9_]+ `)

// Packages checks that every package has a package comment, in doc.go or in its only file, and a name that says what it
// contains.
func Packages(files []File) []Problem {
	byDir := map[string][]File{}
	for _, f := range files {
		if f.IsGo() && !f.IsTest() && !strings.Contains(f.Path, "testdata/") {
			byDir[path.Dir(f.Path)] = append(byDir[path.Dir(f.Path)], f)
		}
	}
	var problems []Problem
	for dir, files := range byDir {
		if !documented(files) {
			problems = append(problems, Problem{File: dir, Rule: RulePackage, Text: "add a doc.go that says what the package is for"})
		}
		if slices.Contains(vague, path.Base(dir)) {
			problems = append(problems, Problem{File: dir, Rule: RulePackage, Text: "name the package after what it holds"})
		}
	}
	return problems
}

func documented(files []File) bool {
	return slices.ContainsFunc(files, func(f File) bool {
		return (len(files) == 1 || path.Base(f.Path) == "doc.go") && packageComment.Match(f.Data)
	})
}
