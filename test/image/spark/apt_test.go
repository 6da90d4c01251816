// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"strings"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestDebianSources(t *testing.T) {
	t.Parallel()
	const stanza = "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n"
	expect := func(pairs ...string) string {
		var all []string
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, strings.Replace(strings.Replace(stanza, "%s", pairs[i], 1), "%s", pairs[i+1], 1))
		}
		return strings.Join(all, "\n")
	}
	bookworm := file("ID=debian\nVERSION_CODENAME=bookworm\n")
	for name, test := range map[string]struct {
		root   fstest.MapFS
		mirror string
		want   string
	}{
		"one-line format": {
			root: fstest.MapFS{"etc/os-release": bookworm, "etc/apt/sources.list": file(
				"# deb http://no.test/debian bookworm main\ndeb http://a.test/debian bookworm main contrib\n" +
					"deb-src http://a.test/debian bookworm main\ndeb [arch=amd64 signed-by=/k.gpg] http://s.test/debian-security bookworm-security main\n")},
			want: expect("http://a.test/debian", "bookworm", "http://s.test/debian-security", "bookworm-security") + "Signed-By: /k.gpg\n",
		},
		"deb822 format": {
			root: fstest.MapFS{"etc/os-release": bookworm, "etc/apt/sources.list.d/debian.sources": file(
				"# comment\nTypes: deb deb-src\nURIs: http://a.test/debian\nSuites: bookworm bookworm-updates bookworm-backports\n" +
					"Components: main\nSigned-By:\n -----BEGIN\n .\n key\n\nTypes: deb\nEnabled: no\nURIs: http://off.test\nSuites: bookworm\nComponents: main\n")},
			want: expect("http://a.test/debian", "bookworm bookworm-updates") + "Signed-By: -----BEGIN\n .\n key\n",
		},
		"sources of others are left out": {
			root: fstest.MapFS{"etc/os-release": bookworm,
				"etc/apt/sources.list.d/a.list": file("deb http://a.test/debian bookworm main\n"),
				"etc/apt/sources.list.d/b.list": file("deb http://b.test/apt tool-bookworm main\ndeb http://c.test stable main\ndeb http://d.test bookworm stable\n")},
			want: expect("http://a.test/debian", "bookworm"),
		},
		"another release of Debian": {
			root: fstest.MapFS{"etc/os-release": file("ID=debian\nVERSION_CODENAME=\"trixie\"\n"),
				"etc/apt/sources.list": file("deb http://a.test/debian trixie main\ndeb http://s.test/debian-security trixie-security main\n")},
			want: expect("http://a.test/debian", "bookworm"),
		},
		"given": {
			root:   fstest.MapFS{},
			mirror: "http://m.test/debian",
			want:   expect("http://m.test/debian", "bookworm"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := debianSources(test.root, test.mirror)
			if err != nil || got != test.want {
				t.Errorf("got %v\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

func TestNoDebianSources(t *testing.T) {
	t.Parallel()
	for name, root := range map[string]fstest.MapFS{
		"no sources":          {},
		"another distributor": {"etc/os-release": file("ID=ubuntu\nVERSION_CODENAME=noble\n"), "etc/apt/sources.list": file("deb http://u.test noble main\n")},
	} {
		if _, err := debianSources(root, ""); err == nil || !strings.Contains(err.Error(), "--mirror") {
			t.Errorf("%s: error %v, want one that names --mirror", name, err)
		}
	}
}
