// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// serviceAccountStep sets the service account of the driver, also under the deprecated name of the field, as Spark
// does.
func serviceAccountStep(b *build) error {
	if name, ok := b.given.Lookup(conf.DriverServiceAccount); ok {
		b.driver.pod.Spec.ServiceAccountName = name
		b.driver.pod.Spec.DeprecatedServiceAccount = name
	}
	return nil
}

// mountSecretsStep mounts whole Secrets: secrets.<name>=<path>.
func mountSecretsStep(b *build) error {
	b.driver.mountSecrets(b.given, conf.Driver)
	return nil
}

// mountSecrets mounts the Secrets that the properties of a role name.
func (d *draft) mountSecrets(p conf.Properties, r conf.Role) {
	for _, property := range p.WithPrefix(r.Key("secrets.")) {
		secret := &corev1.SecretVolumeSource{SecretName: property.Name}
		d.mount(
			corev1.Volume{Name: property.Name + "-volume", VolumeSource: corev1.VolumeSource{Secret: secret}},
			corev1.VolumeMount{MountPath: property.Value})
	}
}

// envSecretsStep adds variables with values from Secrets: secretKeyRef.<variable>=<secret>:<key>.
func envSecretsStep(b *build) error {
	for _, property := range b.given.WithPrefix(conf.Driver.Key("secretKeyRef.")) {
		secret, key, err := KeyOfSecret(b.given, property.Key)
		if err != nil {
			return err
		}
		b.driver.container.Env = append(b.driver.container.Env, corev1.EnvVar{
			Name: property.Name,
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: key,
			}},
		})
	}
	return nil
}

// KeyOfSecret parses a property <secret>:<key> of the family secretKeyRef of either role. It returns an error if it has
// another form.
func KeyOfSecret(p conf.Properties, property string) (secret, key string, err error) {
	secret, key, ok := strings.Cut(p.Get(property, ""), ":")
	if !ok || secret == "" || key == "" || strings.Contains(key, ":") {
		return "", "", p.Wrong(property, "does not name a key of a Secret", "set <name of the Secret>:<key>")
	}
	return secret, key, nil
}

// commandStep sets the arguments for the entry point of the image, and the Python interpreters.
func commandStep(b *build) error {
	spec := &b.in.App.Spec
	if server.IsMaster(spec) {
		standalone(b)
		return nil
	}
	args := append(b.driver.container.Args, "driver")
	if spec.ProxyUser != "" {
		args = append(args, "--proxy-user", spec.ProxyUser)
	}
	args = append(args, "--properties-file", confFolder+"/"+propertiesFile, "--class", mainClass(spec), spec.MainApplicationFile)
	b.driver.container.Args = append(args, spec.Arguments...)
	b.added.Put(conf.ResourceType, resourceTypes[spec.Type])
	if spec.Type == v1alpha1.PythonApplication {
		b.pythonEnvironment()
	}
	return nil
}

// resourceTypes are Spark's names for the types of programs.
var resourceTypes = map[v1alpha1.ApplicationType]string{
	v1alpha1.JavaApplication:   "java",
	v1alpha1.ScalaApplication:  "java",
	v1alpha1.PythonApplication: "python",
	v1alpha1.RApplication:      "r",
}

// mainClass returns the class that the driver starts. For Python and R it is the class that runs the program.
func mainClass(spec *v1alpha1.SparkApplicationSpec) string {
	switch {
	case spec.Server != nil:
	case spec.Type == v1alpha1.PythonApplication:
		return "org.apache.spark.deploy.PythonRunner"
	case spec.Type == v1alpha1.RApplication:
		return "org.apache.spark.deploy.RRunner"
	}
	return spec.MainClass
}

// pythonEnvironment sets the Python interpreters that the properties name.
func (b *build) pythonEnvironment() {
	common, hasCommon := b.given.Lookup(conf.PySparkPython)
	if hasCommon {
		b.driver.env("PYSPARK_PYTHON", common)
	}
	if own, hasOwn := b.given.Lookup(conf.PySparkDriverPython); hasOwn || hasCommon {
		if !hasOwn {
			own = common
		}
		b.driver.env("PYSPARK_DRIVER_PYTHON", own)
	}
}

// hadoopFolder is where Hadoop's configuration is mounted.
const hadoopFolder = "/opt/hadoop/conf"

// hadoopStep mounts the user's ConfigMap with Hadoop's configuration, and passes its name on to the executors.
func hadoopStep(b *build) error {
	name, ok := b.given.Lookup(conf.HadoopConfigMap)
	if !ok {
		return nil
	}
	b.driver.mountHadoop(name)
	b.driver.env("HADOOP_CONF_DIR", hadoopFolder)
	b.added.Put(conf.ExecutorHadoopMap, name)
	return nil
}

// mountHadoop mounts a ConfigMap with Hadoop's configuration.
func (d *draft) mountHadoop(name string) {
	d.mount(configMapVolume("hadoop-properties", name), corev1.VolumeMount{MountPath: hadoopFolder})
}

// tokenFolder is where delegation tokens are mounted.
const tokenFolder = "/mnt/secrets/hadoop-credentials"

// kerberosStep mounts the user's ConfigMap with krb5.conf and Secret with delegation tokens.
func kerberosStep(b *build) error {
	if name, ok := b.given.Lookup(conf.Krb5ConfigMap); ok {
		b.driver.mount(configMapVolume("krb5-file", name), corev1.VolumeMount{MountPath: "/etc/krb5.conf", SubPath: "krb5.conf"})
	}
	name, hasName := b.given.Lookup(conf.TokenSecretName)
	key, hasKey := b.given.Lookup(conf.TokenSecretKey)
	switch {
	case hasName && !hasKey:
		return b.given.Wrong(conf.TokenSecretKey, "is missing", "set the key of the Secret that holds the tokens")
	case hasKey && !hasName:
		return b.given.Wrong(conf.TokenSecretName, "is missing", "set the name of the Secret that holds the tokens")
	case !hasName:
		return nil
	}
	b.driver.mount(
		corev1.Volume{Name: "hadoop-secret", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}},
		corev1.VolumeMount{MountPath: tokenFolder})
	b.driver.env("HADOOP_TOKEN_FILE_LOCATION", tokenFolder+"/"+key)
	return nil
}
