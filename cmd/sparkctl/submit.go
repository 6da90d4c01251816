// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/offline"
	"github.com/sparkgate/sparkgate/internal/printer"
)

const submitText = `Creates a SparkApplication: from a manifest with -f, or from the arguments of spark-submit after --,
translated as by from-submit. The namespace is that of -n, otherwise that of the manifest, otherwise that of
the kubeconfig's context; for arguments of spark-submit, that of -n or spark.kubernetes.namespace, otherwise
default.

` + waitText

// submitFlags are the flags of submit.
type submitFlags struct {
	cluster client.Options
	wait    waitFlags
	file    string
	version string
}

// newSubmit returns the command "sparkctl submit".
func newSubmit(s streams) *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		SuggestFor: []string{"create", "apply"},
		Use:        "submit -f FILE | -- ARGUMENT...", Short: "Create an application, and wait for its run", Long: submitText, DisableFlagsInUseLine: true,
		Example: "  sparkctl submit -f pi.yaml --wait\n  sparkctl submit -f pi.yaml --logs --timeout 2h\n" +
			"  sparkctl submit --wait -- --master k8s://https://example --deploy-mode cluster --name pi \\\n" +
			"    --conf spark.kubernetes.container.image=apache/spark:4.1.4 local:///opt/spark/examples/src/main/python/pi.py 100",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), args, s) },
	}
	addClusterFlags(c, &f.cluster)
	f.wait.declare(c)
	c.Flags().StringVarP(&f.file, "filename", "f", "", "the manifest of one SparkApplication; - is standard input")
	c.Flags().StringVar(&f.version, "spark-version", "", "the `VERSION` of Spark in the image, for arguments of spark-submit (default: the version at the beginning of the image tag)")
	c.Flags().SetInterspersed(false)
	return c
}

func (f *submitFlags) run(ctx context.Context, args []string, s streams) error {
	if err := f.check(args); err != nil {
		return err
	}
	manifest, err := f.manifest(args, s)
	if err != nil {
		return err
	}
	app, err := oneManifest(manifest)
	if err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	if namespace := app.GetNamespace(); f.cluster.Namespace() == "" && namespace != "" {
		c.Namespace = namespace
	}
	app.SetNamespace(c.Namespace)
	body, err := json.Marshal(app)
	if err != nil {
		return err
	}
	created, err := c.CreateApplication(ctx, c.Namespace, app.GetName(), body)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.err, "%s%s created in namespace %s\n", kindName, created.Name, created.Namespace); err != nil || !f.wait.wanted() {
		return err
	}
	return f.wait.await(ctx, awaited{cluster: c, name: created.Name, uid: created.UID, begun: func(now *v1alpha1.SparkApplication) bool {
		return now.Status.ObservedGeneration >= created.Generation
	}}, s)
}

// check validates the arguments and flags.
func (f *submitFlags) check(args []string) error {
	if (f.file == "") == (len(args) == 0) {
		return usageError{errors.New("name a manifest with -f FILE, or give the arguments of spark-submit after --")}
	}
	if len(args) > 0 && slices.Contains(manifestEndings, filepath.Ext(args[0])) {
		return usageError{fmt.Errorf("%s is a manifest: name it with -f %[1]s", args[0])}
	}
	return f.wait.check()
}

// manifest returns the text of the manifest. It prints what is wrong with the arguments of spark-submit.
func (f *submitFlags) manifest(args []string, s streams) (string, error) {
	if f.file != "" {
		text, err := read(f.file, s.in)
		if err != nil {
			err = fmt.Errorf("read the manifest: %w", err)
		}
		return text, err
	}
	submitted, err := offline.FromSubmit(offline.Submission{Arguments: withoutProgram(args), SparkVersion: f.version, Namespace: f.cluster.Namespace(), ReadFile: os.ReadFile})
	refused := printFindings("submit", submitted.Findings, s.err)
	for _, n := range submitted.Notes {
		fmt.Fprintf(s.err, "sparkctl submit: note: %s\n", n)
	}
	if err == nil && refused > 0 {
		err = fmt.Errorf("nothing was created, because the application would not run: %d to correct", refused)
	}
	return string(submitted.Manifest), err
}

// oneManifest parses a text with exactly one SparkApplication.
func oneManifest(text string) (*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), len(text)+1)
	for {
		object := &unstructured.Unstructured{}
		err := documents.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the manifest is not valid YAML: %w", err)
		}
		if len(object.Object) > 0 {
			found = append(found, object)
		}
	}
	const takes = "submit takes one SparkApplication of %s: apply others with kubectl"
	if len(found) != 1 {
		return nil, fmt.Errorf("the manifest has %s; "+takes, printer.Count(len(found), "object"), v1alpha1.GroupVersion)
	}
	app := found[0]
	if app.GetKind() != v1alpha1.SparkApplicationKind || app.GetAPIVersion() != v1alpha1.GroupVersion.String() {
		return nil, fmt.Errorf("the manifest has the kind %q of %q; "+takes, app.GetKind(), app.GetAPIVersion(), v1alpha1.GroupVersion)
	}
	return app, nil
}
