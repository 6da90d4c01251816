// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Warnings returns what works but should be changed. Warnings do not keep an application from running.
func Warnings(app *v1alpha1.SparkApplication) []Finding {
	s := newSubject(app)
	all := slices.Concat(secretWarnings(s), heapWarnings(s), habitWarnings(s), overwrittenWarnings(s), exposureWarnings(s), sidecarWarnings(s),
		packageWarnings(s), localWarnings(s), gateWarnings(s), idleWarnings(s))
	for i := range all {
		all[i] = withoutPasswords(all[i])
	}
	return all
}

// AccountWarnings warns if the driver has no service account and so uses the account default, which usually lacks the
// rights. It cannot see which rights that account has, or what a sparkConfigMap sets; only the cluster knows these.
func AccountWarnings(app *v1alpha1.SparkApplication) []Finding {
	s := newSubject(app)
	driver := s.roles[0]
	pod := driver.parts.Template.Spec
	if s.properties.First("", conf.DriverServiceAccount) != "" || pod.ServiceAccountName != "" || pod.DeprecatedServiceAccount != "" ||
		s.spec.SparkConfigMap != "" || len(rights.Needed(s.properties)) == 0 {
		return nil
	}
	return []Finding{{Field: driver.Path + ".serviceAccountName", Message: "not set, so the driver runs under the namespace's ServiceAccount default, which usually may not " +
		"create executors: set it to an account that may; kubectl apply -k config/job-namespace creates one named spark"}}
}

// secretWarnings warns about values that look like secrets, because all users who may read ConfigMaps can read them.
func secretWarnings(s *subject) []Finding {
	var warnings []Finding
	for _, property := range s.properties.Sorted() {
		const readable = ", and the value will stand in a ConfigMap that others may read: take it from a Secret with spec.sparkConfFrom"
		switch {
		case property.Origin.Source == conf.Secret:
		case conf.SecretValue(property.Key, property.Value):
			warnings = append(warnings, Finding{Field: property.Origin.Field, Message: "the key looks like that of a secret" + readable})
		case conf.HoldsSecret(property.Key, property.Value) && conf.RefusedFromSecret(property.Key) == "":
			warnings = append(warnings, Finding{Field: property.Origin.Field, Message: "the value seems to contain a password" + readable})
		}
	}
	return warnings
}

// heapWarnings warns about heaps that are too small for a Spark context. It needs 450 MiB, and with the serial
// collector, which Java uses in all pods below 1792 MiB, Java counts a thirtieth less than it was given.
func heapWarnings(s *subject) []Finding {
	const smallest = 466 // MiB
	var warnings []Finding
	for _, key := range []string{conf.DriverMemory, conf.ExecutorMemory} {
		if heap, err := s.properties.MiB(key, smallest); err == nil && heap < smallest {
			warnings = append(warnings, Finding{Field: s.properties.Field(key),
				Message: fmt.Sprintf("value %q is less than Spark needs to start: set at least %dm", s.properties.Get(key, ""), smallest)})
		}
	}
	return warnings
}

// sidecarWarnings warns about other containers in the driver's pod, because the kubelet does not end them with the
// driver.
func sidecarWarnings(s *subject) []Finding {
	var warnings []Finding
	for _, r := range s.roles {
		if r.Name != conf.Driver {
			continue
		}
		for i := range r.parts.Template.Spec.Containers {
			if i == r.spark {
				continue
			}
			warnings = append(warnings, Finding{Field: r.containerPath(i), Message: fmt.Sprintf("container %q may not end with the driver, and the run holds its "+
				"quota until the operator ends it, 30s later: make it an entry of initContainers with restartPolicy: Always, which Kubernetes ends with the driver",
				r.parts.Template.Spec.Containers[i].Name)})
		}
	}
	return warnings
}

// packageWarnings warns if the driver fetches libraries and no folder is set for them. It would store them in the home
// folder of its user; the user of Spark's images has none, so the driver ends when it cannot create a file there.
func packageWarnings(s *subject) []Finding {
	_, fetches := s.properties.Lookup(conf.Packages)
	home := strings.Contains(s.properties.Get(conf.DriverJavaOptions, ""), "-Divy.home=")
	if s.properties.First("", ivyFolder, "spark.jars.ivySettings") != "" || s.spec.SparkConfigMap != "" || !fetches || home {
		return nil
	}
	return []Finding{{Field: s.properties.Field(conf.Packages), Message: "the driver keeps these libraries below the home of its user, and the user of Spark's images has none, " +
		"so that it would end when it starts: set " + ivyFolder + " in spec.sparkConf to a folder that it can write, such as /tmp/ivy"}}
}

