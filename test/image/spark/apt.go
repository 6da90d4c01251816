// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// suite is the Debian release of the base layer.
const suite = "bookworm"

// A source is one package source in the terms of sources.list(5).
type source struct {
	uris, suites, components []string
	signedBy                 string // verbatim, may be a key of several lines; empty: apt's default
}

func (s source) String() string {
	text := fmt.Sprintf("Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n",
		strings.Join(s.uris, " "), strings.Join(s.suites, " "))
	if s.signedBy != "" {
		text += "Signed-By: " + s.signedBy + "\n"
	}
	return text
}

// debianSources returns the text of a sources file with the suite's packages,
// from the same places as the host's. root is the host's root folder.
func debianSources(root fs.FS, mirror string) (string, error) {
	if mirror != "" {
		return source{uris: []string{mirror}, suites: []string{suite}}.String(), nil
	}
	all, err := hostSources(root)
	if err != nil {
		return "", err
	}
	picked := pick(all, suite, suite+"-updates", suite+"-security")
	if !slices.ContainsFunc(picked, func(s source) bool { return slices.Contains(s.suites, suite) }) {
		// Every Debian archive has all releases: ask the host's for this one.
		picked = pick(all, codename(root))
		for i := range picked {
			picked[i].suites = []string{suite}
		}
	}
	if len(picked) == 0 {
		return "", errors.New("the package sources of this machine name no Debian archive: give one with --mirror URI")
	}
	var text []string
	for _, s := range picked {
		text = append(text, s.String())
	}
	return strings.Join(text, "\n"), nil
}

// pick returns the sources with component main, reduced to the wanted suites.
func pick(all []source, wanted ...string) []source {
	var picked []source
	for _, s := range all {
		s.suites = slices.DeleteFunc(slices.Clone(s.suites), func(name string) bool { return !slices.Contains(wanted, name) })
		if len(s.suites) > 0 && slices.Contains(s.components, "main") {
			picked = append(picked, s)
		}
	}
	return picked
}

// codename returns the release of the host, "" if it is not Debian.
func codename(root fs.FS) string {
	data, err := fs.ReadFile(root, "etc/os-release")
	if err != nil {
		return ""
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[key] = strings.Trim(value, `"'`)
		}
	}
	if fields["ID"] != "debian" {
		return ""
	}
	return fields["VERSION_CODENAME"]
}

func hostSources(root fs.FS) ([]source, error) {
	var all []source
	for _, pattern := range []string{"etc/apt/sources.list", "etc/apt/sources.list.d/*.list", "etc/apt/sources.list.d/*.sources"} {
		files, err := fs.Glob(root, pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := fs.ReadFile(root, file)
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(file, ".sources") {
				all = append(all, parseStanzas(string(data))...)
			} else {
				all = append(all, parseLines(string(data))...)
			}
		}
	}
	return all, nil
}

// parseLines reads the one-line format: deb [signed-by=FILE] URI SUITE COMPONENT…
func parseLines(text string) []source {
	var all []source
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb ")
		if !ok {
			continue
		}
		var s source
		rest = strings.TrimSpace(rest)
		if options, after, ok := strings.Cut(rest, "]"); ok && strings.HasPrefix(rest, "[") {
			rest = after
			for _, option := range strings.Fields(options[1:]) {
				if value, ok := strings.CutPrefix(option, "signed-by="); ok {
					s.signedBy = value
				}
			}
		}
		if fields := strings.Fields(rest); len(fields) >= 3 {
			s.uris, s.suites, s.components = fields[:1], fields[1:2], fields[2:]
			all = append(all, s)
		}
	}
	return all
}

// parseStanzas reads the deb822 format: fields, stanzas parted by empty lines,
// continuation lines that start with white space.
func parseStanzas(text string) []source {
	var all []source
	fields, last := map[string]string{}, ""
	end := func() {
		if slices.Contains(strings.Fields(fields["types"]), "deb") && !strings.EqualFold(strings.TrimSpace(fields["enabled"]), "no") {
			all = append(all, source{
				uris: strings.Fields(fields["uris"]), suites: strings.Fields(fields["suites"]),
				components: strings.Fields(fields["components"]), signedBy: strings.TrimSpace(fields["signed-by"]),
			})
		}
		fields, last = map[string]string{}, ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			end()
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			fields[last] += "\n" + line
		default:
			key, value, _ := strings.Cut(line, ":")
			last = strings.ToLower(key)
			fields[last] = value
		}
	}
	end()
	return all
}
