// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// FilesFolder replaces the folder of a recording's files in arguments, variables and requests.
const FilesFolder = "/TMP"

// Recording is a recorded run of spark-submit. Unknown keys in its file are ignored.
type Recording struct {
	// Name is the name of the recording; it may be empty.
	Name string `json:"name"`
	// SparkVersion is the version of spark-submit, such as 4.1.4.
	SparkVersion string `json:"sparkVersion"`
	// Args are all arguments of spark-submit.
	Args []string `json:"args"`
	// Env are additions to a clean environment; nil removes a variable.
	Env map[string]*string `json:"env"`
	// Files and FilesBase64 are the files that the arguments name, as text and in base64.
	Files       map[string]string `json:"files"`
	FilesBase64 map[string]string `json:"filesBase64"`
	// ServerRefuses are requests that the server refused, such as "POST pods", with the answer.
	ServerRefuses map[string]any `json:"serverRefuses"`
	// Requests are in the order in which they were sent.
	Requests []Request `json:"requests"`
	// Exit is the exit code of spark-submit; ErrorLines are its error messages.
	Exit       int      `json:"exit"`
	ErrorLines []string `json:"errorLines"`
	StderrTail text     `json:"stderrTail"`
}

// Request is one request to the API server.
type Request struct {
	Method string `json:"method"`
	// Path may include a query.
	Path string `json:"path"`
	// Body is the body as text; empty if there was none.
	Body text `json:"body"`
}

// text is a JSON string, or the text of any other JSON value.
type text string

// UnmarshalJSON decodes a string as it is, null as empty, and any other value as its text.
func (t *text) UnmarshalJSON(raw []byte) error {
	var plain *string
	if json.Unmarshal(raw, &plain) == nil {
		if plain != nil {
			*t = text(*plain)
		}
		return nil
	}
	*t = text(raw)
	return nil
}

// Read parses a recording. An error says what is missing or invalid.
func Read(file []byte) (*Recording, error) {
	var r Recording
	if err := json.Unmarshal(bytes.TrimPrefix(file, []byte("\uFEFF")), &r); err != nil {
		return nil, fmt.Errorf("it is not a recording in JSON: %w", err)
	}
	switch {
	case r.SparkVersion == "":
		return nil, errors.New("it does not say sparkVersion: write the version of spark-submit, such as 4.1.4")
	case len(r.Args) == 0:
		return nil, errors.New("it has no args: write the arguments of spark-submit")
	}
	files := map[string]string{}
	for name, content := range r.FilesBase64 {
		decoded, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return nil, fmt.Errorf("filesBase64[%s] is not valid base64: %w", name, err)
		}
		files[clean(name)] = string(decoded)
	}
	for name, content := range r.Files {
		files[clean(name)] = content
	}
	r.Files = files
	return &r, nil
}

// clean returns the name of a file relative to the folder of the files.
func clean(name string) string {
	for _, scheme := range []string{"file://", "file:"} {
		name = strings.TrimPrefix(name, scheme)
	}
	return strings.TrimPrefix(strings.TrimPrefix(path.Clean("/"+name), FilesFolder), "/")
}

// ReadFile returns a file by the name that an argument uses for it.
func (r *Recording) ReadFile(name string) ([]byte, error) {
	if content, ok := r.Files[clean(name)]; ok {
		return []byte(content), nil
	}
	return nil, fmt.Errorf("%s: %w", name, os.ErrNotExist)
}

// Folder returns the files directly in a folder by name; none if the folder is not known.
func (r *Recording) Folder(name string) map[string]string {
	files := map[string]string{}
	for file, content := range r.Files {
		if path.Dir("/"+file) == path.Clean("/"+clean(name)) {
			files[path.Base(file)] = content
		}
	}
	return files
}

// Environment returns the variables that are set.
func (r *Recording) Environment() map[string]string {
	set := map[string]string{}
	for name, value := range r.Env {
		if value != nil {
			set[name] = *value
		}
	}
	return set
}

// Refused reports whether spark-submit refused the configuration itself: it failed although the server had not refused
// anything.
func (r *Recording) Refused() bool {
	return r.Exit != 0 && !r.sentPod() && len(r.ServerRefuses) == 0
}

// sentPod reports whether the driver was sent.
func (r *Recording) sentPod() bool {
	return slices.ContainsFunc(r.Requests, func(q Request) bool {
		return strings.EqualFold(q.Method, "POST") && strings.HasSuffix(q.place(), "/pods")
	})
}

// place returns the path without its query.
func (q Request) place() string {
	place, _, _ := strings.Cut(q.Path, "?")
	return strings.TrimSuffix(place, "/")
}

// Message returns what spark-submit printed when it failed.
func (r *Recording) Message() string {
	for _, line := range append(slices.Clone(r.ErrorLines), string(r.StderrTail)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "exit code " + fmt.Sprint(r.Exit)
}
