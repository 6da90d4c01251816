// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// TestFindingsShowNoPasswords: a message about a value, which becomes a condition, an event and a line of CI, does not
// repeat the password in it, wherever in the spec the value is.
func TestFindingsShowNoPasswords(t *testing.T) {
	t.Parallel()
	const password = "hunter-Two2"
	found := 0
	for _, value := range []string{
		"https://ci:" + password + "@nexus.example/ä b", "https://ci:" + password + "@nexus.example:x/", "jdbc:postgresql://db/x?user=a&password=" + password,
		"-Ddb.password=" + password + " -Dspark.executor.cores=2", "--password " + password, "password=" + password,
	} {
		for _, at := range places(reflect.TypeFor[v1alpha1.SparkApplicationSpec](), nil) {
			if slices.Contains([]string{"PodSecurity", "SparkConfFrom.0.Name"}, strings.Join(at, ".")) {
				continue // the schema has a list of the values; a key is not a value
			}
			app := spec("").application(t)
			if !put(reflect.ValueOf(&app.Spec).Elem(), at, value) {
				continue
			}
			for _, f := range append(Application(app), warningsAsFindings(app)...) {
				found++
				if strings.Contains(f.Message, password) {
					t.Errorf("%s: %s: %s", strings.Join(at, "."), f.Field, f.Message)
				}
			}
		}
		for _, key := range propertiesWithRules {
			app := spec("").application(t)
			app.Spec.SparkConf = map[string]string{key: value}
			for _, f := range append(Application(app), warningsAsFindings(app)...) {
				found++
				if strings.Contains(f.Message, password) {
					t.Errorf("%s: %s: %s", key, f.Field, f.Message)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d findings: the test shows little", found)
	}
}

// propertiesWithRules are properties whose values are checked.
var propertiesWithRules = []string{
	conf.Jars, conf.Files, conf.Archives, conf.PyFiles, conf.Packages, conf.Repositories, conf.Image, conf.DriverMemory, conf.ExecutorMemory, conf.ExecutorInstances,
	conf.DriverJavaOptions, "spark.executor.extraJavaOptions", "spark.driver.defaultJavaOptions", conf.LocalDir, conf.UIPort, conf.SchedulerName, conf.HadoopConfigMap,
	conf.Driver.Key("label.a"), conf.Driver.Key("annotation.a"), conf.Executor.Key("node.selector.a"), conf.Driver.Key("secrets.a"), conf.Driver.Key("secretKeyRef.A"),
	conf.Driver.Key("volumes.hostPath.a.mount.path"), conf.Driver.Key("volumes.nfs.a.options.server"), conf.DriverEnvPrefix + "A", conf.ExecutorEnvPrefix + "SPARK_EXECUTOR_MEMORY",
	conf.DynamicAllocationEnabled, conf.Driver.Key("limit.cores"), conf.ImagePullSecrets, "spark.kubernetes.file.upload.path", "spark.eventLog.dir",
	"spark.kubernetes.driver.service.ipFamilies", "spark.kerberos.keytab", "spark.kerberos.principal", "spark.kubernetes.kerberos.krb5.path", conf.DriverServiceAccount,
	"spark.kubernetes.executor.podNamePrefix", conf.Driver.Key("podTemplateContainerName"), "spark.driver.host", "spark.master", "spark.jars.ivySettings", "spark.plugins",
}

func warningsAsFindings(app *v1alpha1.SparkApplication) []Finding {
	var all []Finding
	for _, w := range Warnings(app) {
		all = append(all, Finding{Field: w.Field, Message: w.Message})
	}
	return all
}

// places returns the paths of all texts in a type.
func places(of reflect.Type, above []string) [][]string {
	path := func(step string) []string { return append(append([]string{}, above...), step) }
	switch {
	case of == reflect.TypeFor[runtime.RawExtension](), len(above) > 8:
		return nil
	case of.Kind() == reflect.String:
		return [][]string{above}
	case of.Kind() == reflect.Pointer:
		return places(of.Elem(), above)
	case of.Kind() == reflect.Slice:
		return places(of.Elem(), path("0"))
	case of.Kind() == reflect.Map && of.Elem().Kind() == reflect.String:
		return [][]string{path("a")}
	case of.Kind() == reflect.Struct && strings.Contains(of.PkgPath(), "v1alpha1"):
		var all [][]string
		for i := range of.NumField() {
			all = append(all, places(of.Field(i).Type, path(of.Field(i).Name))...)
		}
		return all
	}
	return nil
}

// put sets the text at a path.
func put(v reflect.Value, path []string, text string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return true
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return put(v.Elem(), path, text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return put(v.Index(0), path[1:], text)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{path[0]: text}))
		return true
	case reflect.Struct:
		return put(v.FieldByName(path[0]), path[1:], text)
	}
	return false
}
