// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/queueing"
)

// inputOf creates the input for a small Java application whose spec was edited.
func inputOf(t testing.TB, edit func(*v1alpha1.SparkApplicationSpec)) Input {
	t.Helper()
	app := &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs", UID: "5d9c1f9e-8b1e-4b52-9d0c-3f5a1b1f7a11"},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.JavaApplication, SparkVersion: "4.1.4", Image: "spark:4.1", MainClass: "Main", MainApplicationFile: "local:///pi.jar",
		},
	}
	if edit != nil {
		edit(&app.Spec)
	}
	in, findings := NewInput(app, conf.Sources{})
	if len(findings) > 0 {
		t.Fatalf("findings of conf.Merge: %v", findings)
	}
	in.SubmitTime = submitTime
	return in
}

// mustBuild builds the objects of a small application whose spec was edited.
func mustBuild(t *testing.T, edit func(*v1alpha1.SparkApplicationSpec)) Objects {
	t.Helper()
	objects, err := Build(inputOf(t, edit))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// withConf sets properties.
func withConf(values map[string]string) func(*v1alpha1.SparkApplicationSpec) {
	return func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConf = values }
}

// raw creates a raw part of a spec of a document.
func raw(document string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(document)} }

// sparkOf returns Spark's container of a driver.
func sparkOf(pod *corev1.Pod) corev1.Container {
	return pod.Spec.Containers[len(pod.Spec.Containers)-1]
}

func TestBuildTwiceGivesTheSame(t *testing.T) {
	t.Parallel()
	edit := func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{}
		spec.Driver.Labels, spec.Driver.Annotations = map[string]string{}, map[string]string{}
		for _, c := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
			spec.SparkConf["spark."+c] = c
			spec.SparkConf["spark.kubernetes.driverEnv."+c] = c
			spec.SparkConf["spark.kubernetes.driver.volumes.emptyDir."+c+".mount.path"] = "/" + c
			spec.Driver.Labels[c], spec.Driver.Annotations[c] = c, c
		}
	}
	first := printed(t, mustBuild(t, edit))
	for range 5 {
		if diff := cmp.Diff(first, printed(t, mustBuild(t, edit))); diff != "" {
			t.Fatalf("the second build differs (-first +second):\n%s", diff)
		}
	}
}

func TestBuildChangesNoInput(t *testing.T) {
	t.Parallel()
	in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.Env = []v1alpha1.EnvVar{{Name: "A", Value: "b"}}
		spec.Driver.Tolerations = []corev1.Toleration{{Key: "x"}}
		spec.Driver.Template = raw(`{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"one","args":["x"]},{"name":"two"}]}}`)
	})
	in.Grant = &queueing.Grant{PodSets: []queueing.PodSetGrant{{Name: "executor", Count: 1, Tolerations: []corev1.Toleration{{Key: "y"}}}}}
	in.ConfFiles = map[string]string{"log4j2.properties": "x"}
	app, properties, grant := in.App.DeepCopy(), maps.Clone(in.Properties), *in.Grant
	objects, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	objects.Pod.Spec.Tolerations[0].Key = "changed"
	objects.ExecutorTemplate.Spec.Tolerations[0].Key = "changed"
	if diff := cmp.Diff(app, in.App); diff != "" {
		t.Errorf("application (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(properties, in.Properties); diff != "" {
		t.Errorf("properties (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(&grant, in.Grant); diff != "" {
		t.Errorf("grant (-before +after):\n%s", diff)
	}
	if len(in.ConfFiles) != 1 {
		t.Errorf("conf files = %v", in.ConfFiles)
	}
}

func TestBuildGivesTheSameNamesWithAndWithoutGrant(t *testing.T) {
	t.Parallel()
	in := inputOf(t, nil)
	before, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Grant, in.SubmitTime = &queueing.Grant{Queue: "team-a"}, submitTime.Add(time.Hour)
	after, err := Build(in)
	if err != nil || before.Names != after.Names {
		t.Errorf("error %v, names %v and %v", err, before.Names, after.Names)
	}
}

func TestBuildReportsEveryWrongProperty(t *testing.T) {
	t.Parallel()
	_, err := Build(inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{
			conf.DriverMemory: "1Ei", conf.UIPort: "0", conf.LocalDirsTmpfs: "yes",
			"spark.kubernetes.driver.secretKeyRef.A":                  "secret",
			"spark.kubernetes.driver.volumes.configMap.v.mount.path":  "/v",
			"spark.kubernetes.kerberos.tokenSecret.name":              "tokens",
			"spark.executor.instances":                                "two",
			"spark.driver.resource.gpu.amount":                        "1",
			"spark.kubernetes.executor.volumes.nfs.v.mount.path":      "/v",
			"spark.kubernetes.driver.volumes.configMap.v.options.key": "x",
		}
		spec.Driver.Template = raw(`{"specc":{}}`)
		spec.Executor.VolumeMounts = []runtime.RawExtension{*raw(`{"mountPath":1}`)}
	}))
	for _, want := range []string{
		`spec.driver.template.specc: unknown field "specc": write spec, or remove it`,
		`spec.executor.volumeMounts[0].mountPath: expected a string (in quotes), found an integer: 1`,
		`spec.sparkConf[spark.driver.memory]: value "1Ei" has the unknown unit "ei"`,
		`spec.sparkConf[spark.ui.port]: value "0" is not a port that Spark opens and executors can find`,
		`spec.sparkConf[spark.kubernetes.local.dirs.tmpfs]: value "yes" is neither true nor false`,
		`spec.sparkConf[spark.kubernetes.driver.secretKeyRef.A]: value (hidden) does not name a key of a Secret`,
		`spec.sparkConf[spark.kubernetes.driver.volumes.configMap.v.mount.path]: value "/v" belongs to a volume of the unknown kind "configMap"`,
		`spec.sparkConf[spark.kubernetes.kerberos.tokenSecret.itemKey]: value (hidden) is missing`,
		`spec.sparkConf[spark.executor.instances]: value "two" is not a whole number`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q; it is\n%v", want, err)
		}
	}
	var mistake *FindingError
	var wrong *conf.ValueError
	if !errors.As(err, &mistake) || !errors.As(err, &wrong) {
		t.Error("the error does not join a FindingError and a ValueError")
	}
}

