// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// propertyName is what names of Spark's properties look like. So do a few other constants.
var propertyName = regexp.MustCompile(`^spark(\.[A-Za-z][A-Za-z0-9_-]*)+$`)

// recordProperties adds the names of Spark's properties to a file, one a line: the constants of its classes that look like one. Spark
// documents fewer than it reads. Names of other versions that the file has stay.
func recordProperties(ctx context.Context, o options, log io.Writer) error {
	spark, err := FindSpark(ctx, o.version, log)
	if err != nil {
		return err
	}
	jars, err := filepath.Glob(filepath.Join(spark.Home, "jars", "spark-*-"+o.version+".jar"))
	if err != nil {
		return err
	}
	names, err := namesIn(o.properties)
	if err != nil {
		return err
	}
	for _, jar := range jars {
		if err := propertiesOf(jar, names); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(jar), err)
		}
	}
	fmt.Fprintf(log, "%d properties\n", len(names))
	return os.WriteFile(o.properties, []byte(strings.Join(slices.Sorted(maps.Keys(names)), "\n")+"\n"), 0o644)
}

// namesIn returns the names in a file; none if it does not exist.
func namesIn(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	names := map[string]bool{}
	for name := range strings.FieldsSeq(string(text)) {
		names[name] = true
	}
	return names, nil
}

// propertiesOf adds the properties of a jar.
func propertiesOf(jar string, names map[string]bool) error {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, ".class") {
			continue
		}
		reader, err := file.Open()
		if err != nil {
			return err
		}
		class, err := io.ReadAll(reader)
		if err != nil {
			return err
		}
		constants, err := constantsOf(class)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		for _, text := range constants {
			if propertyName.MatchString(text) {
				names[text] = true
			}
		}
	}
	return nil
}

// sizeOfConstant has the length in bytes of the entries of a constant pool, by their tags (Java Virtual Machine Specification, section 4.4).
var sizeOfConstant = map[byte]int{3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5, 19: 3, 20: 3}

// constantsOf returns the texts of the constant pool of a class.
func constantsOf(class []byte) ([]string, error) {
	const header, text = 10, 1
	if len(class) < header {
		return nil, errors.New("not a class")
	}
	var texts []string
	rest := class[header:]
	for entries := int(binary.BigEndian.Uint16(class[8:])) - 1; entries > 0; entries-- {
		if len(rest) < 3 {
			return nil, errors.New("the constant pool is cut off")
		}
		size := sizeOfConstant[rest[0]]
		if rest[0] == text {
			size = 3 + int(binary.BigEndian.Uint16(rest[1:]))
		}
		if size == 0 || size > len(rest) {
			return nil, fmt.Errorf("a constant with tag %d and %d bytes left", rest[0], len(rest))
		}
		if rest[0] == text {
			texts = append(texts, string(rest[3:size]))
		}
		if size == 9 { // takes two indexes
			entries--
		}
		rest = rest[size:]
	}
	return texts, nil
}
