// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command crds numbers the CustomResourceDefinitions that controller-gen has written into a folder: their annotation
// sparkgate.io/schema is a number and a hash of the schema. The number is that of the same file in config/crd/bases, or
// the next one if the schema has changed. So an operator knows whether a CRD is older than itself.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

const bases = "config/crd/bases"

// generated is the line after which the annotation is written.
var generated = regexp.MustCompile(`(?m)^    controller-gen\.kubebuilder\.io/version: .*\n`)

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[len(os.Args)-1], "*.yaml"))
	if err == nil && len(files) == 0 {
		err = errors.New("name a folder with CRDs")
	}
	for _, file := range files {
		err = errors.Join(err, rewrite(file))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "crds: %v\n", err)
		os.Exit(1)
	}
}

// rewrite numbers one file.
func rewrite(file string) error {
	fresh, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	former, err := os.ReadFile(filepath.Join(bases, filepath.Base(file)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, err := numbered(fresh, former)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o644)
}

// definition is the part of a CRD that matters here.
type definition struct {
	Metadata struct{ Annotations map[string]string }
	Spec     any
}

// numbered returns a CRD with its annotation.
func numbered(fresh, former []byte) ([]byte, error) {
	var is, was definition
	if err := errors.Join(yaml.Unmarshal(fresh, &is), yaml.Unmarshal(former, &was)); err != nil {
		return nil, err
	}
	schema, err := json.Marshal(withoutDescriptions(is.Spec))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(schema)
	hash := hex.EncodeToString(sum[:4])
	number, before, _ := strings.Cut(was.Metadata.Annotations["sparkgate.io/schema"], "-")
	n, err := strconv.Atoi(number)
	if number != "" && err != nil {
		return nil, err
	}
	if before != hash {
		n++
	}
	if !generated.Match(fresh) {
		return nil, errors.New("controller-gen has not written its annotation")
	}
	return generated.ReplaceAll(fresh, fmt.Appendf(nil, "${0}    sparkgate.io/schema: %d-%s\n", n, hash)), nil
}

// withoutDescriptions returns a value without the texts of a schema, which nothing depends on.
func withoutDescriptions(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, of := range v {
			if _, text := of.(string); key != "description" || !text {
				kept[key] = withoutDescriptions(of)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutDescriptions(v[i])
		}
		return kept
	}
	return value
}
