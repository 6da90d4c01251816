// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Properties that only options of spark-submit set.
const (
	driverClassPath   = "spark.driver.extraClassPath"
	driverLibraryPath = "spark.driver.extraLibraryPath"
)

// options are the options of spark-submit that set a property. They win over --conf.
var options = map[string]string{
	"--master":              conf.Master,
	"--deploy-mode":         conf.DeployMode,
	"--name":                conf.AppName,
	"--jars":                conf.Jars,
	"--py-files":            conf.PyFiles,
	"--files":               conf.Files,
	"--archives":            conf.Archives,
	"--packages":            conf.Packages,
	"--exclude-packages":    conf.PackageExcl,
	"--repositories":        conf.Repositories,
	"--driver-memory":       conf.DriverMemory,
	"--driver-cores":        conf.DriverCores,
	"--driver-java-options": conf.DriverJavaOptions,
	"--driver-class-path":   driverClassPath,
	"--driver-library-path": driverLibraryPath,
	"--executor-memory":     conf.ExecutorMemory,
	"--executor-cores":      conf.ExecutorCores,
	"--num-executors":       conf.ExecutorInstances,
	"--principal":           conf.Principal,
	"--keytab":              conf.Keytab,
}

// Options with a value but without a property.
const (
	optionClass      = "--class"
	optionProxyUser  = "--proxy-user"
	optionConf       = "--conf"
	optionConfShort  = "-c"
	optionProperties = "--properties-file"
	optionExtra      = "--extra-properties-file"
	optionDefaults   = "--load-spark-defaults"
)

var withoutProperty = []string{optionClass, optionProxyUser, optionConf, optionConfShort, optionProperties, optionExtra}

// unused are options that spark-submit accepts but that have no effect on Kubernetes or with Sparkgate.
var unused = map[string]struct {
	hasValue bool
	why      string
}{
	"--queue":                {true, "it is a queue of YARN; name the queue of Sparkgate in spec.queue.name, or by sparkctl submit --queue, before --"},
	"--total-executor-cores": {true, "Spark does not use it on Kubernetes; set spec.executor.instances"},
	"--supervise":            {false, "Spark does not use it on Kubernetes; spec.restartPolicy says when a job is tried again"},
	"--verbose":              {false, ""},
	"-v":                     {false, ""},
	optionDefaults:           {false, "the defaults of the machine are not read; name the file with --properties-file"},
}

// impossible are options that do something other than submit a job.
var impossible = map[string]string{
	"--kill":        "delete the SparkApplication to stop a job",
	"--status":      "kubectl get sparkapplications shows the state of jobs",
	"--remote":      "Spark Connect has no cluster mode; leave the option out",
	"--help":        "sparkctl help from-submit says what is understood",
	"-h":            "sparkctl help from-submit says what is understood",
	"--version":     "leave the option out",
	"--usage-error": "leave the option out",
}

// CallError is the error for a command that submits no job, or one that cannot be written as an application.
type CallError struct {
	// Place is an option, a property or a file.
	Place string
	Err   error
}

// Error returns the message of what is wrong.
func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *CallError) Unwrap() error { return e.Err }

// call is a parsed command.
type call struct {
	// class and proxyUser are empty if they are not given.
	class, proxyUser string
	// options are properties by option; conf are those of --conf, where later ones win.
	options, conf  map[string]string
	propertiesFile string
	// extraFiles of properties win over propertiesFile, later ones over earlier ones.
	extraFiles []string
	// loadDefaults reports that the machine's defaults are used together with the properties file.
	loadDefaults bool
	program      string
	arguments    []string
	notes        []Note
}

