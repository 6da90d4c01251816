// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/schema"
)

// Note is about something that was left out or changed, and why.
type Note struct {
	// Subject is an option, a property or a field.
	Subject string
	Message string
}

// Input is a spark-submit command.
type Input struct {
	// Arguments are those of spark-submit, without its name.
	Arguments []string
	// SparkVersion is the version of Spark in the image. If empty, it is taken from the tag of the image.
	SparkVersion string
	// Namespace is the namespace of the application. If empty, it is taken from the arguments, else it is default.
	Namespace string
	// ReadFile reads the files that the arguments name: properties and pod templates.
	ReadFile func(name string) ([]byte, error)
	// Machine is what spark-submit reads from its machine; nil if that is ignored.
	Machine *Machine
	// Suffix is appended to the name of the application, so that the same command can be submitted again.
	Suffix string
	// CreatesSecret reports that the caller creates the Secret that the application uses. Otherwise a note asks for it.
	CreatesSecret bool
	// Queue and Gate are those of the application; empty for the defaults.
	Queue, Gate string
	// Variable returns an environment variable of the machine, of which notes say that it is not read; nil for no notes.
	Variable func(name string) string
}

// Translation is the application for a spark-submit command.
type Translation struct {
	// Application is complete as far as possible if Translate returns an error, or nil.
	Application *v1alpha1.SparkApplication
	Notes       []Note
	// Secrets are the values of the Secret SecretName that the application uses, by key.
	Secrets map[string]string
	// Waits reports whether spark-submit would wait for the end of the job.
	Waits bool
	// Master is the address of the API server to which spark-submit would send the job; empty if it is not given.
	Master string
}

// SecretName returns the name of the Secret with the values of an application that looked like secrets.
func SecretName(application string) string { return application + "-secrets" }

// Translate returns the application for a spark-submit command, which is not checked yet. It returns an error if the
// command does not submit a job to Kubernetes in cluster mode, or if something indispensable is missing. The error
// names all such mistakes, without the passwords in their values.
func Translate(in Input) (Translation, error) {
	translated, err := translation(in)
	if err == nil {
		return translated, nil
	}
	if text := redact.Mask(err.Error()); text != err.Error() {
		err = &hushed{text, err}
	}
	return translated, err
}

// hushed is an error without the passwords in its text.
type hushed struct {
	text  string
	cause error
}

func (h *hushed) Error() string { return h.text }
func (h *hushed) Unwrap() error { return h.cause }

// translation is Translate with the passwords in errors.
func translation(in Input) (Translation, error) {
	called, err := parse(in.Arguments)
	if err != nil {
		return Translation{}, err
	}
	properties, err := called.properties(in)
	if err != nil {
		return Translation{}, err
	}
	if err := checkMaster(properties); err != nil {
		return Translation{}, err
	}
	b := builder{app: &v1alpha1.SparkApplication{}, known: knownFields(), properties: properties, notes: called.notes, verbatim: in.Machine != nil}
	b.app.APIVersion, b.app.Kind = v1alpha1.GroupVersion.String(), v1alpha1.SparkApplicationKind
	if b.schema, _, err = schema.Of(v1alpha1.SparkApplicationKind); err != nil {
		return Translation{}, err
	}
	waits := !strings.EqualFold(strings.TrimSpace(properties[waitForEnd]), "false")
	master, onKubernetes := strings.CutPrefix(properties[conf.Master], "k8s://")
	if !onKubernetes {
		master = ""
	}
	b.program(called)
	mistakes := []error{b.cluster(in.Namespace), b.metadata(called, in.Suffix), b.templates(in.ReadFile)}
	if in.Namespace != "" {
		b.app.Namespace = in.Namespace
	}
	if in.Queue != "" || in.Gate != "" {
		b.app.Spec.Queue = &v1alpha1.QueueReference{Name: in.Queue, Gate: v1alpha1.GateType(in.Gate)}
	}
	b.noteMachine(in.Variable, properties)
	b.security()
	b.image()
	b.heaps()
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		b.place(key, properties[key])
	}
	if !in.CreatesSecret {
		b.noteSecretToCreate()
	}
	mistakes = append(mistakes, b.version(in.SparkVersion), called.checkVersion(b.app.Spec.SparkVersion))
	return Translation{Application: b.app, Notes: b.notes, Secrets: b.secrets, Waits: waits, Master: master}, errors.Join(mistakes...)
}

// checkVersion refuses options that came after a version of Spark.
func (c *call) checkVersion(sparkVersion string) error {
	if c.loadDefaults && strings.HasPrefix(sparkVersion, "3.") {
		return fmt.Errorf("%s came with Spark 4.0: leave it out", optionDefaults)
	}
	if len(c.extraFiles) > 0 && slices.ContainsFunc([]string{"3.", "4.0.", "4.1."}, func(s string) bool { return strings.HasPrefix(sparkVersion, s) }) {
		return fmt.Errorf("%s came with Spark 4.2: put all properties into the file of %s", optionExtra, optionProperties)
	}
	return nil
}

