// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// application is what is read of their spec as a whole. All other fields are moved one by one.
type application struct {
	Type                      string            `json:"type"`
	SparkVersion              string            `json:"sparkVersion"`
	Image                     string            `json:"image"`
	MainClass                 string            `json:"mainClass"`
	SparkConf                 map[string]string `json:"sparkConf"`
	SparkConfigMap            string            `json:"sparkConfigMap"`
	HadoopConfigMap           string            `json:"hadoopConfigMap"`
	Volumes                   []map[string]any  `json:"volumes"`
	NodeSelector              map[string]string `json:"nodeSelector"`
	TimeToLiveSeconds         *int64            `json:"timeToLiveSeconds"`
	DriverPodDisruptionBudget bool              `json:"driverPodDisruptionBudget"`
	BatchScheduler            string            `json:"batchScheduler"`
	Driver                    role              `json:"driver"`
	Executor                  role              `json:"executor"`

	RestartPolicy struct {
		Type                   string `json:"type"`
		OnFailureRetries       int32  `json:"onFailureRetries"`
		OnFailureRetryInterval *int64 `json:"onFailureRetryInterval"`
	} `json:"restartPolicy"`
	DynamicAllocation *struct {
		Enabled                bool   `json:"enabled"`
		MaxExecutors           *int64 `json:"maxExecutors"`
		ShuffleTrackingEnabled *bool  `json:"shuffleTrackingEnabled"`
		ShuffleTrackingTimeout *int64 `json:"shuffleTrackingTimeout"`
	} `json:"dynamicAllocation"`
	Monitoring *struct {
		ExposeDriverMetrics   bool   `json:"exposeDriverMetrics"`
		ExposeExecutorMetrics bool   `json:"exposeExecutorMetrics"`
		MetricsProperties     string `json:"metricsProperties"`
		MetricsPropertiesFile string `json:"metricsPropertiesFile"`
		Prometheus            *struct {
			JmxExporterJar string `json:"jmxExporterJar"`
			Port           *int32 `json:"port"`
			ConfigFile     string `json:"configFile"`
			Configuration  string `json:"configuration"`
		} `json:"prometheus"`
	} `json:"monitoring"`
	BatchSchedulerOptions struct {
		Queue             string `json:"queue"`
		PriorityClassName string `json:"priorityClassName"`
	} `json:"batchSchedulerOptions"`
	SparkUIOptions struct {
		ServiceAnnotations map[string]string `json:"serviceAnnotations"`
	} `json:"sparkUIOptions"`
	DriverIngressOptions []struct {
		ServicePort      int32  `json:"servicePort"`
		ServicePortName  string `json:"servicePortName"`
		IngressURLFormat string `json:"ingressURLFormat"`
	} `json:"driverIngressOptions"`
}

// program translates what is run, and with which Spark.
func program(t *translator) {
	a := &t.theirs
	if a.Type == "" {
		t.write("type", v1alpha1.ScalaApplication) // their default
	}
	switch {
	case a.MainClass == "":
	case a.Type == string(v1alpha1.PythonApplication) || a.Type == string(v1alpha1.RApplication):
		t.note("mainClass", "left out: a program in %s has no main class", a.Type)
	default:
		t.set("mainClass", a.MainClass, "mainClass")
	}
	image(t)
	version(t)
	if a.SparkConfigMap != "" {
		t.set("sparkConfigMap", a.SparkConfigMap, "sparkConfigMap")
		t.note("sparkConfigMap", "its files are in /opt/spark/conf, not in /etc/spark/conf, and the properties of a spark-defaults.conf in it, which have no effect there, "+
			"hold here where nothing else sets them")
	}
	if a.HadoopConfigMap != "" {
		t.set("hadoopConfigMap", a.HadoopConfigMap, "hadoopConfigMap")
		t.note("hadoopConfigMap", "its files are in /opt/hadoop/conf, not in /etc/hadoop/conf; HADOOP_CONF_DIR names that folder")
	}
}

