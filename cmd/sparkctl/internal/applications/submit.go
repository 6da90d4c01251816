// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const submitText = `Creates a SparkApplication: from a manifest with -f, or from the arguments of spark-submit after --,
translated as by from-submit. The namespace is that of -n, otherwise that of the manifest, otherwise that of
the kubeconfig's context; for arguments of spark-submit, that of -n or spark.kubernetes.namespace, otherwise
default.

` + runs.WaitText + `

With arguments of spark-submit it does what spark-submit does. It waits, unless they set
spark.kubernetes.submission.waitAppCompletion to false, or --wait is false. The exit code is that of the
driver, if it has one, and the last line of standard error is "exit code: N". The name gets a random end, so
that the same command can be called again. Values that look like secrets are put into a Secret that is deleted
with the application. The application is deleted a week after its end, or when --ttl says.`

// submitFlags are the flags of submit.
type submitFlags struct {
	cluster client.Options
	wait    runs.WaitFlags
	file    string
	version string
	output  string
	// queue and gate are those of an application made from arguments; empty for the defaults.
	queue, gate string
	// chosen reports that --wait was given.
	chosen bool
	// ttl is how long applications made from arguments of spark-submit are kept after their end; 0 is forever. Default: a
	// week. ttlChosen reports that it was given.
	ttl       time.Duration
	ttlChosen bool
}

const defaultTTL = 7 * 24 * time.Hour

// newSubmit returns the command "sparkctl submit".
func newSubmit(s cli.Streams) *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		SuggestFor: []string{"create", "apply"},
		Use:        "submit -f FILE | -- ARGUMENT...", Short: "Create an application, and wait for its run", Long: submitText, DisableFlagsInUseLine: true,
		Example: "  sparkctl submit -f pi.yaml --wait\n  sparkctl submit -f pi.yaml --logs --timeout 2h\n" +
			"  sparkctl submit --wait -- --master k8s://https://example --deploy-mode cluster --name pi \\\n" +
			"    --conf spark.kubernetes.container.image=apache/spark:4.1.4 local:///opt/spark/examples/src/main/python/pi.py 100",
		RunE: func(c *cobra.Command, args []string) error {
			f.chosen, f.ttlChosen = c.Flags().Changed("wait"), c.Flags().Changed("ttl")
			return f.run(c.Context(), args, s)
		},
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.wait.Declare(c)
	cli.AddOutputFlag(c, &f.output, "text", "json", "yaml", "name")
	c.Flags().StringVarP(&f.file, "filename", "f", "", "the manifest of one SparkApplication; - is standard input")
	c.Flags().StringVar(&f.version, "spark-version", "", "the `VERSION` of Spark in the image, for arguments of spark-submit (default: the version at the beginning of the image tag)")
	c.Flags().DurationVar(&f.ttl, "ttl", defaultTTL, "for arguments of spark-submit: delete the application this long after its end; 0 keeps it")
	c.Flags().StringVar(&f.queue, "queue", "", "for arguments of spark-submit: the queue (spec.queue.name)")
	c.Flags().StringVar(&f.gate, "gate", "", "for arguments of spark-submit: the gate (spec.queue.gate), such as Volcano")
	c.Flags().SetInterspersed(false)
	return c
}

func (f *submitFlags) run(ctx context.Context, args []string, s cli.Streams) error {
	if err := f.check(args); err != nil {
		return err
	}
	given, err := f.manifest(args, s)
	if err != nil {
		return err
	}
	app, err := f.application(given)
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
	f.secure(ctx, c, app)
	if isAnother(given.master, c.Host()) {
		fmt.Fprintf(s.Err, "sparkctl submit: note: --master: the application is created in the cluster of the kubeconfig, at %s; --context, before --, chooses another one\n", c.Host())
	}
	created, err := create(ctx, c, creation{app: app, secret: given.secret, newName: len(args) > 0}, s.Err)
	if err == nil {
		err = f.announce(created, s)
	}
	if err != nil || !f.wait.Wanted() {
		return err
	}
	err = f.wait.Await(ctx, runs.Awaited{Cluster: c, Name: created.Name, UID: created.UID, Begun: func(now *v1alpha1.SparkApplication) bool {
		return now.Status.ObservedGeneration >= created.Generation
	}}, s)
	if len(args) > 0 {
		return asSparkSubmit(err, s.Err)
	}
	return err
}

// application returns the application to create. One that was made from arguments is kept for a limited time.
func (f *submitFlags) application(from given) (*unstructured.Unstructured, error) {
	app, err := oneManifest(from.text)
	if err == nil && f.file == "" && f.ttl > 0 {
		err = unstructured.SetNestedField(app.Object, f.ttl.String(), "spec", "ttlAfterFinished")
	}
	return app, err
}

// secure sets the Pod Security Standard of an application that was made from arguments to the one that its namespace
// enforces, if it enforces one: the pods of spark-submit would be refused there. A namespace that the caller may not
// read counts as one that enforces none.
func (f *submitFlags) secure(ctx context.Context, c *client.Cluster, app *unstructured.Unstructured) {
	if f.file != "" {
		return
	}
	namespace, err := client.GetObject[corev1.Namespace](ctx, c, client.Namespaces, c.Namespace)
	if err != nil {
		return
	}
	if level := namespacepolicy.Of(namespace).Enforced; level != "" {
		_ = unstructured.SetNestedField(app.Object, string(level), "spec", "podSecurity") // spec is an object
	}
}

// announce prints what was created.
func (f *submitFlags) announce(created *v1alpha1.SparkApplication, s cli.Streams) error {
	_, err := fmt.Fprintf(s.Err, "%s%s created in namespace %s\n", cli.KindName, created.Name, created.Namespace)
	switch {
	case err != nil:
	case f.output == "name":
		_, err = fmt.Fprintln(s.Out, cli.KindName+created.Name)
	case f.output == "json", f.output == "yaml":
		created.ManagedFields = nil
		err = cli.WriteObject(s.Out, f.output, created)
	}
	return err
}

// asSparkSubmit gives the result of a run the form that spark-submit gives it: the exit code of the driver, which the last
// line repeats. Programs that call spark-submit look for that line.
func asSparkSubmit(err error, notes io.Writer) error {
	const line = "exit code: %d"
	var ended *runs.RunEnded
	switch {
	case err == nil:
		_, err = fmt.Fprintf(notes, line+"\n", 0)
	case errors.As(err, &ended) && ended.ExitCode > 0:
		return cli.WithExitCode(ended.ExitCode, fmt.Errorf("%w\n"+line, err, ended.ExitCode))
	}
	return err
}

// check validates the arguments and flags. With arguments of spark-submit, the command waits unless that was ruled out.
func (f *submitFlags) check(args []string) error {
	if (f.file == "") == (len(args) == 0) {
		return cli.UsageErrorf("name a manifest with -f FILE, or give the arguments of spark-submit after --")
	}
	if len(args) > 0 && slices.Contains(cli.ManifestEndings, filepath.Ext(args[0])) {
		return cli.UsageErrorf("%s is a manifest; use -f %[1]s", args[0])
	}
	if f.file != "" && (f.ttlChosen || f.queue+f.gate != "") {
		return cli.UsageErrorf("--ttl, --queue and --gate are for arguments of spark-submit: set spec.ttlAfterFinished and spec.queue in the manifest")
	}
	if f.ttl < 0 || f.ttl > 0 && f.ttl < time.Second {
		return cli.UsageErrorf("--ttl is %s; set it to a time such as 24h, or to 0 to keep the application", f.ttl)
	}
	f.wait.Wait = f.wait.Wait || len(args) > 0 && !f.chosen
	return f.wait.Check()
}

// isAnother reports whether the address of a master is that of another API server than host. The names by which pods
// reach their own API server are not compared.
func isAnother(master, host string) bool {
	wanted, err := url.Parse(withScheme(master))
	current, hostErr := url.Parse(withScheme(host))
	if master == "" || err != nil || hostErr != nil || strings.HasPrefix(wanted.Hostname(), "kubernetes.default") {
		return false
	}
	return !strings.EqualFold(wanted.Hostname(), current.Hostname()) || portOf(wanted) != portOf(current)
}

// withScheme returns an address with the scheme that Spark and kubectl take it for.
func withScheme(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}

// portOf returns the port of an address.
func portOf(at *url.URL) string {
	return cmp.Or(at.Port(), map[string]string{"http": "80"}[at.Scheme], "443")
}

// given is a manifest that was given, or made from arguments.
type given struct {
	text string
	// secret is the Secret that the application uses; nil for none. master is that of the arguments.
	secret *corev1.Secret
	master string
}

// manifest returns what is to be created. It prints what is wrong with the arguments of spark-submit.
func (f *submitFlags) manifest(args []string, s cli.Streams) (given, error) {
	if f.file != "" {
		text, err := cli.Read(f.file, s.In)
		if err != nil {
			err = fmt.Errorf("read the manifest: %w", err)
		}
		return given{text: text}, err
	}
	submitted, err := offline.FromSubmit(offline.Submission{
		Arguments: cli.WithoutProgram(args), SparkVersion: f.version, Namespace: f.cluster.Namespace(), ReadFile: os.ReadFile,
		Suffix: "-" + rand.String(suffixLength), CreatesSecret: true, Queue: f.queue, Gate: f.gate, Variable: os.Getenv,
	})
	refused := cli.PrintFindings("submit", submitted.Findings, s.Err)
	for _, n := range submitted.Notes {
		fmt.Fprintf(s.Err, "sparkctl submit: note: %s\n", n)
	}
	if err == nil && refused > 0 {
		err = fmt.Errorf("nothing was created, because the application would not run: %d to correct", refused)
	}
	if !submitted.Waits && !f.chosen {
		f.wait.Wait = false
	}
	return given{string(submitted.Manifest), submitted.Secret, submitted.Master}, err
}

// suffixLength is the length of the random end of a name, as in names that the API server generates.
const suffixLength = 5

// oneManifest parses a text with exactly one SparkApplication.
func oneManifest(text string) (*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		object := &unstructured.Unstructured{}
		if err == nil {
			err = yaml.UnmarshalStrict(document, &object.Object)
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
		return nil, fmt.Errorf("the manifest is a %s (%s); "+takes, app.GetKind(), app.GetAPIVersion(), v1alpha1.GroupVersion)
	}
	return app, nil
}