func TestSubmitProperties(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit func(*v1alpha1.SparkApplicationSpec)
		key  string
		want string
	}{
		"the master is the pod's own cluster": {nil, conf.Master, "k8s://https://kubernetes.default.svc"},
		"the mode":                            {nil, conf.DeployMode, "cluster"},
		"the namespace":                       {nil, conf.Namespace, "jobs"},
		"the name":                            {nil, conf.AppName, "pi"},
		"the time of submission":              {nil, conf.AppSubmitTime, "1769860800000"},
		"a time of the user":                  {withConf(map[string]string{conf.AppSubmitTime: "1"}), conf.AppSubmitTime, "1"},
		"no Python files":                     {nil, conf.PyFiles, ""},
		"Python files": {
			func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Deps = &v1alpha1.Dependencies{PyFiles: []string{"local:/a.py", "local:/b.zip"}}
			}, conf.PyFiles, "local:/a.py,local:/b.zip",
		},
		"the main jar": {nil, conf.Jars, "local:///pi.jar"},
		"the main jar goes last": {
			func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Deps = &v1alpha1.Dependencies{Jars: []string{"local:/a.jar"}}
			}, conf.Jars, "local:/a.jar,local:///pi.jar",
		},
		"the main jar, twice": {withConf(map[string]string{conf.Jars: "local:///pi.jar, local:/b.jar"}), conf.Jars, "local:///pi.jar,local:/b.jar,local:///pi.jar"},
		"no main jar": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.MainApplicationFile = NoResource }, conf.Jars, "",
		},
		"Python has no jars": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.Type = v1alpha1.PythonApplication }, conf.Jars, "-",
		},
		"Java":   {nil, conf.ResourceType, "java"},
		"Python": {func(spec *v1alpha1.SparkApplicationSpec) { spec.Type = v1alpha1.PythonApplication }, conf.ResourceType, "python"},
		"R":      {func(spec *v1alpha1.SparkApplicationSpec) { spec.Type = v1alpha1.RApplication }, conf.ResourceType, "r"},
		"Scala":  {func(spec *v1alpha1.SparkApplicationSpec) { spec.Type = v1alpha1.ScalaApplication }, conf.ResourceType, "java"},
		"a small factor is printed as Java does": {
			withConf(map[string]string{conf.MemoryOverheadFactor: "0.0001"}), conf.MemoryOverheadFactor, "1.0E-4",
		},
		"a whole factor is printed as Java does": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.MemoryOverheadFactor = "2" }, conf.MemoryOverheadFactor, "2.0",
		},
		"executors are named like the rest":  {nil, conf.ExecutorPodNamePrefix, "pi-bcg6z-1-1"},
		"executors are named by the user":    {withConf(map[string]string{conf.ExecutorPodNamePrefix: "w"}), conf.ExecutorPodNamePrefix, "w"},
		"executors of Spark's own number":    {nil, conf.ExecutorInstances, "-"},
		"the Service":                        {nil, conf.DriverHost, "pi-bcg6z-1-1-driver-svc.jobs.svc"},
		"the driver's port":                  {nil, conf.DriverPort, "7078"},
		"another port":                       {withConf(map[string]string{conf.DriverPort: "1024"}), conf.DriverPort, "1024"},
		"the block manager's port":           {nil, conf.DriverBlockManagerPort, "7079"},
		"the common port is not the Service": {withConf(map[string]string{conf.BlockManagerPort: "1024"}), conf.DriverBlockManagerPort, "7079"},
		"the executor template":              {nil, conf.ExecutorTemplateFile, "/opt/spark/pod-template/pod-spec-template.yml"},
		"Hadoop's ConfigMap for executors": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.HadoopConfigMap = "h" }, conf.ExecutorHadoopMap, "h",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := mustBuild(t, test.edit)
			if got := objects.Properties.Get(test.key, "-"); got != test.want {
				t.Errorf("%s = %q, want %q", test.key, got, test.want)
			}
			inFile, ok := conf.Parse(objects.ConfigMap.Data[propertiesFile])[test.key]
			if ok != (test.want != "-") || ok && inFile != test.want {
				t.Errorf("%s in the file = %q, %t, want %q", test.key, inFile, ok, test.want)
			}
		})
	}
}