// properties merges those of the files, of --conf and of options; later ones win.
func (c *call) properties(in Input) (map[string]string, error) {
	properties := map[string]string{}
	if c.propertiesFile != "" {
		if err := in.addFile(properties, optionProperties, c.propertiesFile); err != nil {
			return nil, err
		}
	}
	for _, file := range c.extraFiles {
		if err := in.addFile(properties, optionExtra, file); err != nil {
			return nil, err
		}
	}
	c.addDefaults(properties, in.Machine)
	maps.Copy(properties, c.conf)
	maps.Copy(properties, c.options)
	return properties, in.Machine.addVariables(properties, c.program)
}

// addFile adds the properties of a file that an option names; they win over those that are there.
func (in Input) addFile(properties map[string]string, option, file string) error {
	text, err := in.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the file of %s: %w", option, err)
	}
	if !utf8.Valid(text) {
		return fmt.Errorf("%s is not UTF-8 text: change its encoding", file)
	}
	maps.Copy(properties, conf.ParseFile(string(text)))
	return nil
}

// clusterMaster matches the address of the master of a SparkCluster: its name, and its namespace.
var clusterMaster = regexp.MustCompile(`^spark://([a-z][-a-z0-9]*)(?:\.([a-z0-9][-a-z0-9]*))?(?:\.svc(?:\.cluster\.local)?)?(?::7077)?$`)

// checkMaster refuses a command that does not run on Kubernetes in cluster mode, or on a SparkCluster. Master and mode
// may be missing, because they are often set in the defaults of the machine.
func checkMaster(properties map[string]string) error {
	if master, ok := properties[conf.Master]; ok && !strings.HasPrefix(master, "k8s://") && !clusterMaster.MatchString(master) {
		return fmt.Errorf("the master is %q: only jobs for Kubernetes can be translated, whose master begins with k8s://, and jobs for a SparkCluster, as in spark://NAME.NAMESPACE:7077", master)
	}
	if mode, ok := properties[conf.DeployMode]; ok && mode != "cluster" {
		return fmt.Errorf("the deploy mode is %q: drivers always run in a pod; leave it out or write --deploy-mode cluster", mode)
	}
	return nil
}

// builder builds the application.
type builder struct {
	app    *v1alpha1.SparkApplication
	known  fields
	schema *schema.Schema
	// properties are those of the command that have not been placed yet.
	properties map[string]string
	notes      []Note
	// verbatim keeps values that look like secrets, or that Java cannot read, because spark-submit sends them as well.
	verbatim bool
	// secretKeys are the keys of the Secret that the user has to create; secrets are the values by key.
	secretKeys []string
	secrets    map[string]string
}

// cluster sets spec.clusterRef if the master is that of a SparkCluster, whose namespace is that of the application unless
// another one is given, which is a mistake.
func (b *builder) cluster(namespace string) error {
	master := b.properties[conf.Master]
	at := clusterMaster.FindStringSubmatch(master)
	if at == nil {
		return nil
	}
	b.app.Spec.ClusterRef = &v1alpha1.ClusterReference{Name: at[1]}
	if _, given := b.properties[conf.Namespace]; !given && at[2] != "" {
		b.properties[conf.Namespace] = at[2]
	}
	if namespace = cmp.Or(namespace, b.properties[conf.Namespace]); at[2] != "" && at[2] != namespace {
		return &CallError{"spec.clusterRef", fmt.Errorf("the master is %q, and the namespace is %s: programs use the clusters of their own namespace; "+
			"give the same in both", master, namespace)}
	}
	return nil
}

func (b *builder) note(subject, format string, args ...any) {
	b.notes = append(b.notes, Note{subject, fmt.Sprintf(format, args...)})
}

// take returns a property and removes it from those that have not been placed.
func (b *builder) take(key string) (string, bool) {
	value, ok := b.properties[key]
	delete(b.properties, key)
	return value, ok
}

// program sets what is run. The extension of the file determines the type, as in spark-submit.
func (b *builder) program(c *call) {
	spec := &b.app.Spec
	spec.MainApplicationFile, spec.MainClass, spec.Arguments, spec.ProxyUser = c.program, c.class, c.arguments, c.proxyUser
	switch path.Ext(c.program) {
	case ".py":
		spec.Type = v1alpha1.PythonApplication
	case ".r", ".R":
		spec.Type = v1alpha1.RApplication
	default:
		spec.Type = v1alpha1.JavaApplication
	}
	b.noteSecret("arguments", "", strings.Join(c.arguments, " "))
	if spec.Type != v1alpha1.JavaApplication && spec.MainClass != "" {
		b.note(optionClass, "left out: a program in %s has no main class", spec.Type)
		spec.MainClass = ""
	}
}

