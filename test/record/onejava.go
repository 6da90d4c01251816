// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// submissions is the program that makes many submissions in one Java.
//
//go:embed Submissions.java
var submissions string

// OneJava makes submissions in one Java process, of which each takes a tenth of a second instead of seconds. Cases with variables or a conf
// folder of their own need a process of their own, because a process cannot change them: those are left to the Submitter.
type OneJava struct {
	*Submitter
	// folder has the program, and below it the working folder.
	folder  string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// StartOneJava starts the process. Close ends it.
func StartOneJava(ctx context.Context, s *Submitter) (o *OneJava, err error) {
	o = &OneJava{Submitter: s}
	if o.folder, err = os.MkdirTemp("", "spark-record-"); err != nil {
		return nil, fmt.Errorf("make a working folder: %w", err)
	}
	work := filepath.Join(o.folder, "work")
	source := filepath.Join(o.folder, "Submissions.java")
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(source, []byte(submissions), 0o644); err != nil {
		return nil, err
	}
	confDir := filepath.Join(s.Spark.Cache, "empty-conf")
	args := append(javaFlags(), "-Djava.properties.date="+fixedDate, "-Duser.home="+work)
	o.command = exec.CommandContext(ctx, javaProgram(), append(args, "-cp", confDir+":"+filepath.Join(s.Spark.Home, "jars", "*"), source)...)
	o.command.Dir, o.command.Env, o.command.Stderr = work, s.environment(Case{}, confDir, work), os.Stderr
	if o.in, err = o.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out = bufio.NewReader(out)
	return o, o.command.Start()
}

// Close ends the process.
func (o *OneJava) Close() error {
	return errors.Join(o.in.Close(), o.command.Wait(), os.RemoveAll(o.folder))
}

// Submit makes one submission.
func (o *OneJava) Submit(ctx context.Context, c Case) (run Run, err error) {
	if len(c.Env) > 0 || c.ConfFiles != nil {
		return o.Submitter.Submit(ctx, c)
	}
	run.Folder, run.Address = o.command.Dir, o.Server.Address()
	if err := empty(run.Folder); err != nil {
		return run, err
	}
	if _, err := o.prepare(c, run.Folder); err != nil {
		return run, err
	}
	var words []string
	for _, arg := range c.Command("k8s://http://"+run.Address, o.Spark.Version) {
		words = append(words, "_"+base64.StdEncoding.EncodeToString([]byte(arg)))
	}
	run.Started = o.Now()
	if _, err := io.WriteString(o.in, strings.Join(words, " ")+"\n"); err != nil {
		return run, err
	}
	answer, err := o.out.ReadString('\n')
	if err != nil {
		return run, fmt.Errorf("spark-submit ended: %w", err)
	}
	run.Ended = o.Now()
	exit, printed, _ := strings.Cut(strings.TrimSpace(answer), " ")
	output, err := base64.StdEncoding.DecodeString(printed)
	if err != nil {
		return run, fmt.Errorf("read the answer: %w", err)
	}
	if run.Exit, err = strconv.Atoi(exit); err != nil {
		return run, fmt.Errorf("read the answer: %w", err)
	}
	run.Output, run.Failed = string(output), run.Exit != 0
	run.Requests, err = o.Server.Take()
	return run, err
}

// empty removes what is in a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
