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
	"sync"

	yamlnode "sigs.k8s.io/yaml/goyaml.v3"

	"sigs.k8s.io/yaml"
)

// Object is one object of a file.
type Object struct {
	File string
	// Line is the line at which its document begins, from 1.
	Line int
	// APIVersion, Kind, Namespace and Name are as they are written.
	APIVersion, Kind, Namespace, Name string
	// JSON is the object in JSON.
	JSON []byte

	// node parses the document once, for its lines; prefix is the path of the object in it.
	node   func() *yamlnode.Node
	prefix string
}

// Finding is a mistake in a file, or a warning about it.
type Finding struct {
	File string
	// Line is counted from 1.
	Line int
	// Object is kind and name; empty if the file cannot be parsed.
	Object string
	// Field is the full path; empty if the finding is about the whole document.
	Field string
	// Message says what is wrong with the value and what to do, without the field.
	Message string
	// Warning reports that the API server accepts the object and the job may run: the finding is about a field that
	// this version does not honour, or about something that should be changed.
	Warning bool

	// stops reports that the operator does not run the object, although the finding is a warning.
	stops bool
}

// String returns one line, in a form that editors can parse to jump to the place.
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

// Read returns the objects of a file of YAML documents or JSON, including the items of lists. What is not a manifest,
// such as the values of a chart, is an object without kind. A document that cannot be parsed becomes a finding; the
// others are returned.
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
	// behind is the text after "---" in the line that begins the document, unless it is a comment.
	behind string
}

// split splits a file at the lines that begin with "---". It leaves out documents with nothing but comments.
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

// blank reports whether a text has nothing but comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && line != "..." {
			return false
		}
	}
	return true
}

// unreadable is the error for a document that kubectl, Flux or Argo CD would refuse, with the line of the cause.
type unreadable struct {
	line int
	text string
}

func (u *unreadable) Error() string {
	return "the document cannot be read: neither kubectl nor Flux nor Argo CD reads " + u.text
}

// refused returns why other programs refuse a document that the parser may accept; nil if they accept it. They split
// files at the lines that begin with "---", so that a directive becomes a document of its own.
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

// objects returns the objects of a document.
func (d document) objects(file string) ([]Object, error) {
	if why := d.refused(); why != nil {
		return nil, why
	}
	text, err := d.toJSON()
	if err != nil {
		// The line numbers in the message are those of the file if as many empty lines are put before the document.
		_, err = yaml.YAMLToJSONStrict([]byte(strings.Repeat("\n", d.line-1) + d.text))
		message := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		return nil, fmt.Errorf("the document cannot be read: %s", oneLine.Replace(message))
	}
	return unfold(Object{File: file, Line: d.line, JSON: text, node: sync.OnceValue(d.node)}), nil
}

// toJSON converts the document to JSON. JSON is returned unchanged, because programs write it, and it may be large.
func (d document) toJSON() ([]byte, error) {
	if text := []byte(d.text); strings.HasPrefix(strings.TrimSpace(d.text), "{") && json.Valid(text) {
		return text, nil
	}
	return yaml.YAMLToJSONStrict([]byte(d.text))
}

// node parses the document for its lines. If that fails, findings have the line of the document.
func (d document) node() *yamlnode.Node {
	node := &yamlnode.Node{}
	if err := yamlnode.Unmarshal([]byte(d.text), node); err != nil {
		return &yamlnode.Node{}
	}
	return node
}

// unfold returns the object, or the items if it is a list.
func unfold(o Object) []Object {
	o.readHead()
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if !strings.HasSuffix(o.Kind, "List") {
		return []Object{o}
	}
	if err := json.Unmarshal(o.JSON, &list); err != nil {
		return nil // it is a kind whose name happens to end like a list
	}
	var objects []Object
	for i, item := range list.Items {
		item = typed(item, o.APIVersion, strings.TrimSuffix(o.Kind, "List"))
		objects = append(objects, unfold(o.Below(fmt.Sprintf("items[%d]", i), item))...)
	}
	return objects
}

// Below returns the object that a field of this one contains.
func (o Object) Below(field string, text []byte) Object {
	inner := Object{File: o.File, Line: o.Line, JSON: text, node: o.node, prefix: o.prefix + field + "."}
	inner.readHead()
	return inner
}

// readHead sets version, kind, namespace and name; none if the document is not a manifest.
func (o *Object) readHead() {
	var head struct {
		APIVersion string          `json:"apiVersion"`
		Kind       string          `json:"kind"`
		Metadata   json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(o.JSON, &head) == nil {
		o.APIVersion, o.Kind = head.APIVersion, head.Kind
		o.Namespace, o.Name = textIn(head.Metadata, "namespace"), textIn(head.Metadata, "name")
	}
}

// typed returns an item of a list with the version and kind that follow from the list, if it has neither. Some clients
// write lists of one kind in that form.
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

// textIn returns a string field of an object; empty if it is missing, or not a string, such as a numeric name without
// quotes. The schema reports that.
func textIn(group json.RawMessage, name string) (text string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(group, &fields) == nil {
		_ = json.Unmarshal(fields[name], &text) // it stays empty
	}
	return text
}

// oneLine joins the lines of a parser's message, which has one line for each duplicate key.
var oneLine = strings.NewReplacer(":\n  ", ": ", "\n  ", "; ", "\n", " ")

var lineInMessage = regexp.MustCompile(`line ([0-9]+)`)

// lineOf returns the line that an error is about.
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
