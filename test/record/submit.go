// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// fixedDate is what Java writes in place of the date into a properties file.
const fixedDate = "DATE"

// Run is what one submission did.
type Run struct {
	Requests []Request
	// Output is what spark-submit printed.
	Output string
	// Failed says that spark-submit ended with an error.
	Failed bool
	// Exit is its exit code.
	Exit int
	// Started and Ended enclose the submission.
	Started, Ended time.Time
	// Folder was its working folder, Address the fake API server's.
	Folder, Address string
}

// Submitter runs spark-submit against a fake API server, one case at a time.
type Submitter struct {
	Spark  *Spark
	Server *Server
	// Archive is the class-data archive of this Spark and this Java; it need not exist yet.
	Archive string
	// Now is the clock.
	Now func() time.Time
}

// Submit runs the case in a fresh working folder.
func (s *Submitter) Submit(ctx context.Context, c Case) (run Run, err error) {
	run.Folder, err = os.MkdirTemp("", "spark-record-")
	if err != nil {
		return run, fmt.Errorf("make a working folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(run.Folder)) }()
	confDir, err := s.prepare(c, run.Folder)
	if err != nil {
		return run, err
	}
	run.Address = s.Server.Address()
	cmd := exec.CommandContext(ctx, filepath.Join(s.Spark.Home, "bin", "spark-submit"),
		c.Command("k8s://http://"+run.Address, s.Spark.Version)...)
	cmd.Dir = run.Folder
	cmd.Env = s.environment(c, confDir, run.Folder)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	run.Started = s.Now()
	err = cmd.Run()
	run.Ended = s.Now()
	run.Output = output.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return run, fmt.Errorf("run spark-submit: %w", err)
	}
	run.Failed, run.Exit = err != nil, cmd.ProcessState.ExitCode()
	run.Requests, err = s.Server.Take()
	return run, err
}

// prepare writes the files of the case and returns the conf folder to use: the
// same empty one for every case without own files, because Java accepts a
// class-data archive only with the class path that it was created with.
func (s *Submitter) prepare(c Case, folder string) (confDir string, err error) {
	confDir = filepath.Join(s.Spark.Cache, "empty-conf")
	if c.ConfFiles != nil {
		confDir = filepath.Join(folder, "conf")
	}
	if err := os.MkdirAll(confDir, 0o755); err != nil {
		return "", err
	}
	files := map[string]string{}
	for name, content := range c.ConfFiles {
		files[filepath.Join(confDir, name)] = content
	}
	for name, content := range c.Files {
		files[filepath.Join(folder, name)] = content
	}
	for name, template := range c.templateFiles() {
		if template == nil {
			continue
		}
		if files[filepath.Join(folder, name)], err = podFile(template); err != nil {
			return "", err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(name, strings.NewReader(files[name]), 0o644); err != nil {
			return "", err
		}
	}
	return confDir, nil
}

// podFile returns a pod template as spark-submit reads it: a whole Pod.
func podFile(template map[string]any) (string, error) {
	pod := maps.Clone(template)
	pod["apiVersion"], pod["kind"] = "v1", "Pod"
	text, err := yaml.Marshal(pod)
	return string(text), err
}

// environment has nothing of the caller's but where programs are.
func (s *Submitter) environment(c Case, confDir, folder string) []string {
	env := map[string]string{
		"PATH":                 os.Getenv("PATH"),
		"HOME":                 folder,
		"LANG":                 "C.UTF-8",
		"KUBECONFIG":           "/nonexistent",
		"SPARK_HOME":           s.Spark.Home,
		"SPARK_CONF_DIR":       confDir,
		"SPARK_USER":           "spark",
		"HADOOP_USER_NAME":     "spark",
		"SPARK_LOCAL_IP":       "127.0.0.1",
		"SPARK_LOCAL_HOSTNAME": "localhost",
		"SPARK_SUBMIT_OPTS":    strings.Join(s.javaOptions(folder), " "),
	}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		env["JAVA_HOME"] = home
	}
	maps.Copy(env, c.Env)
	list := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		list = append(list, key+"="+env[key])
	}
	return list
}

// javaOptions make submissions repeatable and fast. The class-data archive is
// written at the end of the first submission and read by the others.
func (s *Submitter) javaOptions(folder string) []string {
	options := []string{"-Djava.properties.date=" + fixedDate, "-Duser.home=" + folder, "-XX:TieredStopAtLevel=1", "-Xshare:auto"}
	if _, err := os.Stat(s.Archive); err == nil {
		return append(options, "-XX:SharedArchiveFile="+s.Archive)
	}
	return append(options, "-XX:ArchiveClassesAtExit="+s.Archive)
}

// javaProgram returns the Java of JAVA_HOME, else of the PATH.
func javaProgram() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin", "java")
	}
	return "java"
}

// javaFlags start a program that uses Spark's classes quickly, and open to it what they need of Java's own.
func javaFlags() []string {
	flags := []string{"-XX:TieredStopAtLevel=1"}
	for _, opened := range []string{"java.lang", "java.util", "java.nio", "java.net", "sun.nio.ch", "sun.security.action"} {
		flags = append(flags, "--add-opens=java.base/"+opened+"=ALL-UNNAMED")
	}
	return flags
}

// archiveFor names the class-data archive, which is of use only to the Java and to the Spark that made it.
func archiveFor(ctx context.Context, spark *Spark) (string, error) {
	java := javaProgram()
	version, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run %s -version (install a JDK or set JAVA_HOME): %w", java, err)
	}
	sum := sha256.Sum256([]byte(string(version) + spark.Home))
	return filepath.Join(spark.Cache, "submit-"+hex.EncodeToString(sum[:6])+".jsa"), nil
}