func TestGrantCutsExecutors(t *testing.T) {
	t.Parallel()
	instances := func(n int32) func(*v1alpha1.SparkApplicationSpec) {
		return func(spec *v1alpha1.SparkApplicationSpec) { spec.Executor.Instances = ptr.To(n) }
	}
	for name, test := range map[string]struct {
		edit    func(*v1alpha1.SparkApplicationSpec)
		granted int32
		want    string
	}{
		"fewer than wanted":           {instances(8), 5, "5"},
		"all that are wanted":         {instances(8), 8, "8"},
		"more than wanted":            {instances(8), 9, "8"},
		"nothing said":                {instances(8), 0, "8"},
		"fewer than Spark's default":  {nil, 1, "1"},
		"Spark's default":             {nil, 2, "-"},
		"under dynamic allocation":    {withConf(map[string]string{conf.DynamicAllocationEnabled: "true", conf.DynamicAllocationMax: "9"}), 5, "-"},
		"instances under the dynamic": {withConf(map[string]string{conf.DynamicAllocationEnabled: "true", conf.ExecutorInstances: "7"}), 5, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputOf(t, test.edit)
			in.Grant = &queueing.Grant{PodSets: []queueing.PodSetGrant{{Name: "driver", Count: 1}, {Name: "executor", Count: test.granted}}}
			objects, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			if got := objects.Properties.Get(conf.ExecutorInstances, "-"); got != test.want {
				t.Errorf("instances = %q, want %q", got, test.want)
			}
		})
	}
}

// TestDecommission: executors that may be asked for their quota hand over what they hold, unless hooks of their own would be lost by it.
func TestDecommission(t *testing.T) {
	t.Parallel()
	dynamic := map[string]string{conf.DynamicAllocationEnabled: "true", conf.DynamicAllocationMax: "9"}
	with := func(key, value string) map[string]string {
		values := maps.Clone(dynamic)
		values[key] = value
		return values
	}
	const hooks = `{"spec": {"containers": [{"name": "main", "lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}]}}`
	for name, test := range map[string]struct {
		gated          bool
		conf           map[string]string
		template, want string
	}{
		"by default":             {true, dynamic, `{}`, "true true 3s"},
		"not gated":              {false, dynamic, `{}`, "- - -"},
		"not dynamic":            {true, nil, `{}`, "- - -"},
		"chosen":                 {true, with(conf.DecommissionEnabled, "false"), `{}`, "false - -"},
		"hooks":                  {true, dynamic, hooks, "- - -"},
		"hooks of a sidecar":     {true, with("spark.kubernetes.executor.podTemplateContainerName", "spark"), strings.Replace(hooks, "[{", `[{"name": "spark"}, {`, 1), "true true 3s"},
		"hooks that say nothing": {true, dynamic, `{"spec": {"containers": [{"name": "main", "lifecycle": {}}]}}`, "true true 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.SparkConf, spec.Executor.Template = test.conf, raw(test.template)
			})
			in.SchedulingGated = test.gated
			objects, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, key := range []string{conf.DecommissionEnabled, conf.StorageDecommissionEnabled, conf.DecommissionInterval} {
				got = append(got, objects.Properties.Get(key, "-"))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("decommissioning: %v, want %s", got, test.want)
			}
		})
	}
}