// metadata sets the name of the application, which ends with suffix, and moves properties whose place is not sparkConf.
func (b *builder) metadata(c *call, suffix string) error {
	var mistakes []error
	b.app.Namespace = "default"
	for _, place := range []struct {
		key, field string
		into       *string
	}{
		{conf.Namespace, "metadata.namespace", &b.app.Namespace},
		{conf.DriverPodName, "spec.driver.podName", &b.app.Spec.Driver.PodName},
	} {
		name, ok := b.take(place.key)
		switch {
		case ok && name == "":
			mistakes = append(mistakes, &CallError{place.field, fmt.Errorf("%s is empty: give a name, or leave it out", place.key)})
		case ok:
			*place.into = name
		}
	}
	if address, ok := b.properties[conf.DriverBindAddress]; ok {
		b.take(conf.DriverBindAddress)
		mistakes = append(mistakes, &CallError{"spec.sparkConf[" + conf.DriverBindAddress + "]", fmt.Errorf(
			"%s is %q: leave it out, the driver binds to the address of its pod", conf.DriverBindAddress, address)})
	}
	for _, key := range []string{conf.Master, conf.DeployMode, conf.AppID, waitForEnd} {
		b.take(key)
	}
	name, ok := b.take(conf.AppName)
	if !ok {
		if name = c.class; name == "" {
			name = path.Base(c.program)
		}
	}
	if b.app.Name = label(name, suffix); b.app.Name != name {
		b.setSparkConf(conf.AppName, name)
	}
	return errors.Join(mistakes...)
}

// waitForEnd is a property about spark-submit itself.
const waitForEnd = "spark.kubernetes.submission.waitAppCompletion"

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// label converts a name to one of lower-case letters, digits and dashes that ends with suffix.
func label(name, suffix string) string {
	longest := 63 - len(suffix)
	made := strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	made = strings.TrimRight(made[:min(len(made), longest)], "-")
	if made == "" {
		made = "spark"
	}
	return made + suffix
}

// image sets the common image, if only the roles have one.
func (b *builder) image() {
	if _, ok := b.properties[conf.Image]; ok {
		return
	}
	for _, role := range []conf.Role{conf.Driver, conf.Executor} {
		if image, ok := b.properties[role.Key("container.image")]; ok {
			b.properties[conf.Image] = image
			b.note("spec.image", "no common image is set: that of the %s is used", role)
			return
		}
	}
}

// heaps rewrites heap sizes that cannot be read. As they are, no driver would start, with spark-submit neither.
func (b *builder) heaps() {
	for _, role := range []struct {
		key, why string
		written  func(string) string
	}{
		{conf.DriverMemory, "because Java cannot read %q, which the driver is started with: it reads only the units k, m, g and t", conf.JavaHeap},
		{conf.ExecutorMemory, "because %q has no unit, so that the driver reads it as bytes and ends when it starts", conf.ExecutorHeap},
	} {
		text := b.properties[role.key]
		heap := role.written(text)
		if b.verbatim || heap == "" || heap == text {
			continue
		}
		b.properties[role.key] = heap
		b.note(role.key, "%s, "+role.why, heap, text)
	}
}

// unknownVersion is used if the version of Spark is not known.
const unknownVersion = "4.1.4"

var versionTag = regexp.MustCompile(`:v?([0-9]+\.[0-9]+\.[0-9]+)[^:/@]*(@[^/]*)?$`)

// version sets the version of Spark, for which spark-submit has no option.
func (b *builder) version(given string) error {
	if given == "" && b.app.Spec.Image == "" {
		b.app.Spec.SparkVersion = unknownVersion
		return fmt.Errorf("no image is set: use --conf %s=IMAGE:TAG, or name the file that sets it with %s", conf.Image, optionProperties)
	}
	if given == "" {
		tag := versionTag.FindStringSubmatch(b.app.Spec.Image)
		if tag == nil {
			b.app.Spec.SparkVersion = unknownVersion // so that other mistakes can be found
			return errors.New("the tag of the image does not say which Spark is in it: name the version with --spark-version 4.1.4, before --")
		}
		given = tag[1]
		if repository, _, _ := strings.Cut(path.Base(b.app.Spec.Image), ":"); !strings.Contains(repository, "spark") {
			b.note("spec.sparkVersion", "%s, which the tag of the image begins with: if that is the version of your program, name that of Spark with --spark-version", given)
		}
	}
	b.app.Spec.SparkVersion = given
	return nil
}
