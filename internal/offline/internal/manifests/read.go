// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yamlnode "sigs.k8s.io/yaml/goyaml.v3"

	"sigs.k8s.io/yaml"
)

// Object is one object of a file.
type Object struct {
	File string
	// Line is where its document begins, from 1.
	Line int
	// APIVersion, Kind, Namespace and Name as they are written.
	APIVersion, Kind, Namespace, Name string
	// JSON is the object.
	JSON []byte

	// node is the document with its lines; prefix the path of the object in it.
	node   *yamlnode.Node
	prefix string
}

// Finding is something about a file that has to be changed, or had better be.
type Finding struct {
	File string
	// Line from 1.
	Line int
	// Object is kind and name, empty if the file cannot be read.
	Object string
	// Field is the full path; empty if it is about the whole document.
	Field string
	// Message says what is wrong with the value and what to do, without the field.
	Message string
	// Warning says that the API server takes it and the job may run: what this version does not honour yet, and what
	// had better be changed.
	Warning bool

	// stops says that the operator does not run the object as it is, although the finding is a warning.
	stops bool
}

// String returns one line for people and for programs that jump to files.
func (f Finding) String() string {
	parts := []string{f.File + ":" + strconv.Itoa(f.Line)}
	if f.Warning {
		parts = append(parts, "warning")
	}
	for _, part := range []string{f.Object, f.Field, f.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Read returns the objects of a file of YAML documents, or of JSON; those of lists one by one. A document that cannot
// be read is a finding, the others are returned.
func Read(file string, text []byte) ([]Object, []Finding) {
	var objects []Object
	var findings []Finding
	for _, d := range split(string(text)) {
		found, err := d.objects(file)
		if err != nil {
			findings = append(findings, Finding{File: file, Line: d.lineOf(err), Message: err.Error()})
		}
		objects = append(objects, found...)
	}
	return objects, findings
}

// document is one document of a file.
type document struct {
	line int
	text string
	// behind is what is in the line that begins it, behind "---", unless that is a comment.
	behind string
}

// split takes a file apart at the lines that begin with "---". Documents that hold comments only are left out.
func split(text string) []document {
	var documents []document
	var current strings.Builder
	begin, behind, n := 1, "", 0
	end := func() {
		if !blank(current.String()) {
			documents = append(documents, document{line: begin, text: current.String(), behind: behind})
		}
		current.Reset()
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		n++
		if rest, ok := strings.CutPrefix(line, "---"); ok && strings.TrimLeft(rest, " \t\r\n") != rest || line == "---" {
			end()
			begin, line = n, rest
			if behind = strings.TrimSpace(rest); strings.HasPrefix(behind, "#") {
				behind = ""
			}
		}
		current.WriteString(line)
	}
	end()
	return documents
}

// blank reports whether there is nothing but comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && line != "..." {
			return false
		}
	}
	return true
}

// unreadable is a document that the libraries of others refuse, with the line of the reason.
type unreadable struct {
	line int
	text string
}

func (u *unreadable) Error() string {
	return "the document cannot be read: neither kubectl nor Flux nor Argo CD reads " + u.text
}

// refused returns why others do not read a document that the parser may take: they split files at the lines that begin with "---", so that
// a directive is a document of its own. Nil if they do.
func (d document) refused() *unreadable {
	if d.behind != "" {
		return &unreadable{d.line, "text behind ---: begin a new line"}
	}
	n := d.line - 1
	for line := range strings.Lines(d.text) {
		if n++; blank(line) {
			continue
		}
		if strings.HasPrefix(line, "%") {
			return &unreadable{n, fmt.Sprintf("a file with the directive %s: remove the line", strings.Fields(line)[0])}
		}
		break
	}
	return nil
}

// objects reads a document.
func (d document) objects(file string) ([]Object, error) {
	if why := d.refused(); why != nil {
		return nil, why
	}
	text, err := yaml.YAMLToJSONStrict([]byte(d.text))
	if err != nil {
		// The lines in the parser's message are those of the file if as many empty ones come before.
		_, err = yaml.YAMLToJSONStrict([]byte(strings.Repeat("\n", d.line-1) + d.text))
		message := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		return nil, fmt.Errorf("the document cannot be read: %s", oneLine.Replace(message))
	}
	node := &yamlnode.Node{}
	if err := yamlnode.Unmarshal([]byte(d.text), node); err != nil {
		node = &yamlnode.Node{} // lines are those of the document then
	}
	return d.unfold(Object{File: file, Line: d.line, JSON: text, node: node})
}

// unfold returns an object, or those of a list.
func (d document) unfold(o Object) ([]Object, error) {
	var head struct {
		APIVersion string          `json:"apiVersion"`
		Kind       string          `json:"kind"`
		Metadata   json.RawMessage `json:"metadata"`
		Items      json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(o.JSON, &head); err != nil {
		return nil, nil // no manifest: values of a chart, settings of a program
	}
	if !strings.HasSuffix(head.Kind, "List") {
		o.APIVersion, o.Kind = head.APIVersion, head.Kind
		o.Namespace, o.Name = textIn(head.Metadata, "namespace"), textIn(head.Metadata, "name")
		return []Object{o}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(head.Items, &items); err != nil {
		return nil, nil // a kind whose name happens to end so
	}
	var objects []Object
	for i, item := range items {
		inner := o
		inner.JSON, inner.prefix = typed(item, head.APIVersion, strings.TrimSuffix(head.Kind, "List")), fmt.Sprintf("%sitems[%d].", o.prefix, i)
		below, err := d.unfold(inner)
		if err != nil {
			return nil, err
		}
		objects = append(objects, below...)
	}
	return objects, nil
}

// typed returns an item of a list with the version and the kind that the list is of, if it has neither: clients write lists of one kind so.
func typed(item json.RawMessage, version, kind string) json.RawMessage {
	var fields map[string]json.RawMessage
	if kind == "" || json.Unmarshal(item, &fields) != nil || fields == nil || fields["apiVersion"] != nil || fields["kind"] != nil {
		return item
	}
	whole := map[string]any{"apiVersion": version, "kind": kind}
	for name, value := range fields {
		whole[name] = value
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return item
	}
	return text
}

// textIn returns a text of a group; empty where there is none, or something else, such as a name that is a number
// because it has no quotes. The schema says so.
func textIn(group json.RawMessage, name string) (text string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(group, &fields) == nil {
		_ = json.Unmarshal(fields[name], &text) // stays empty
	}
	return text
}

// oneLine joins the lines of the parser, which writes one for each key that stands twice.
var oneLine = strings.NewReplacer(":\n  ", ": ", "\n  ", "; ", "\n", " ")

var lineInMessage = regexp.MustCompile(`line ([0-9]+)`)

// lineOf finds the line that the parser means.
func (d document) lineOf(err error) int {
	var why *unreadable
	if errors.As(err, &why) {
		return why.line
	}
	if m := lineInMessage.FindStringSubmatch(err.Error()); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return line
		}
	}
	return d.line
}
