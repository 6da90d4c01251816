// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// master is the address of the API server inside every pod.
const master = "k8s://https://kubernetes.default.svc"

// NoResource as the main application file means that the main class is on the class path of the image.
const NoResource = server.NoResource

// submit sets the properties that spark-submit itself sets before it calls its client.
func (b *build) submit() error {
	p := b.given
	app := b.in.App
	if p.OnCluster() {
		b.driver.pod.Spec.EnableServiceLinks = ptr.To(false) // as of the pods of the cluster
	} else {
		p.Put(conf.Master, master)
		p.Put(conf.DeployMode, "cluster")
	}
	p.Put(conf.Namespace, app.Namespace)
	for _, key := range []string{conf.Jars, conf.Files, conf.Archives, conf.PyFiles} {
		if list, ok := p[key]; ok {
			p.Set(key, strings.Join(conf.Split(list.Value), ","), list.Origin)
		}
	}
	if _, ok := p[conf.PyFiles]; !ok {
		p.Put(conf.PyFiles, "")
	}
	if isJVM(app.Spec.Type) {
		b.addPrimaryJar()
	}
	// A deprecated name may have set them.
	for _, key := range []string{conf.Keytab, conf.Principal} {
		if value, ok := p.Lookup(key); ok {
			p.Set(key, value, conf.Origin{Source: conf.Derived, Field: p.Field(key)})
		}
	}
	if _, ok := p[conf.AppSubmitTime]; !ok {
		p.Put(conf.AppSubmitTime, strconv.FormatInt(b.in.SubmitTime.UnixMilli(), 10))
	}
	if _, ok := p[conf.ExecutorPodNamePrefix]; !ok {
		p.Put(conf.ExecutorPodNamePrefix, b.names.Prefix)
	}
	if _, ok := p[conf.DriverServiceDelete]; !ok {
		p.Put(conf.DriverServiceDelete, "false") // a second session of the program has the same Service
	}
	if err := b.decommission(); err != nil {
		return err
	}
	// The volumes of executors are read only for their errors, which would otherwise show when the driver tries to
	// create executors.
	_, err := volumesOf(b.client, b.given, conf.Executor)
	return errors.Join(err, b.cutExecutors())
}

// decommission makes executors hand over their data before they end, unless the user has chosen otherwise: executors
// behind the scheduling gate can lose their quota while the job continues. Without dynamic allocation none does.
// Executors with lifecycle hooks of their own are left alone, because Spark would replace the hooks.
func (b *build) decommission() error {
	gang, err := b.given.Executors()
	if err != nil || !b.in.SchedulingGated || !gang.Dynamic || HasHooks(&b.executor.container) {
		return err
	}
	conf.HandOver(b.given)
	b.nameExecutorContainer()
	return nil
}

// nameExecutorContainer says which container of executors is Spark's, where they have others and Spark would look for
// its own name: an executor that has handed over everything and ended would run as long as its sidecars for Spark, which
// would neither delete nor replace it (ExecutorPodsSnapshot).
func (b *build) nameExecutorContainer() {
	r, key := ExecutorOf(b.in.App), conf.Executor.Key("podTemplateContainerName")
	name := b.executor.container.Name
	_, chosen := b.given[key]
	isOther := func(c corev1.Container) bool { return c.Name != name }
	if !chosen && name != r.Container && slices.ContainsFunc(b.executor.pod.Spec.Containers, isOther) {
		b.given.Put(key, name)
	}
}

// HasHooks reports whether a container has lifecycle hooks. If decommissioning is on, Spark replaces all hooks of
// executors (BasicExecutorFeatureStep).
func HasHooks(c *corev1.Container) bool {
	return c.Lifecycle != nil && *c.Lifecycle != corev1.Lifecycle{}
}

// addPrimaryJar appends the main application file to the jars, even if they contain it already. It sets the property in
// any case.
func (b *build) addPrimaryJar() {
	jars := conf.Split(b.given.Get(conf.Jars, ""))
	if file := b.in.App.Spec.MainApplicationFile; file != NoResource {
		jars = append(jars, file)
	}
	origin := b.given[conf.Jars].Origin
	if origin.Field == "" {
		origin = conf.Origin{Source: conf.TypedField, Field: "spec.mainApplicationFile"}
	}
	b.given.Set(conf.Jars, strings.Join(jars, ","), origin)
}

// cutExecutors reduces the number of executors to what was granted. It does so only without dynamic allocation; with
// it, Spark would ask for the others again and again.
func (b *build) cutExecutors() error {
	gang, err := b.given.Executors()
	if err != nil {
		return err
	}
	granted := ExecutorOf(b.in.App).granted(b.in.Grant)
	if granted == nil || gang.Dynamic || granted.Count <= 0 || granted.Count >= gang.Base {
		return nil
	}
	b.given.Put(conf.ExecutorInstances, strconv.Itoa(int(granted.Count)))
	return nil
}

// isJVM reports whether the main program is compiled to a jar.
func isJVM(t v1alpha1.ApplicationType) bool {
	return t != v1alpha1.PythonApplication && t != v1alpha1.RApplication
}
