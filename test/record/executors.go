// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// executorProgram is the program that builds executors.
//
//go:embed Executors.java
var executorProgram string

// executorFile is what the program writes for a case.
const executorFile = "executor.json"

// templateKey is the key of the executors' template in the driver's ConfigMap.
const templateKey = "podspec-configmap-key"

// applications are more SparkApplications whose executors are recorded: files of one, with "@VERSION@" for the version of Spark.
const applications = "../../internal/spark/podsets/testdata/applications"

// recordExecutors writes one file with the executors of all recorded applications of a version, a line each: as Spark builds them from what
// Sparkgate renders; null for those that Sparkgate refuses.
func recordExecutors(ctx context.Context, o options, log io.Writer) (err error) {
	spark, err := FindSpark(ctx, o.version, log)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "spark-record-")
	if err != nil {
		return fmt.Errorf("make a working folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	manifests, err := allManifests(filepath.Join(o.out, o.version), o.version)
	if err != nil {
		return err
	}
	rendered, err := renderAll(ctx, manifests, work)
	if err != nil {
		return err
	}
	if err := buildExecutors(ctx, spark, work); err != nil {
		return err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		line := "null"
		if rendered[name] {
			line, err = executorLine(filepath.Join(work, "cases", name))
		}
		if err != nil {
			return fmt.Errorf("case %s: %w", name, err)
		}
		if strings.Contains(line, work) {
			return fmt.Errorf("case %s: %q of this machine is in its executor", name, work)
		}
		lines = append(lines, fmt.Sprintf("  %q: %s", name, line))
	}
	fmt.Fprintf(log, "%d executors of %d applications\n", len(rendered), len(manifests))
	return os.WriteFile(o.executors, []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644)
}

// allManifests returns the recorded applications of a version, with the ConfigMaps that they refer to, and those in the folder applications, by
// name.
func allManifests(recordings, version string) (map[string]string, error) {
	archives, err := filepath.Glob(filepath.Join(recordings, "*"+archiveSuffix))
	if err != nil || len(archives) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no recording in %s: record the cases of this version first", recordings))
	}
	manifests := map[string]string{}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return nil, err
		}
		for _, file := range archive.Files {
			if file.Name == appFile || file.Name == inputsFile {
				manifests[strings.TrimSuffix(filepath.Base(path), archiveSuffix)] += "---\n" + string(file.Data)
			}
		}
	}
	more, err := filepath.Glob(filepath.Join(applications, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, path := range more {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		manifests[strings.TrimSuffix(filepath.Base(path), ".yaml")] = strings.ReplaceAll(string(text), "@VERSION@", version)
	}
	return manifests, nil
}

// renderAll renders applications into folders below work/cases, and returns the names of those that are not refused.
func renderAll(ctx context.Context, manifests map[string]string, work string) (map[string]bool, error) {
	sparkctl := filepath.Join(work, "sparkctl")
	build := exec.CommandContext(ctx, "go", "build", "-o", sparkctl, "./cmd/sparkctl")
	build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build sparkctl: %w", err)
	}
	rendered := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		data, err := render(ctx, sparkctl, manifests[name])
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", name, err)
		}
		if data == nil {
			continue
		}
		rendered[name] = true
		if err := writeCase(filepath.Join(work, "cases", name), data); err != nil {
			return nil, err
		}
	}
	return rendered, nil
}

// sparkctlRefuses is how sparkctl begins to say that an application is invalid.
const sparkctlRefuses = "sparkctl render: this cannot be rendered:"

// render returns the data of the driver's ConfigMap, nil if the application is refused.
func render(ctx context.Context, sparkctl, manifest string) (map[string]string, error) {
	command := exec.CommandContext(ctx, sparkctl, "render", "-f", "-")
	command.Stdin = strings.NewReader(manifest)
	output, err := command.Output()
	var refused *exec.ExitError
	if errors.As(err, &refused) && bytes.HasPrefix(refused.Stderr, []byte(sparkctlRefuses)) {
		return nil, nil
	}
	if refused != nil {
		return nil, fmt.Errorf("%w: %s", err, refused.Stderr)
	}
	if err != nil {
		return nil, err
	}
	for _, document := range strings.Split(string(output), "\n---\n") {
		var object struct {
			Kind string            `json:"kind"`
			Data map[string]string `json:"data"`
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return nil, err
		}
		if object.Kind == "ConfigMap" && object.Data[propertiesKey] != "" {
			return object.Data, nil
		}
	}
	return nil, errors.New("no ConfigMap with " + propertiesKey + " is rendered")
}

// writeCase writes what Spark's driver would read.
func writeCase(folder string, data map[string]string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{propertiesFile: data[propertiesKey], executorTemplateFile: data[templateKey]} {
		if content == "" {
			return fmt.Errorf("the rendered ConfigMap has no text for %s", name)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// buildExecutors runs the program over all cases.
func buildExecutors(ctx context.Context, spark *Spark, work string) error {
	program := filepath.Join(work, "Executors.java")
	if err := os.WriteFile(program, []byte(executorProgram), 0o644); err != nil {
		return err
	}
	args := append(javaFlags(), "-cp", filepath.Join(spark.Home, "jars", "*"), program, filepath.Join(work, "cases"))
	command := exec.CommandContext(ctx, javaProgram(), args...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "LANG=C.UTF-8", "KUBECONFIG=/nonexistent", "SPARK_LOCAL_IP=127.0.0.1", "HADOOP_USER_NAME=spark"}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build executors with Spark %s: %w\n%s", spark.Version, err, output)
	}
	return nil
}
