// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// role is what is read of the driver or the executor as a whole.
type role struct {
	t *translator
	// name is driver or executor.
	name string

	Image            string             `json:"image"`
	PodName          string             `json:"podName"`
	Cores            *float64           `json:"cores"`
	Memory           string             `json:"memory"`
	JavaOptions      string             `json:"javaOptions"`
	MemoryLimit      string             `json:"memoryLimit"`
	Instances        *int64             `json:"instances"`
	SchedulerName    string             `json:"schedulerName"`
	HostNetwork      bool               `json:"hostNetwork"`
	NodeSelector     map[string]string  `json:"nodeSelector"`
	Labels           map[string]string  `json:"labels"`
	Annotations      map[string]string  `json:"annotations"`
	Env              []map[string]any   `json:"env"`
	EnvVars          map[string]string  `json:"envVars"`
	EnvSecretKeyRefs map[string]nameKey `json:"envSecretKeyRefs"`
	VolumeMounts     []map[string]any   `json:"volumeMounts"`
	Ports            []map[string]any   `json:"ports"`
	HostAliases      []any              `json:"hostAliases"`
	Sidecars         []map[string]any   `json:"sidecars"`
	InitContainers   []map[string]any   `json:"initContainers"`
	Affinity         map[string]any     `json:"affinity"`
	Template         map[string]any     `json:"template"`
	ConfigMaps       []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"configMaps"`
	Secrets []struct {
		Name string `json:"name"`
		Path string `json:"path"`
		Type string `json:"secretType"`
	} `json:"secrets"`
}

// nameKey is a key of a Secret.
type nameKey struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

// translate translates what depends on several fields of a role.
func (r *role) translate() {
	r.size()
	r.environment()
	r.volumes()
	r.labels()
	r.annotations()
	r.containers()
	selector := map[string]string{}
	maps.Copy(selector, r.t.theirs.NodeSelector)
	maps.Copy(selector, r.NodeSelector)
	if len(selector) > 0 {
		r.t.set(r.name+".nodeSelector", selector, "nodeSelector")
	}
	if r.HostNetwork {
		pod := r.pod(r.name + ".hostNetwork")
		pod["hostNetwork"], pod["dnsPolicy"] = true, corev1.DNSClusterFirstWithHostNet
	}
	if len(r.HostAliases) > 0 {
		appendTo(r.pod(r.name+".hostAliases"), "hostAliases", r.HostAliases...)
	}
}

// size writes out their defaults, and turns a memory limit into overhead.
func (r *role) size() {
	memory := cmp.Or(r.Memory, r.t.theirs.SparkConf["spark."+r.name+".memory"])
	if memory == "" {
		memory = "1g"
		r.t.write(r.name+".memory", memory)
	}
	if _, set := r.t.theirs.SparkConf["spark."+r.name+".cores"]; r.Cores == nil && !set {
		r.t.write(r.name+".cores", 1)
	}
	if r.MemoryLimit == "" {
		return
	}
	p := conf.Properties{}
	p.Set("memory", memory, conf.Origin{})
	p.Set("limit", strings.TrimSuffix(r.MemoryLimit, "i"), conf.Origin{}) // 2Gi is 2g
	used, err := p.MiB("memory", 0)
	limit, wrong := p.MiB("limit", 0)
	if err != nil || wrong != nil || limit <= used {
		r.t.refuse(r.name+".memoryLimit", "value %q: remove it, or write it like memory, and above that", r.MemoryLimit)
		return
	}
	r.t.set(r.name+".memoryOverhead", fmt.Sprintf("%dm", limit-used), r.name+".memoryLimit")
	r.t.note(r.name+".memoryLimit", "becomes memoryOverhead: %dm, so that the pod has the limit; here its request is the same", limit-used)
}

// environment sets the variables of Spark's container. A later one of the same name wins, as there.
func (r *role) environment() {
	var env []map[string]any
	add := func(variable map[string]any) {
		env = slices.DeleteFunc(env, func(other map[string]any) bool { return other["name"] == variable["name"] })
		env = append(env, variable)
	}
	for _, key := range slices.Sorted(maps.Keys(r.EnvVars)) {
		add(map[string]any{"name": key, "value": r.EnvVars[key]})
	}
	for _, s := range r.Secrets {
		r.t.property(fmt.Sprintf("spark.kubernetes.%s.secrets.%s", r.name, s.Name), s.Path, r.name+".secrets")
		switch s.Type {
		case "GCPServiceAccount":
			add(map[string]any{"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": path.Join(s.Path, "key.json")})
		case "HadoopDelegationToken":
			add(map[string]any{"name": "HADOOP_TOKEN_FILE_LOCATION", "value": path.Join(s.Path, "hadoop.token")})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.EnvSecretKeyRefs)) {
		from := r.EnvSecretKeyRefs[key]
		add(map[string]any{"name": key, "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": from.Name, "key": from.Key}}})
	}
	for _, variable := range r.Env {
		add(variable)
	}
	if len(env) > 0 {
		r.t.set(r.name+".env", env, r.name+".env")
	}
}

// volumes gives a role the volumes that its Spark container mounts.
func (r *role) volumes() {
	var volumes, mounts []map[string]any
	for i, mount := range r.VolumeMounts {
		at := slices.IndexFunc(r.t.theirs.Volumes, func(v map[string]any) bool { return v["name"] == mount["name"] })
		if at < 0 {
			r.t.note(fmt.Sprintf("%s.volumeMounts[%d]", r.name, i), "left out: volumes has no %q, and such a mount is ignored there", mount["name"])
			continue
		}
		mounts = append(mounts, mount)
		if !slices.ContainsFunc(volumes, func(v map[string]any) bool { return v["name"] == mount["name"] }) {
			volumes = append(volumes, r.t.theirs.Volumes[at])
		}
	}
	for _, c := range r.ConfigMaps {
		volume := (c.Name + "-vol")[:min(len(c.Name)+len("-vol"), 63)]
		volumes = append(volumes, map[string]any{"name": volume, "configMap": map[string]any{"name": c.Name}})
		mounts = append(mounts, map[string]any{"name": volume, "mountPath": c.Path, "readOnly": true})
	}
	if len(mounts) > 0 {
		r.t.set(r.name+".volumes", volumes, "volumes")
		r.t.set(r.name+".volumeMounts", mounts, r.name+".volumeMounts")
	}
}

// yunikornOwn are the annotations that their operator and the gate YuniKorn set themselves.
var yunikornOwn = []string{
	"yunikorn.apache.org/task-groups", "yunikorn.apache.org/task-group-name", "yunikorn.apache.org/schedulingPolicyParameters",
}

// reservedLabels are those of Spark, which wins over the user there.
var reservedLabels = []string{"spark-version", "spark-app-selector", "spark-app-name", "spark-role", "spark-exec-id", "spark-exec-resourceprofile-id"}

// labels sets the labels of the pods, which also have those of the object there.
func (r *role) labels() {
	labels := map[string]string{}
	for key, value := range r.t.app.Labels {
		if !strings.HasPrefix(key, "kueue.x-k8s.io/") && !strings.HasPrefix(key, v1alpha1.Group+"/") && !slices.Contains(reservedLabels, key) {
			labels[key] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Labels)) {
		if slices.Contains(reservedLabels, key) {
			r.t.note(r.name+".labels["+key+"]", "left out: the label is Spark's own")
			continue
		}
		labels[key] = r.Labels[key]
	}
	if len(labels) > 0 {
		r.t.set(r.name+".labels", labels, r.name+".labels")
		for key := range r.t.app.Labels {
			if _, own := r.Labels[key]; !own {
				r.t.origins[r.t.base+"."+r.name+".labels["+key+"]"] = "metadata.labels[" + key + "]"
			}
		}
	}
}

// annotations sets the annotations of the pods.
func (r *role) annotations() {
	annotations := maps.Clone(r.Annotations)
	for _, key := range yunikornOwn {
		if _, set := annotations[key]; set && r.t.theirs.BatchScheduler == "yunikorn" {
			r.t.note(r.name+".annotations["+key+"]", "left out: the gate YuniKorn sets it")
			delete(annotations, key)
		}
	}
	if len(annotations) > 0 {
		r.t.set(r.name+".annotations", annotations, r.name+".annotations")
	}
}

// containers sets sidecars, init containers and ports, and takes an affinity out of the template if the role has one.
func (r *role) containers() {
	for _, group := range []struct {
		theirs, ours string
		containers   []map[string]any
	}{{"sidecars", "containers", r.Sidecars}, {"initContainers", "initContainers", r.InitContainers}} {
		if len(group.containers) == 0 {
			continue
		}
		field := r.name + "." + group.theirs
		r.container(field) // Spark's container has to be the first
		pod := r.pod(field)
		r.t.madeFrom(r.name+".template.spec."+group.ours, field)
		for _, container := range group.containers {
			appendTo(pod, group.ours, container)
		}
	}
	for _, port := range r.Ports {
		appendTo(r.container(r.name+".ports"), "ports", port)
	}
	if len(r.Affinity) > 0 && r.Template != nil {
		if pod := r.pod(r.name + ".template"); pod["affinity"] != nil {
			r.t.note(r.name+".template.spec.affinity", "left out: affinity of the role holds, as there")
			delete(pod, "affinity")
		}
	}
}

func appendTo[T any](group map[string]any, field string, entries ...T) {
	list, _ := group[field].([]any)
	for _, entry := range entries {
		list = append(list, entry)
	}
	group[field] = list
}

// template sets the template of the role, without what has no effect there.
func (r *role) template() {
	if r.Template == nil {
		return
	}
	at := r.name + ".template"
	var pod corev1.PodTemplateSpec
	var lenient map[string]any
	for _, f := range strictdecode.Decode([]byte(shown(r.Template)), at, &pod) {
		if !strings.HasPrefix(f.Message, "unknown field") {
			r.t.refuse(f.Field, "%s", f.Message)
			return
		}
		r.t.note(f.Field, "left out: a pod has no such field, and it is dropped there")
		lenient, _ = runtime.DefaultUnstructuredConverter.ToUnstructured(&pod)
	}
	if lenient != nil {
		r.Template = lenient
	}
	r.t.set(at, r.Template, at)
	if len(pod.Spec.Containers) > 0 {
		r.withoutSize(r.container(at))
	}
}

// withoutSize removes what Spark overwrites in its container.
func (r *role) withoutSize(container map[string]any) {
	const at = ".template.spec.containers"
	if container["image"] != nil {
		r.t.note(r.name+at, "the image of Spark's container is left out: it has no effect there, where the fields image set it")
		delete(container, "image")
	}
	resources, _ := container["resources"].(map[string]any)
	for _, kind := range []string{"requests", "limits"} {
		amounts, _ := resources[kind].(map[string]any)
		for _, resource := range []string{"cpu", "memory"} {
			if amounts[resource] != nil {
				r.t.note(r.name+at, "resources.%s.%s of Spark's container is left out: Spark overwrites it, from cores and memory", kind, resource)
				delete(amounts, resource)
			}
		}
	}
}

// pod returns the pod's spec in the template of a role, to write to it for a field of theirs.
func (r *role) pod(theirs string) map[string]any {
	group, _ := r.t.made[r.name].(map[string]any)
	template, _ := group["template"].(map[string]any)
	pod, ok := template["spec"].(map[string]any)
	if !ok {
		pod = map[string]any{}
		r.t.set(r.name+".template.spec", pod, theirs)
	}
	return pod
}

// container returns Spark's container in the template of a role, to write to it for a field of theirs.
func (r *role) container(theirs string) map[string]any {
	pod := r.pod(theirs)
	list, _ := pod["containers"].([]any)
	own := "spark-kubernetes-" + r.name
	for _, wanted := range []string{r.t.theirs.SparkConf["spark.kubernetes."+r.name+".podTemplateContainerName"], own} {
		for _, entry := range list {
			if container, ok := entry.(map[string]any); ok && wanted != "" && container["name"] == wanted {
				return container
			}
		}
	}
	if len(list) > 0 {
		if container, ok := list[0].(map[string]any); ok {
			return container
		}
	}
	container := map[string]any{"name": own}
	pod["containers"] = []any{container}
	return container
}