// parse parses a command as spark-submit does: options up to the program; everything after it are arguments of the
// program.
func parse(args []string) (*call, error) {
	c := &call{options: map[string]string{}, conf: map[string]string{}}
	for i, arg := range args {
		if !utf8.ValidString(arg) {
			return nil, fmt.Errorf("argument %d is not UTF-8 text, which a manifest cannot hold: change its encoding", i+1)
		}
	}
	for len(args) > 0 {
		name, value, joined := splitOption(args[0])
		if !strings.HasPrefix(name, "-") {
			c.program, c.arguments = args[0], args[1:]
			c.noteOptions()
			return c, checkProgram(name)
		}
		args = args[1:]
		hasValue, err := c.lookUp(name)
		if err != nil {
			return nil, err
		}
		if hasValue && !joined {
			if len(args) == 0 {
				return nil, fmt.Errorf("%s has no value: give one", name)
			}
			value, args = args[0], args[1:]
		}
		if err := c.take(name, value); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("expected a program after the options: name the jar, Python or R file to run")
}

// noPrograms matches words that people write where spark-submit expects the program, and are none.
var noPrograms = regexp.MustCompile(`^(?:([–—]-?)(.*)|(?:\S*/)?(?:python[\d.]*|java|sh|bash|R|Rscript))$`)

// checkProgram refuses such a word.
func checkProgram(name string) error {
	switch found := noPrograms.FindStringSubmatch(name); {
	case found == nil:
		return nil
	case found[1] != "":
		return fmt.Errorf("the program is %q, which begins with a long dash: write --%s", name, found[2])
	}
	return fmt.Errorf("the program is %q: leave it out, and name the jar, Python or R file to run", name)
}

// noteOptions notes arguments of the program that look like options of spark-submit.
func (c *call) noteOptions() {
	for _, argument := range c.arguments {
		name, _, _ := splitOption(argument)
		if _, ok := options[name]; ok && name != "--name" && name != "--files" || name == optionConf {
			c.notes = append(c.notes, Note{name, "it stands after the program, so it is an argument of the program: write it before the program if it is for spark-submit"})
		}
	}
}

// splitOption splits --option=value.
func splitOption(arg string) (name, value string, joined bool) {
	if !strings.HasPrefix(arg, "--") {
		return arg, "", false
	}
	return cut(arg)
}

func cut(arg string) (name, value string, found bool) {
	if name, value, found = strings.Cut(arg, "="); found && name != "--" && value != "" {
		return name, value, true
	}
	return arg, "", false
}

// lookUp reports whether an option has a value.
func (c *call) lookUp(name string) (hasValue bool, err error) {
	if remedy, ok := impossible[name]; ok {
		return false, fmt.Errorf("%s does not submit a job: %s", name, remedy)
	}
	if _, ok := options[name]; ok || slices.Contains(withoutProperty, name) {
		return true, nil
	}
	if option, ok := unused[name]; ok {
		if option.why != "" {
			c.notes = append(c.notes, Note{name, "left out: " + option.why})
		}
		return option.hasValue, nil
	}
	return false, fmt.Errorf("unknown spark-submit option %s; an option of sparkctl stands before --, and an argument of the program after the program", name)
}

// take stores an option.
func (c *call) take(name, value string) error {
	switch name {
	case optionClass:
		c.class = value
	case optionProxyUser:
		if c.proxyUser = value; value == "" {
			return fmt.Errorf("%s is empty: name a user, or leave it out", name)
		}
	case optionProperties:
		c.propertiesFile = value
	case optionExtra:
		c.extraFiles = append(c.extraFiles, value)
	case optionDefaults:
		c.loadDefaults = true
	case optionConf, optionConfShort:
		key, setting, ok := strings.Cut(value, "=")
		if !ok {
			return fmt.Errorf("%s %s has no value: write %s KEY=VALUE", name, conf.Quote(value, value), name)
		}
		c.conf[key] = setting
	default:
		if key, ok := options[name]; ok {
			c.options[key] = value
		}
		return checkList(name, value)
	}
	return nil
}

// checkList refuses blanks around file names in a list, which spark-submit takes as a part of the names.
func checkList(option, value string) error {
	if !slices.Contains([]string{"--jars", "--files", "--archives", "--py-files"}, option) {
		return nil
	}
	for file := range strings.SplitSeq(value, ",") {
		if name := strings.TrimSpace(file); name != "" && name != file {
			return fmt.Errorf("%s has a blank before or after %q: remove it", option, name)
		}
	}
	return nil
}