// image sets the images. Their operator needs none for both roles; ours does.
func image(t *translator) {
	a := &t.theirs
	common, from := a.Image, "image"
	if common == "" {
		common, from = a.Driver.Image, "driver.image"
	} else if a.Driver.Image != "" {
		t.set("driver.image", a.Driver.Image, "driver.image")
	}
	if common == "" {
		common, from = a.SparkConf[conf.Image], "sparkConf["+conf.Image+"]"
	}
	if common == "" {
		t.refuse("image", "it is missing: set the image that has Spark and the program")
		return
	}
	t.set("image", common, from)
	if a.Executor.Image != "" {
		t.set("executor.image", a.Executor.Image, "executor.image")
	}
	for _, key := range []string{conf.Image, conf.Driver.Key("container.image"), conf.Executor.Key("container.image")} {
		if value, ok := a.SparkConf[key]; ok && value != common {
			t.note("sparkConf["+key+"]", "left out: it has no effect there, where the fields image set the images")
		}
		delete(a.SparkConf, key)
	}
}

var (
	wholeVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+`)
	versionTag   = regexp.MustCompile(`:[a-z]*-?v?([0-9]+\.[0-9]+\.[0-9]+)[^:/@]*(@[^/]*)?$`)
)

// version sets the version of Spark, which their operator does not read.
func version(t *translator) {
	version, tagged := t.theirs.SparkVersion, ""
	if said, ok := t.saidOf("sparkVersion").(string); ok {
		version = said
	}
	image, _ := t.made["image"].(string)
	if tag := versionTag.FindStringSubmatch(image); tag != nil {
		tagged = tag[1]
	}
	switch {
	case !wholeVersion.MatchString(version) && tagged != "" && strings.HasPrefix(tagged, version):
		t.note("sparkVersion", "becomes %s, which the tag of the image says: here it has to be the version of the Spark in the image", tagged)
		version = tagged
	case !wholeVersion.MatchString(version):
		t.refuse("sparkVersion", "value %q: set the whole version of the Spark in the image, such as 4.1.4", version)
	case tagged != "" && wholeVersion.FindString(version) != tagged:
		t.note("sparkVersion", "stays %s, but the tag of the image says %s: it has no effect there; here, set the version of the Spark in the image", version, tagged)
	}
	t.set("sparkVersion", version, "sparkVersion")
}

// settled are properties that say what holds anyway, by the beginnings of their keys and of such values.
var settled = map[string]string{
	conf.Master: "k8s://", conf.DeployMode: "cluster", "spark.kubernetes.submission.": "", "spark.kubernetes.authenticate.submission.": "",
}

// settle leaves out what loses there: properties that say what holds anyway, and fields that sparkConf wins over.
func settle(t *translator) {
	left := t.theirs.SparkConf
	for _, key := range slices.Sorted(maps.Keys(left)) {
		for prefix, value := range settled {
			if strings.HasPrefix(key, prefix) && strings.HasPrefix(left[key], value) {
				delete(left, key)
			}
		}
	}
	if name, ok := left[conf.AppName]; ok && name != t.app.Name {
		t.note("sparkConf["+conf.AppName+"]", "left out: it has no effect there, where the name of the object is the name of the application")
	}
	delete(left, conf.AppName)
	if left[conf.Namespace] == t.app.Namespace {
		delete(left, conf.Namespace)
	}
	for key, field := range map[string]string{
		conf.ImagePullPolicy: "imagePullPolicy", conf.ImagePullSecrets: "imagePullSecrets", conf.MemoryOverheadFactor: "memoryOverheadFactor",
	} {
		if _, set := t.made[field]; set && left[key] != "" {
			t.note(field, "left out: the value of sparkConf[%s] holds, as there", key)
			delete(t.made, field)
		}
	}
}

// properties sets sparkConf, without what their fields win over.
func properties(t *translator) {
	settle(t)
	left := t.theirs.SparkConf
	trial := &v1alpha1.SparkApplication{ObjectMeta: t.app.ObjectMeta}
	if len(t.Refusals) == 0 {
		t.decode(t.made, t.base, &trial.Spec)
	}
	merged, _ := conf.Merge(trial, conf.Sources{})
	for _, key := range slices.Sorted(maps.Keys(left)) {
		p, both := merged[key]
		if !both || p.Origin.Source != conf.TypedField {
			continue
		}
		if field := t.TheirField(t.based(p.Origin.Field)); p.Value != left[key] {
			t.note("sparkConf["+key+"]", "left out: the value of %s holds, as there", field)
		}
		delete(left, key)
	}
	if len(left) > 0 {
		t.set("sparkConf", left, "sparkConf")
	}
}
