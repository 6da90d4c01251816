// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// className matches the full name of a Java class.
var className = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*(\.[\pL_$][\pL\pN_$]*)*$`)

// checkMain checks the required fields. The schema does so as well, but the linter works without it.
func checkMain(s *subject) []Finding {
	var findings []Finding
	if s.spec.Image == "" {
		findings = append(findings, invalid("spec.image", "the image is missing: set the container image of Spark"))
	}
	if s.spec.MainApplicationFile == "" && s.spec.Server == nil {
		findings = append(findings, invalid("spec.mainApplicationFile",
			"the file is missing: set the jar, Python or R file to run, such as local:///opt/spark/examples/pi.py"))
	}
	switch s.spec.Type {
	case v1alpha1.JavaApplication, v1alpha1.ScalaApplication, v1alpha1.PythonApplication, v1alpha1.RApplication:
	default:
		findings = append(findings, invalid("spec.type", "invalid type %q: set Java, Scala, Python or R", s.spec.Type))
	}
	return findings
}

// checkPrograms checks type, main class and main file together. Inside the driver, Spark decides by the extension of
// the file.
func checkPrograms(s *subject) []Finding {
	if s.spec.Server != nil {
		return checkServer(s)
	}
	if script, ok := scripts[s.spec.Type]; ok {
		return script.findings(s.spec)
	}
	file, class := s.spec.MainApplicationFile, s.spec.MainClass
	var findings []Finding
	kind, isServer := server.TypeOf(class)
	switch {
	case class == "":
		findings = append(findings, invalid("spec.mainClass", "the main class is missing: set the class with the main method"))
	case isServer:
		findings = append(findings, invalid("spec.mainClass", "value %q is a server of Spark: remove mainClass and mainApplicationFile, and set server: {type: %s}", class, kind))
	case noClusterMode[class] != "":
		findings = append(findings, invalid("spec.mainClass",
			"value %q is %s, which Spark does not start in cluster mode: set a main class of your own that starts it", class, noClusterMode[class]))
	case !className.MatchString(class):
		findings = append(findings, invalid("spec.mainClass", "invalid class name %q: set its full name, such as org.example.Main", class))
	}
	for _, script := range scripts {
		if script.ending.MatchString(file) {
			findings = append(findings, invalid("spec.mainApplicationFile", "%q is not a jar: set spec.type to Python or R, or set a jar", file))
		}
	}
	return findings
}

// noClusterMode are main classes that spark-submit refuses in cluster mode, with what they are.
var noClusterMode = map[string]string{
	"org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver": "the SQL shell",
}

// checkServer checks what contradicts a server of Spark. The schema does so as well, but the linter works without it.
func checkServer(s *subject) []Finding {
	kind, known := server.KindOf(s.spec)
	if !known {
		return []Finding{invalid("spec.server.type", "invalid type %q: set Connect or Thrift", s.spec.Server.Type)}
	}
	if owner := metav1.GetControllerOfNoCopy(s.app); server.IsMaster(s.spec) && (owner == nil || owner.Kind != v1alpha1.SparkClusterKind) {
		return []Finding{invalid("spec.server.type", "value %q is for the application of a SparkCluster: create a SparkCluster instead", s.spec.Server.Type)}
	}
	var findings []Finding
	if s.spec.MainClass != kind.Class || s.spec.MainApplicationFile != server.NoResource || len(s.spec.Arguments) > 0 {
		findings = append(findings, invalid("spec.server", "a server of type %s runs no program: remove mainApplicationFile, mainClass and arguments", s.spec.Server.Type))
	}
	if s.spec.Type == v1alpha1.RApplication {
		findings = append(findings, invalid("spec.type", "value %q is not a language of a server: set Scala, Java or Python", s.spec.Type))
	}
	if s.spec.ReadyWhen != v1alpha1.ReadyWhenRunning {
		findings = append(findings, invalid("spec.readyWhen", "value %q is never reached by a server: set Running, or remove it", s.spec.ReadyWhen))
	}
	if s.setsForDriver(daemonMemory) {
		findings = append(findings, invalid("spec.driver.env", "Spark takes the memory of a server from %s instead of driver.memory, for which quota is asked: remove it", daemonMemory))
	}
	if key := kind.PortKey; s.properties.Get(key, strconv.Itoa(int(kind.Port))) != strconv.Itoa(int(kind.Port)) {
		findings = append(findings, invalid(s.properties.Field(key), "the port of a server is %d, which its Service, its probe and its clients know: remove it", kind.Port))
	}
	return append(findings, tokenOfServerFindings(s)...)
}

// tokenOfServerFindings checks the token of a server.
func tokenOfServerFindings(s *subject) []Finding {
	const field = "spec.server.token"
	var findings []Finding
	if s.properties.Get(connectToken, "") != "" {
		findings = append(findings, invalid(s.properties.Field(connectToken), "the operator writes properties into a ConfigMap: remove it, and set spec.server.token to the key of a Secret"))
	}
	switch major, _ := render.NumbersOf(s.spec.SparkVersion); {
	case s.spec.Server.Token == nil:
	case s.spec.Server.Type != v1alpha1.ConnectServer:
		findings = append(findings, invalid(field, "only Spark Connect has a token: remove it"))
	case major == oldest[0]:
		findings = append(findings, invalid(field, "Spark %s has no token, and would take every client: remove it, or use 4.0 or later", s.spec.SparkVersion))
	case s.setsForDriver(server.TokenVariable):
		findings = append(findings, invalid(field, "spec.driver.env sets %s as well: remove one", server.TokenVariable))
	}
	return findings
}

// connectToken is the property with the token of Spark Connect.
const connectToken = "spark.connect.authenticate.token"

// setsForDriver reports whether spec.driver.env has a variable.
func (s *subject) setsForDriver(name string) bool {
	return slices.ContainsFunc(s.spec.Driver.Env, func(e v1alpha1.EnvVar) bool { return e.Name == name })
}

// ServerNotScheduled says why the template of a schedule has no server.
const ServerNotScheduled = "a server of Spark never ends, so each run of the schedule would be one more: apply it as a SparkApplication of its own"

// ServerWarnings returns warnings about what only the image and the network know: a Spark Connect server of a version that
// does not bring it along, unless something in deps looks like it, and a token without TLS in front of the server.
func ServerWarnings(app *v1alpha1.SparkApplication) []Finding {
	spec := &app.Spec
	if spec.Server == nil || spec.Server.Type != v1alpha1.ConnectServer {
		return nil
	}
	var warnings []Finding
	brings := func(name string) bool { return strings.Contains(name, "spark-connect") }
	brought := spec.Deps != nil && (slices.ContainsFunc(spec.Deps.Packages, brings) || slices.ContainsFunc(spec.Deps.Jars, brings))
	if strings.HasPrefix(spec.SparkVersion, "3.") && !brought {
		warnings = append(warnings, invalid("spec.server", "Spark %s comes without Spark Connect: unless your image has it, add org.apache.spark:spark-connect_2.12:%s to deps.packages",
			spec.SparkVersion, spec.SparkVersion))
	}
	if spec.Server.Token != nil && len(conf.ServerExposures(app)) == 0 {
		warnings = append(warnings, invalid("spec.server.token", "clients with a token speak TLS unless the host is localhost, and the server does not, so they hang: "+
			"put a proxy in front that ends TLS (route, ingress), or use sparkctl connect %s", app.Name))
	}
	return warnings
}

// daemonMemory is the variable by which spark-submit sizes a server before it looks at the driver's memory.
const daemonMemory = "SPARK_DAEMON_MEMORY"

// script is a language whose programs Spark runs with a class of its own.
type script struct {
	ending *regexp.Regexp
	spoken string
}

var scripts = map[v1alpha1.ApplicationType]script{
	v1alpha1.PythonApplication: {regexp.MustCompile(`\.py$`), ".py"},
	v1alpha1.RApplication:      {regexp.MustCompile(`\.[rR]$`), ".r or .R"},
}

// findings checks a program in the language.
func (l script) findings(spec *v1alpha1.SparkApplicationSpec) []Finding {
	var findings []Finding
	if spec.MainClass != "" {
		findings = append(findings, invalid("spec.mainClass", "value %q is not allowed for type %s: remove it", spec.MainClass, spec.Type))
	}
	if file := spec.MainApplicationFile; file != "" && !l.ending.MatchString(file) {
		findings = append(findings, invalid("spec.mainApplicationFile",
			"value %q does not end with %s: Spark would not take it as a program in %s; rename the file, or set spec.type", file, l.spoken, spec.Type))
	}
	return findings
}

// checkArguments reports arguments that cannot be passed to a process: Linux limits each to 128 KiB and ends it at
// U+0000.
func checkArguments(s *subject) []Finding {
	const longest = 128<<10 - 1
	var findings []Finding
	for i, argument := range s.spec.Arguments {
		if len(argument) > longest {
			findings = append(findings, invalid("spec.arguments["+strconv.Itoa(i)+"]",
				"an argument of %d bytes is longer than the %d that a process can be given: put it into a file", len(argument), longest))
		} else if strings.ContainsRune(argument, 0) {
			findings = append(findings, invalid("spec.arguments["+strconv.Itoa(i)+"]", "the argument has the character U+0000, which no process can be given: remove it"))
		}
	}
	return findings
}

// oldest is the first minor version of Spark whose drivers could ever be built.
var oldest = [2]int{3, 5}

// checkVersion reports a version that is malformed or too old.
func checkVersion(s *subject) []Finding {
	major, minor := render.NumbersOf(s.spec.SparkVersion)
	switch {
	case major < 0 || minor < 0:
		return []Finding{invalid("spec.sparkVersion", "invalid version %q: set one such as 4.1.4", s.spec.SparkVersion)}
	case major < oldest[0] || major == oldest[0] && minor < oldest[1]:
		return []Finding{invalid("spec.sparkVersion", "value %q is too old: use an image with Spark %s", s.spec.SparkVersion, supportedVersions())}
	}
	return nil
}

// checkUnsupportedVersion reports a version that this operator does not support yet.
func checkUnsupportedVersion(s *subject) []Finding {
	if !render.SupportedVersion(s.spec.SparkVersion) {
		return []Finding{unsupported("spec.sparkVersion", s.spec.SparkVersion, "use an image with Spark "+supportedVersions()+" and set its version")}
	}
	return nil
}

// supportedVersions returns the supported versions for a message, as in "4.0, 4.1 or 4.2".
func supportedVersions() string {
	last := len(render.Supported) - 1
	return strings.Join(render.Supported[:last], ", ") + " or " + render.Supported[last]
}
