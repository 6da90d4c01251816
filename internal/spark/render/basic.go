// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// defaultUser is the user name that executors and Hadoop see, unless a variable of the driver sets another one.
const defaultUser = "spark"

// basicStep sets the name, labels, image, ports, variables and resources of the driver.
func basicStep(b *build) error {
	d, p := &b.driver, b.given
	d.pod.Name = b.names.DriverPod
	d.addLabels(b.labels)
	d.annotate(b.names.replaceTokens(family(p, conf.Driver.Key("annotation."))))
	d.selectNodes(family(p, conf.NodeSelectorPrefix))
	d.selectNodes(family(p, conf.Driver.Key("node.selector.")))
	d.pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	for _, name := range conf.Split(p.Get(conf.ImagePullSecrets, "")) {
		d.pod.Spec.ImagePullSecrets = append(d.pod.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
	}
	d.pod.Spec.SchedulerName = p.First(d.pod.Spec.SchedulerName, conf.Driver.Key("scheduler.name"), conf.SchedulerName)
	b.setImage()
	b.basicEnvironment()
	b.added.Put(conf.DriverPodName, b.names.DriverPod)
	b.added.Put(conf.AppID, b.names.ApplicationID)
	b.added.Put(conf.SubmitInDriver, "true")
	return errors.Join(b.addPorts(), b.addResources(), setPrivileges(b.client, p, conf.Driver, &d.container))
}

// setImage sets the image and its pull policy.
func (b *build) setImage() {
	image := b.given.First("", conf.Driver.Key("container.image"), conf.Image)
	if b.client.imageTokens {
		image = strings.ReplaceAll(image, "{{SPARK_VERSION}}", b.in.App.Spec.SparkVersion)
	}
	b.driver.container.Image = image
	b.driver.container.ImagePullPolicy = corev1.PullPolicy(b.given.Get(conf.ImagePullPolicy, string(corev1.PullIfNotPresent)))
}

// basicEnvironment adds the variables that every driver has, and those that properties define.
func (b *build) basicEnvironment() {
	d := &b.driver
	d.env("SPARK_USER", b.user())
	d.env("SPARK_APPLICATION_ID", b.names.ApplicationID)
	for _, variable := range b.given.WithPrefix(conf.DriverEnvPrefix) {
		d.env(variable.Name, variable.Value)
	}
	d.container.Env = append(d.container.Env, corev1.EnvVar{
		Name: "SPARK_DRIVER_BIND_ADDRESS",
		ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"},
		},
	})
}

// user returns the user name for SPARK_USER: the one that the template or the role already sets, else the default.
// Spark's own variable comes after these and would hide them.
func (b *build) user() string {
	user := defaultUser
	if proxy := b.in.App.Spec.ProxyUser; proxy != "" && b.client.proxyIsUser {
		return proxy
	}
	for _, variable := range b.driver.container.Env {
		if variable.Name == "SPARK_USER" && variable.ValueFrom == nil {
			user = cmp.Or(variable.Value, user)
		}
	}
	return user
}

// addResources sets the requests and limits of the driver.
func (b *build) addResources() error {
	d, p := &b.driver, b.given
	memory, factor, err := driverMemory(b.client, p, b.in.App.Spec.Type)
	if err != nil {
		return err
	}
	b.added.Put(conf.MemoryOverheadFactor, conf.FormatDouble(factor))
	cpu, err := Cores(p, conf.Driver.Key("request.cores"), conf.DriverCores)
	if err != nil {
		return err
	}
	d.request(corev1.ResourceCPU, cpu)
	if _, ok := p.Lookup(conf.Driver.Key("limit.cores")); ok {
		limit, err := Cores(p, conf.Driver.Key("limit.cores"), "")
		if err != nil {
			return err
		}
		d.limit(corev1.ResourceCPU, limit)
	}
	d.request(corev1.ResourceMemory, memory)
	d.limit(corev1.ResourceMemory, memory)
	amounts, err := Accelerators(p, conf.DriverResourcePrefix)
	for name, amount := range amounts {
		d.limit(name, amount)
	}
	return err
}

// setPrivileges sets allowPrivilegeEscalation of a container. It overrides the template, but keeps the rest of its
// security context.
func setPrivileges(c client, p conf.Properties, r conf.Role, container *corev1.Container) error {
	if !c.privileges {
		return nil
	}
	allowed, err := Privileges(p, r)
	if container.SecurityContext == nil {
		container.SecurityContext = &corev1.SecurityContext{}
	}
	container.SecurityContext.AllowPrivilegeEscalation = &allowed
	return err
}

// Privileges reports whether the properties allow processes of a role to gain privileges. The property of the role wins
// over the common one.
func Privileges(p conf.Properties, r conf.Role) (bool, error) {
	common, err := p.Bool(conf.PrivilegeEscalation, false)
	if err != nil {
		return false, err
	}
	return p.Bool(PrivilegesKey(r), common)
}

// PrivilegesKey returns the key of the role's property that Privileges reads.
func PrivilegesKey(r conf.Role) string { return r.Key("securityContext.allowPrivilegeEscalation") }

// Cores returns a number of cores: a quantity under the first key, else a whole number under the second, else one.
func Cores(p conf.Properties, quantityKey, coresKey string) (resource.Quantity, error) {
	if _, ok := p.Lookup(quantityKey); ok {
		return p.CPU(quantityKey)
	}
	number, err := p.Int(coresKey, 1)
	if err == nil && number <= 0 {
		err = p.Wrong(coresKey, "is not a number of cores", "set a number above zero such as 2")
	}
	return *resource.NewQuantity(int64(number), resource.DecimalSI), err
}

// driverLabels returns the labels of the driver by which its Service selects it: the user's, and Spark's own, which
// win.
func (b *build) driverLabels() map[string]string {
	custom := family(b.given, conf.Driver.Key("label."))
	if b.client.labelTokens {
		custom = b.names.replaceTokens(custom)
	}
	return merged(custom, map[string]string{
		"spark-version":             b.in.App.Spec.SparkVersion,
		v1alpha1.SparkSelectorLabel: b.names.ApplicationID,
		"spark-app-name":            appNameLabel(b.given.Get(conf.AppName, b.in.App.Name)),
		v1alpha1.SparkRoleLabel:     v1alpha1.SparkRoleDriver,
	})
}

// replaceTokens replaces Spark's tokens in values. {{EXECUTOR_ID}} becomes empty, because a driver has none.
func (n Names) replaceTokens(values map[string]string) map[string]string {
	hasToken := func(value string) bool { return strings.Contains(value, "{{") }
	if !slices.ContainsFunc(slices.Collect(maps.Values(values)), hasToken) {
		return values
	}
	tokens := strings.NewReplacer("{{APP_ID}}", n.ApplicationID, "{{EXECUTOR_ID}}", "")
	replaced := make(map[string]string, len(values))
	for name, value := range values {
		replaced[name] = tokens.Replace(value)
	}
	return replaced
}
