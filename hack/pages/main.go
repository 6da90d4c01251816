// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command pages writes the parts of the documentation that follow from the code: the packages with the first sentences
// of their comments, and the dependencies that may not exist.
//
//	go run ./hack/pages      in the folder of the repository
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sparkgate/sparkgate/hack/checks"
)

const page = "docs/architecture.md"

func main() {
	text, err := generate(".")
	if err == nil {
		err = os.WriteFile(page, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate returns the page as it has to be.
func generate(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return nil, err
	}
	packages, err := packages(root)
	if err != nil {
		return nil, err
	}
	for name, table := range map[string]string{"packages": packages, "dependencies": dependencies()} {
		if text, err = replace(text, name, table); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// replace replaces what stands between the two comments of a table.
func replace(text []byte, name, table string) ([]byte, error) {
	begin, end := "<!-- "+name+": written by make manifests -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !ok || !ended {
		return nil, fmt.Errorf("%s has no table %s", page, name)
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte(table), []byte(end), after}, nil), nil
}

func packages(root string) (string, error) {
	list := exec.Command("go", "list", "-f", "{{.ImportPath}};{{.Doc}}", "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	var b strings.Builder
	b.WriteString("| package | what it is for |\n| --- | --- |\n")
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimSpace(line), ";", 2)
		if path, inside := strings.CutPrefix(part[0], checks.Module+"/"); inside && part[1] != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", path, sentence(part[1]))
		}
	}
	return b.String(), nil
}

// sentence returns the first sentence of a package's comment without its first two words, "Package name".
func sentence(doc string) string {
	_, doc, _ = strings.Cut(doc, " ")
	_, doc, _ = strings.Cut(doc, " ")
	return strings.ReplaceAll(strings.TrimRight(doc, ".:"), "|", `\|`)
}

func dependencies() string {
	var b strings.Builder
	b.WriteString("| packages | must not depend on | why |\n| --- | --- | --- |\n")
	for _, e := range checks.ForbiddenEdges {
		direct := ""
		if e.Direct {
			direct = ", directly"
		}
		fmt.Fprintf(&b, "| %s | %s%s | %s |\n", patterns(e.From), patterns(e.To), direct, e.Why)
	}
	return b.String()
}

// patterns lists packages; those that are excluded come last.
func patterns(list []string) string {
	var in, out []string
	for _, p := range list {
		p, excluded := strings.CutPrefix(p, "!")
		if excluded {
			out = append(out, "`"+p+"`")
		} else {
			in = append(in, "`"+p+"`")
		}
	}
	text := strings.Join(in, ", ")
	if len(out) > 0 {
		text += " except " + strings.Join(out, ", ")
	}
	return text
}
