// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Recorded is a submission in one file, as sparkctl diff-submit reads it: with nothing normalised but the places of this machine.
type Recorded struct {
	SparkVersion string `json:"sparkVersion"`
	Name         string `json:"name"`
	Description  string `json:"description"`
	// Args are all arguments of spark-submit; Env are variables beyond those of a clean environment; Files what the arguments name.
	Args  []string          `json:"args"`
	Env   map[string]string `json:"env,omitempty"`
	Files map[string]string `json:"files,omitempty"`
	// Requests in the order in which they were sent.
	Requests []RecordedRequest `json:"requests"`
	// Exit is the exit code.
	Exit int `json:"exit"`
	// ErrorLines are the lines that name the error; StderrTail is the end of what was printed, where there was one.
	ErrorLines []string `json:"errorLines,omitempty"`
	StderrTail string   `json:"stderrTail,omitempty"`
}

// RecordedRequest is a request as it was sent.
type RecordedRequest struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	ContentType string `json:"contentType,omitempty"`
	Body        string `json:"body"`
}

// Places of this machine and what stands for them in files.
const (
	filesFolder = "/TMP"
	sparkFolder = "/SPARK_HOME"
)

var errorLine = regexp.MustCompile(`^(Exception in thread|Caused by:|Error:)`)

// InOneFile returns the recording of a case as one file.
func InOneFile(c Case, run Run, spark *Spark) (string, error) {
	replace := strings.NewReplacer(run.Folder, filesFolder, spark.Home, sparkFolder, run.Address, recordedAddress,
		strings.Replace(run.Address, ":", `\\:`, 1), strings.Replace(recordedAddress, ":", `\\:`, 1)).Replace
	r := Recorded{
		SparkVersion: spark.Version, Name: c.Name, Description: strings.Join(strings.Fields(c.Description), " "),
		Env: map[string]string{"SPARK_USER": "spark"}, Files: map[string]string{}, Requests: []RecordedRequest{}, Exit: run.Exit,
	}
	for _, arg := range c.Command("k8s://http://"+run.Address, spark.Version) {
		r.Args = append(r.Args, replace(arg))
	}
	maps.Copy(r.Env, c.Env)
	for name, content := range c.ConfFiles {
		r.Env["SPARK_CONF_DIR"] = filesFolder + "/conf"
		r.Files["conf/"+name] = content
	}
	maps.Copy(r.Files, c.Files)
	for name, template := range c.templateFiles() {
		if template == nil {
			continue
		}
		text, err := podFile(template)
		if err != nil {
			return "", err
		}
		r.Files[name] = text
	}
	for _, request := range run.Requests {
		r.Requests = append(r.Requests, RecordedRequest{request.Method, target(request), request.ContentType, replace(string(request.Text))})
	}
	if run.Failed {
		r.tellError(replace(run.Output))
	}
	return jsonText(r)
}

// tellError keeps the error of what was printed.
func (r *Recorded) tellError(output string) {
	const longest = 4000
	r.StderrTail = output[max(0, len(output)-longest):]
	for line := range strings.Lines(output) {
		if errorLine.MatchString(line) {
			r.ErrorLines = append(r.ErrorLines, strings.TrimSpace(line))
		}
	}
}

// recordInOneFile records cases into files of a folder.
func recordInOneFile(ctx context.Context, submitter *Submitter, folder string, cases []Case, log io.Writer) (err error) {
	java, err := StartOneJava(ctx, submitter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, java.Close()) }()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return (recorder{submitter, java.Submit, folder, log}).all(ctx, cases, recorder.inOneFile)
}

// inOneFile records a case into one file and returns how many seconds spark-submit took.
func (r recorder) inOneFile(ctx context.Context, c Case) (float64, error) {
	run, err := r.submit(ctx, c)
	if err != nil {
		return 0, err
	}
	text, err := InOneFile(c, run, r.submitter.Spark)
	if err != nil {
		return 0, err
	}
	for _, secret := range secrets(r.submitter.Spark, run) {
		if strings.Contains(text, secret) {
			return 0, fmt.Errorf("%q of this machine is in it", secret)
		}
	}
	return run.Ended.Sub(run.Started).Seconds(), os.WriteFile(filepath.Join(r.out, c.Name+".json"), []byte(text), 0o644)
}