// localWarnings warns about local files that executors will not have in their working folder: the driver copies and
// unpacks files of its own image only into its own folder, and sends only other files to executors; but from 4.1 on, it
// sends what it has copied for spark.files.
func localWarnings(s *subject) []Finding {
	var warnings []Finding
	sends := !strings.HasPrefix(s.spec.SparkVersion, "3.") && !strings.HasPrefix(s.spec.SparkVersion, "4.0.")
	for _, list := range lists {
		if list.key != conf.Archives && (list.key != conf.Files || sends) {
			continue
		}
		for _, e := range s.elements(list.key, list.field, list.typed) {
			if scheme, err := conf.Scheme(e.uri); err == nil && scheme == "local" {
				warnings = append(warnings, Finding{Field: e.field, Message: fmt.Sprintf("value %q is put into the working folder of the driver alone, because Spark "+
					"does not send it to executors: set a remote URI, or have the program read the file by its path in image or volume", e.uri)})
			}
		}
	}
	return warnings
}

// gateWarnings warns about settings that lead pods to the queue of another system although the application does not use
// the gate of that system. The other system would then ask for quota pod by pod, after Sparkgate has granted its own.
func gateWarnings(s *subject) []Finding {
	if s.spec.Queue != nil && s.spec.Queue.Gate != "" {
		return nil // contradictions are findings
	}
	const remedy = ": set spec.queue.gate to %[2]s and spec.queue.name to the queue, and remove it; or remove it, if the namespace's default gate is %[2]s"
	var warnings []Finding
	for _, key := range []string{conf.SchedulerName, conf.Driver.Key("scheduler.name"), conf.Executor.Key("scheduler.name")} {
		gates := catalog.Names(func(can queueing.Capabilities) bool {
			return can.Scheduler != "" && can.Scheduler == s.properties.Get(key, "")
		})
		for _, gate := range gates {
			warnings = append(warnings, Finding{Field: s.properties.Field(key), Message: fmt.Sprintf("value %q is the scheduler of the gate %s, which sets it itself"+remedy,
				s.properties.Get(key, ""), gate)})
		}
	}
	for _, r := range s.roles {
		key := r.Name.Key("label." + v1alpha1.KueueQueueLabel)
		if _, ok := s.properties.Lookup(key); ok {
			warnings = append(warnings, Finding{Field: s.properties.Field(key), Message: fmt.Sprintf(
				"the label %[1]s has Kueue decide on each pod separately"+remedy, v1alpha1.KueueQueueLabel, v1alpha1.GateKueue)})
		}
	}
	return warnings
}

// idleWarnings warns about the number and the size of executors of a driver that has none.
func idleWarnings(s *subject) []Finding {
	if !conf.IsLocal(s.properties.Get(conf.DriverMaster, "")) {
		return nil
	}
	var warnings []Finding
	for _, key := range []string{conf.ExecutorInstances, conf.ExecutorCores, conf.ExecutorMemory, conf.ExecutorMemoryOverhead} {
		if _, ok := s.properties.Lookup(key); ok {
			warnings = append(warnings, Finding{Field: s.properties.Field(key), Message: fmt.Sprintf("has no effect, because the driver has no executors with %q in %s: "+
				"remove it, and set the size of the driver", s.properties.Get(conf.DriverMaster, ""), s.properties.Field(conf.DriverMaster))})
		}
	}
	return warnings
}

// overwritten are the variables that Spark's client sets last.
var overwritten = []string{"SPARK_APPLICATION_ID", "SPARK_DRIVER_BIND_ADDRESS", "SPARK_LOCAL_DIRS", "SPARK_CONF_DIR"}

// overwrittenWarnings warns about settings that Spark replaces.
func overwrittenWarnings(s *subject) []Finding {
	var warnings []Finding
	for _, r := range s.roles {
		for _, variable := range r.Fields.Env {
			if slices.Contains(overwritten, variable.Name) {
				warnings = append(warnings, Finding{Field: conf.At(r.Path+".env", variable.Name), Message: "Spark sets this variable itself: remove it"})
			}
		}
		if r.spark < 0 {
			continue
		}
		key := r.Name.Key("podTemplateContainerName")
		if name, ok := s.properties.Lookup(key); ok && r.parts.Template.Spec.Containers[r.spark].Name != name {
			warnings = append(warnings, Finding{Field: s.properties.Field(key),
				Message: fmt.Sprintf("value %q does not name a container of %s.template, so Spark takes another one: correct the name", name, r.Path)})
		}
		if image := r.parts.Template.Spec.Containers[r.spark].Image; image != "" {
			warnings = append(warnings, Finding{Field: r.containerPath(r.spark) + ".image",
				Message: fmt.Sprintf("value %q is not used, because Spark takes this container for its own: set %s.image; or, if it is a sidecar, make it an entry of "+
					"initContainers with restartPolicy: Always", image, r.Path)})
		}
	}
	return warnings
}
