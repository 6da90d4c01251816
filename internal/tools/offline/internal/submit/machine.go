// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Machine is what spark-submit reads from its machine apart from its arguments.
type Machine struct {
	// Environment are the environment variables.
	Environment map[string]string
	// Folder returns the files in a folder by name.
	Folder func(name string) map[string]string
}

// Environment variables that spark-submit reads.
const (
	confDirVariable      = "SPARK_CONF_DIR"
	hadoopConfVariable   = "HADOOP_CONF_DIR"
	localDirsVariable    = "SPARK_LOCAL_DIRS"
	pythonVariable       = "PYSPARK_PYTHON"
	driverPythonVariable = "PYSPARK_DRIVER_PYTHON"
)

// fallbacks are variables that are used if the property is not set.
var fallbacks = map[string]string{
	"MASTER":                conf.Master,
	"DEPLOY_MODE":           conf.DeployMode,
	"SPARK_DRIVER_MEMORY":   conf.DriverMemory,
	"SPARK_EXECUTOR_MEMORY": conf.ExecutorMemory,
	"SPARK_EXECUTOR_CORES":  conf.ExecutorCores,
}

// HadoopConfigMap is the name of the ConfigMap into which the user has to put the machine's Hadoop configuration.
const HadoopConfigMap = "hadoop-conf"

// addDefaults adds the properties of the machine's spark-defaults.conf that are not set. A properties file replaces
// them, unless --load-spark-defaults is given.
func (c *call) addDefaults(properties map[string]string, m *Machine) {
	if m == nil || c.propertiesFile != "" && !c.loadDefaults {
		return
	}
	for key, value := range conf.ParseFile(m.confFolder()[conf.DefaultsFile]) {
		if _, ok := properties[key]; !ok {
			properties[key] = value
		}
	}
}

// confFolder returns the files of Spark's conf folder.
func (m *Machine) confFolder() map[string]string {
	if folder := m.Environment[confDirVariable]; folder != "" {
		return m.Folder(folder)
	}
	return nil
}

// addVariables adds the properties that environment variables set. It returns an error if a variable and a property
// exclude each other.
func (m *Machine) addVariables(properties map[string]string, program string) error {
	if m == nil {
		return nil
	}
	for variable, key := range fallbacks {
		setDefault(properties, key, m.Environment[variable])
	}
	if dirs := m.Environment[localDirsVariable]; dirs != "" {
		properties[conf.LocalDir] = dirs
	}
	if strings.HasSuffix(program, ".py") {
		m.addPython(properties)
	}
	if _, ok := m.Environment[hadoopConfVariable]; !ok {
		return nil
	}
	if _, both := properties[conf.HadoopConfigMap]; both {
		return errors.New(hadoopConfVariable + " and " + conf.HadoopConfigMap + " exclude each other; set one")
	}
	properties[conf.HadoopConfigMap] = HadoopConfigMap
	return nil
}

// addPython adds the Python interpreters. The variable for the driver's comes after both properties.
func (m *Machine) addPython(properties map[string]string) {
	if _, ok := properties[conf.PySparkPython]; ok {
		return
	}
	setDefault(properties, conf.PySparkDriverPython, m.Environment[driverPythonVariable])
	setDefault(properties, conf.PySparkPython, m.Environment[pythonVariable])
}

// unread are the variables by which spark-submit changes a job, with what takes their place.
var unread = []struct{ name, remedy string }{
	{confDirVariable, "name its spark-defaults.conf by --properties-file, and its other files by spec.sparkConfigMap"},
	{hadoopConfVariable, "put its files into a ConfigMap, and name that by --conf " + conf.HadoopConfigMap},
	{pythonVariable, "set --conf " + conf.PySparkPython},
	{driverPythonVariable, "set --conf " + conf.PySparkDriverPython},
}

// noteMachine notes what spark-submit would do by what is set, or not, on its machine.
func (b *builder) noteMachine(variable func(string) string, properties map[string]string) {
	if variable == nil {
		return
	}
	for _, u := range unread {
		if variable(u.name) != "" {
			b.note(u.name, "it is set, but no variable of this machine is read: %s", u.remedy)
		}
	}
	if _, ok := properties[conf.DeployMode]; !ok {
		b.note("--deploy-mode", "it is missing, and spark-submit would run the driver on its own machine: here it runs in a pod, as with --deploy-mode cluster")
	}
}

// setDefault sets a property that is not set, unless the value is empty.
func setDefault(properties map[string]string, key, value string) {
	if _, ok := properties[key]; !ok && value != "" {
		properties[key] = value
	}
}

// Suffixes of files in the conf folder that Spark does not send to the driver.
var (
	notShippedEndings = []string{".template", ".gz", ".zip", ".jar", ".tar"}
	propertyEndings   = []string{"conf", "properties"}
)

// ConfFiles returns the files of the conf folder that Spark sends to the driver: text files, the smallest first, as
// long as names and contents together are below largest.
func (m *Machine) ConfFiles(largest int) map[string]string {
	folder := m.confFolder()
	names := sets.List(sets.KeySet(folder))
	names = slices.DeleteFunc(names, func(name string) bool { return !shipped(name) || !utf8.ValidString(folder[name]) })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(folder[a]), len(folder[b])) })
	files, total := map[string]string{}, 0
	for _, name := range names {
		size := utf8.RuneCountInString(name) + utf8.RuneCountInString(folder[name])
		if total+size >= largest {
			continue
		}
		files[name], total = folder[name], total+size
	}
	return files
}

// shipped reports whether Spark sends a file with that name.
func shipped(name string) bool {
	hasEnding := func(endings []string) bool {
		return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(name, ending) })
	}
	return !hasEnding(notShippedEndings) && !(strings.HasPrefix(name, "spark") && hasEnding(propertyEndings))
}