// TestNameOfTheExecutorContainer: Spark knows which container ends with an executor, where another one runs on.
func TestNameOfTheExecutorContainer(t *testing.T) {
	t.Parallel()
	const key = "spark.kubernetes.executor.podTemplateContainerName"
	for name, test := range map[string]struct {
		gated      bool
		given      string
		containers string
		want       string
	}{
		"a sidecar":          {true, "", `[{"name": "main"}, {"name": "proxy"}]`, "main"},
		"not gated":          {false, "", `[{"name": "main"}, {"name": "proxy"}]`, "-"},
		"chosen":             {true, "proxy", `[{"name": "main"}, {"name": "proxy"}]`, "proxy"},
		"Spark's own name":   {true, "", `[{"name": "proxy"}, {"name": "spark-kubernetes-executor"}]`, "-"},
		"alone":              {true, "", `[{"name": "main"}]`, "-"},
		"without a template": {true, "", `[]`, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.SparkConf = map[string]string{conf.DynamicAllocationEnabled: "true", conf.DynamicAllocationMax: "9"}
				if test.given != "" {
					spec.SparkConf[key] = test.given
				}
				spec.Executor.Template = raw(`{"spec": {"containers": ` + test.containers + `}}`)
			})
			in.SchedulingGated = test.gated
			objects, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			if got := objects.Properties.Get(key, "-"); got != test.want {
				t.Errorf("%s = %q, want %q", key, got, test.want)
			}
		})
	}
}

func TestUIAddress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]string
		want   string
	}{
		"Spark's port":   {nil, "http://pi-bcg6z-1-1-driver-svc.jobs.svc:4040"},
		"another port":   {map[string]string{conf.UIPort: "14040"}, "http://pi-bcg6z-1-1-driver-svc.jobs.svc:14040"},
		"switched off":   {map[string]string{conf.UIEnabled: "false"}, ""},
		"no such switch": {map[string]string{conf.UIEnabled: "maybe"}, ""},
	} {
		if got := mustBuild(t, withConf(test.values)).UIAddress; got != test.want {
			t.Errorf("%s: address = %q, want %q", name, got, test.want)
		}
	}
}

func TestExcludedSteps(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, withConf(map[string]string{
		conf.DriverExcludedSteps: featurePackage + "LocalDirsFeatureStep, " + featurePackage + "KerberosConfDriverFeatureStep",
	}))
	for _, volume := range objects.Pod.Spec.Volumes {
		if strings.HasPrefix(volume.Name, LocalDirPrefix) {
			t.Errorf("volume %s is there although its step is excluded", volume.Name)
		}
	}
	if !Required("BasicDriverFeatureStep") || Required("LocalDirsFeatureStep") {
		t.Error("the wrong steps are required")
	}
}

func TestExecutorTemplateIsWhatTheDriverMounts(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Executor.Env = []v1alpha1.EnvVar{{Name: "HTML", Value: `<a href="x">&</a>`}}
		spec.Executor.Template = raw(`{"spec":{"containers":[{"name":"logs"},{"name":"spark-kubernetes-executor","workingDir":"/w"}]}}`)
	})
	text := objects.ConfigMap.Data[templateKey]
	var mounted corev1.Pod
	if err := json.Unmarshal([]byte(text), &mounted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(objects.ExecutorTemplate, &mounted); diff != "" {
		t.Errorf("template (-returned +mounted):\n%s", diff)
	}
	if !strings.Contains(text, `<a href=\"x\">&</a>`) {
		t.Errorf("signs of HTML are escaped in\n%s", text)
	}
	if first := mounted.Spec.Containers[0]; first.Name != "spark-kubernetes-executor" || first.WorkingDir != "/w" || len(first.Env) != 1 {
		t.Errorf("the first container is %v, want Spark's", first)
	}
}
