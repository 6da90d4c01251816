// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVolumes(t *testing.T) {
	t.Parallel()
	table{
		"of fields, properties and the template": {`
driver:
  volumes: [{name: a, emptyDir: {}}]
  volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: c, mountPath: /c}, {name: s-volume, mountPath: /s2}]
  template: {spec: {volumes: [{name: b, emptyDir: {}}], containers: [{name: x, volumeMounts: [{name: a, mountPath: /a2}]}]}}
sparkConf:
  spark.kubernetes.driver.volumes.emptyDir.c.mount.path: /c2
  spark.kubernetes.driver.secrets.s: /s`, nil},
		"no name": {"driver: {volumes: [{emptyDir: {}}]}", []string{`spec.driver.volumes[0].name: the name is missing: set one`}},
		"one name twice": {"driver: {volumes: [{name: a}, {name: a}]}", []string{
			`spec.driver.volumes[1].name: name "a" is already used by spec.driver.volumes[0]; choose another`,
		}},
		"one name in field and template": {"executor: {volumes: [{name: a}], template: {spec: {volumes: [{name: a}]}}}", []string{
			`spec.executor.volumes[0].name: name "a" is already used by spec.executor.template.spec.volumes[0]; choose another`,
		}},
		"one name in field and property": {"driver: {volumes: [{name: a}]}\nsparkConf: {spark.kubernetes.driver.volumes.emptyDir.a.mount.path: /a}", []string{
			`spec.driver.volumes: name "a" is already used by a volume from Spark's properties; choose another`,
		}},
		"Spark's own name": {"driver: {volumes: [{name: spark-conf-volume-driver}]}", []string{
			`spec.driver.volumes[0].name: value "spark-conf-volume-driver" is Spark's own volume for Spark's configuration: rename it`,
		}},
		"a mount of nothing": {"driver: {volumeMounts: [{name: a, mountPath: /a}]}", []string{
			`spec.driver.volumeMounts[0].name: volume "a" not found in spec.driver: correct the name, or add the volume`,
		}},
		"a mount of nothing in the template": {"executor: {template: {spec: {containers: [{name: x, volumeMounts: [{name: a, mountPath: /a}]}]}}}", []string{
			`spec.executor.template.spec.containers[0].volumeMounts[0].name: volume "a" not found in spec.executor: correct the name, or add the volume`,
		}},
		"one path twice": {"driver: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /a/}]}", []string{
			`spec.driver.volumeMounts[1].mountPath: path "/a/" is already used by spec.driver.volumeMounts[0]; choose another`,
		}},
		"one path in field and template": {`
driver: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /a}], template: {spec: {containers: [{name: x, volumeMounts: [{name: a, mountPath: /a}]}]}}}`, []string{
			`spec.driver.volumeMounts[0].mountPath: path "/a" is already used by spec.driver.template.spec.containers[0].volumeMounts[0]; choose another`,
		}},
		"one path in field and property": {`
driver: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /a}]}
sparkConf: {spark.kubernetes.driver.secrets.s: /a}`, []string{
			`spec.driver.volumeMounts: the volumes a and s-volume are both mounted at "/a" in container spark-kubernetes-driver; change one`,
		}},
		"one path of executors in field and property": {`
executor: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /a}]}
sparkConf: {spark.kubernetes.executor.secrets.s: /a}`, []string{
			`spec.executor.volumeMounts: the volumes a and s-volume are both mounted at "/a" in container spark-kubernetes-executor; change one`,
		}},
		"a volume of executors where Spark's scratch space is": {`
executor: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /scratch}]}
sparkConf: {spark.local.dir: /scratch}`, []string{
			`spec.executor.volumeMounts: the volumes a and spark-local-dir-1 are both mounted at "/scratch" in container spark-kubernetes-executor; ` +
				`change one, or begin the name of a volume that is to be Spark's scratch space with spark-local-dir-`,
		}},
		"a volume of executors where that of the driver is scratch space": {`
driver: {volumes: [{name: spark-local-dir-1}], volumeMounts: [{name: spark-local-dir-1, mountPath: /scratch}]}
executor: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /scratch}]}`, []string{
			`spec.executor.volumeMounts: the volumes a and spark-local-dir-1 are both mounted at "/scratch" in container spark-kubernetes-executor; ` +
				`change one, or begin the name of a volume that is to be Spark's scratch space with spark-local-dir-`,
		}},
		"a volume of executors that is scratch space": {`
executor: {volumes: [{name: spark-local-dir-1}], volumeMounts: [{name: spark-local-dir-1, mountPath: /scratch}]}
sparkConf: {spark.local.dir: /scratch}`, nil},
		"Spark's own path": {"driver: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /opt/spark/conf}]}", []string{
			`spec.driver.volumeMounts[0].mountPath: value "/opt/spark/conf" is the folder of Spark's configuration: use spec.sparkConfigMap; choose another`,
		}},
		"a folder that contains Spark": {"executor: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /opt/}]}", []string{
			`spec.executor.volumeMounts[0].mountPath: value "/opt/" would hide Spark itself, which is in /opt/spark: choose another folder`,
		}},
		"a folder within Spark's": {"driver: {volumes: [{name: a}], volumeMounts: [{name: a, mountPath: /opt/spark/jars}]}", nil},
		"no token": {"driver: {template: {spec: {automountServiceAccountToken: false}}}", []string{
			`spec.driver.template.spec.automountServiceAccountToken: the driver creates executors with the token of its service account: ` +
				`remove the value false, or mount a projected volume with it at /var/run/secrets/kubernetes.io/serviceaccount`,
		}},
		"no token, and no executors": {"driver: {template: {spec: {automountServiceAccountToken: false}}}\nsparkConf: {spark.kubernetes.driver.master: 'local[2]'}", nil},
		"a token of the user's": {`
driver:
  volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: token}}]}}]
  volumeMounts: [{name: a, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]
  template: {spec: {automountServiceAccountToken: false}}`, nil},
		"a volume over the token": {"sparkConf: {spark.kubernetes.driver.secrets.s: /var/run/secrets/kubernetes.io/serviceaccount/}", []string{
			`spec.driver.volumeMounts: the driver creates executors with the token of its service account: volume "s-volume" at ` +
				`"/var/run/secrets/kubernetes.io/serviceaccount/" hides it; choose another folder, or name a token in spark.kubernetes.authenticate.driver.mounted.oauthTokenFile`,
		}},
		"no path": {"driver: {volumes: [{name: a}], volumeMounts: [{name: a}]}", []string{
			`spec.driver.volumeMounts[0].mountPath: the folder is missing: set one`,
		}},
		"by property": {"sparkConf: {spark.kubernetes.executor.volumes.nfs.home.mount.path: /home}", []string{
			`spec.sparkConf[spark.kubernetes.executor.volumes.nfs.home.options.path]: value "" is missing: set it for volume home`,
		}},
	}.run(t)
}

func TestPrivilegesByVersion(t *testing.T) {
	t.Parallel()
	const privileged = "podSecurity: None\ndriver: {template: {spec: {containers: [{name: x, securityContext: {privileged: true, allowPrivilegeEscalation: true}}]}}}\n"
	table{
		"up to 4.2": {privileged + "sparkVersion: 4.2.1", nil},
		"from 4.3 on": {privileged + "sparkVersion: 4.3.0", []string{
			`spec.driver.template.spec.containers[0].securityContext.privileged: value true needs a privilege that Spark 4.3.0 takes from its containers: ` +
				`set spark.kubernetes.driver.securityContext.allowPrivilegeEscalation to true in spec.sparkConf, or remove it`,
		}},
		"from 4.3 on, allowed": {
			privileged + "sparkVersion: 4.3.0\nsparkConf: {spark.kubernetes.driver.securityContext.allowPrivilegeEscalation: 'true'}", nil,
		},
		"from 4.3 on, allowed for both roles": {
			privileged + "sparkVersion: 4.3.0\nsparkConf: {spark.kubernetes.securityContext.allowPrivilegeEscalation: 'true'}", nil,
		},
		"neither true nor false": {"sparkVersion: 4.3.0\nsparkConf: {spark.kubernetes.securityContext.allowPrivilegeEscalation: 'yes'}", []string{
			`spec.sparkConf[spark.kubernetes.securityContext.allowPrivilegeEscalation]: value "yes" is neither true nor false: set true or false`,
		}},
		"passed on before": {"sparkVersion: 4.2.1\nsparkConf: {spark.kubernetes.securityContext.allowPrivilegeEscalation: 'yes'}", nil},
	}.run(t)
}

func TestSecurity(t *testing.T) {
	t.Parallel()
	const root = "value 0 is root, which podSecurity Restricted excludes: set spec.podSecurity to None, or use another user"
	table{
		"root": {"driver: {template: {spec: {securityContext: {runAsUser: 0}}}}", []string{
			`spec.driver.template.spec.securityContext.runAsUser: ` + root,
		}},
		"root in a sidecar": {"executor: {template: {spec: {containers: [{name: x}, {name: z, securityContext: {runAsUser: 0}}]}}}", []string{
			`spec.executor.template.spec.containers[1].securityContext.runAsUser: ` + root,
		}},
		"root that is said to be meant": {"driver: {template: {spec: {securityContext: {runAsUser: 0, runAsNonRoot: false}}}}", []string{
			`spec.driver.template.spec: podSecurity Restricted forbids runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false); ` +
				`runAsUser=0 (pod must not set runAsUser=0): change that, or set spec.podSecurity to Baseline`,
		}},
		"a sidecar whose pod allows root": {
			"driver: {template: {spec: {securityContext: {runAsNonRoot: false}, containers: [{name: x}, {name: z, securityContext: {runAsUser: 0}}]}}}", []string{
				`spec.driver.template.spec: podSecurity Restricted forbids runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false); ` +
					`runAsUser=0 (container "z" must not set runAsUser=0): change that, or set spec.podSecurity to Baseline`,
			},
		},
		"a sidecar that allows itself root": {
			"driver: {template: {spec: {containers: [{name: x}, {name: z, securityContext: {runAsUser: 0, runAsNonRoot: false}}]}}}", []string{
				`spec.driver.template.spec: podSecurity Restricted forbids runAsNonRoot != true (container "z" must not set securityContext.runAsNonRoot=false); ` +
					`runAsUser=0 (container "z" must not set runAsUser=0): change that, or set spec.podSecurity to Baseline`,
			},
		},
		"privileged": {"driver: {template: {spec: {containers: [{name: x, securityContext: {privileged: true}}]}}}", []string{
			`spec.driver.template.spec.containers[0].securityContext.privileged: value true is not allowed while podSecurity is Restricted: ` +
				`set spec.podSecurity to None, or remove it`,
		}},
		"privileged, and it is said how": {
			"driver: {template: {spec: {containers: [{name: x, securityContext: {privileged: true, allowPrivilegeEscalation: true}}]}}}", []string{
				`spec.driver.template.spec: podSecurity Restricted forbids privileged (container "x" must not set securityContext.privileged=true); ` +
					`allowPrivilegeEscalation != false (container "x" must set securityContext.allowPrivilegeEscalation=false): change that, or set spec.podSecurity to None`,
			},
		},
		"the largest capability": {"driver: {template: {spec: {initContainers: [{name: x, securityContext: {capabilities: {add: [SYS_ADMIN]}}}]}}}", []string{
			`spec.driver.template.spec.initContainers[0].securityContext.capabilities.add: value "SYS_ADMIN" is not allowed while podSecurity is Restricted: ` +
				`set spec.podSecurity to None, or remove it`,
		}},
		"without Restricted": {
			"podSecurity: None\ndriver: {template: {spec: {securityContext: {runAsUser: 0}, containers: [{name: x, securityContext: {privileged: true}}]}}}", nil,
		},
	}.run(t)
}

func TestSteps(t *testing.T) {
	t.Parallel()
	table{
		"one that can be left out": {"sparkConf: {spark.kubernetes.driver.pod.excludedFeatureSteps: org.apache.spark.deploy.k8s.features.LocalDirsFeatureStep}", nil},
		"one that cannot": {"sparkConf: {spark.kubernetes.driver.pod.excludedFeatureSteps: org.apache.spark.deploy.k8s.features.DriverServiceFeatureStep}", []string{
			`spec.sparkConf[spark.kubernetes.driver.pod.excludedFeatureSteps]: value "org.apache.spark.deploy.k8s.features.DriverServiceFeatureStep" ` +
				`is a step without which no driver works, or nothing leads to its web interface: remove it`,
		}},
	}.run(t)
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	table{
		"for ever, but never ready": {"restartPolicy: {type: Always}", []string{
			`spec.restartPolicy.type: value "Always" means that the job never ends, so that it could never be Ready: set spec.readyWhen to Running, or another type`,
		}},
		"a first pause above the longest": {"restartPolicy: {type: OnFailure, backoff: {initial: 10m, max: 5m}}", []string{
			`spec.restartPolicy.backoff.initial: value "10m0s" is above "5m0s" of backoff.max: lower it, or raise the other`,
		}},
		"a first pause above the default of the longest": {"restartPolicy: {type: OnFailure, backoff: {initial: 10m}}", nil},
		"a longest pause below the default of the first": {"restartPolicy: {type: OnFailure, backoff: {max: 5s}}", nil},
		"claims that Spark makes": {`
sparkConf:
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.mount.path: /a
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.claimName: OnDemand
  spark.kubernetes.driver.volumes.persistentVolumeClaim.b.mount.path: /b
  spark.kubernetes.driver.volumes.persistentVolumeClaim.b.options.claimName: b
  spark.kubernetes.driver.volumes.persistentVolumeClaim.b.options.storageClass: fast
  spark.kubernetes.driver.volumes.persistentVolumeClaim.b.options.sizeLimit: 1Gi
  spark.kubernetes.driver.volumes.persistentVolumeClaim.c.mount.path: /c
  spark.kubernetes.driver.volumes.persistentVolumeClaim.c.options.claimName: c
  spark.kubernetes.executor.volumes.persistentVolumeClaim.d.mount.path: /d
  spark.kubernetes.executor.volumes.persistentVolumeClaim.d.options.claimName: OnDemand
  spark.kubernetes.executor.volumes.persistentVolumeClaim.d.options.sizeLimit: 1Gi
  spark.kubernetes.executor.volumes.persistentVolumeClaim.e.mount.path: /e
  spark.kubernetes.executor.volumes.persistentVolumeClaim.e.options.claimName: e
  spark.kubernetes.executor.volumes.persistentVolumeClaim.e.options.storageClass: fast
  spark.kubernetes.executor.volumes.persistentVolumeClaim.e.options.sizeLimit: 1Gi`, []string{
			`spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.b.options.claimName]: value "b" ` +
				`names a claim that would be created for one attempt and shared by the next: remove options.storageClass and options.sizeLimit of the volume ` +
				`and apply the claim yourself, or put OnDemand into the name for a claim of each attempt`,
			`spec.sparkConf[spark.kubernetes.executor.volumes.persistentVolumeClaim.d.options.claimName]: value "OnDemand" ` +
				`names claims that are not created without a class and a size, so that executors would wait for them: ` +
				`also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists`,
			`spec.sparkConf[spark.kubernetes.executor.volumes.persistentVolumeClaim.e.options.claimName]: value "e" ` +
				`names one claim that would be created for each executor: put OnDemand into the name for a claim of each executor, ` +
				`or remove options.storageClass and options.sizeLimit of the volume and apply the claim yourself`,
			`spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.claimName]: value "OnDemand" ` +
				`names a claim that is not created without a class and a size: ` +
				`also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists`,
		}},
		"claims of executors": {`
sparkConf:
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.mount.path: /a
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName: OnDemand
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.storageClass: fast
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.sizeLimit: 1Gi
  spark.kubernetes.executor.volumes.persistentVolumeClaim.b.mount.path: /b
  spark.kubernetes.executor.volumes.persistentVolumeClaim.b.options.claimName: b-SPARK_EXECUTOR_ID
  spark.kubernetes.executor.volumes.persistentVolumeClaim.c.mount.path: /c
  spark.kubernetes.executor.volumes.persistentVolumeClaim.c.options.claimName: shared`, nil},
		"a label of claims of executors": {`
sparkConf:
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.mount.path: /a
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName: shared
  spark.kubernetes.executor.volumes.persistentVolumeClaim.a.label.team: data team`, []string{
			`spec.sparkConf[spark.kubernetes.executor.volumes.persistentVolumeClaim.a.label.team]: invalid label value "data team": ` +
				`use at most 63 letters, digits, '-', '_' and '.'`,
		}},
		"a claim on demand": {`
sparkConf:
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.mount.path: /a
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.claimName: OnDemand
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.storageClass: fast
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.sizeLimit: 1Gi
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.label.team: data`, nil},
		"a claim on demand with labels that cannot be": {`
sparkConf:
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.mount.path: /a
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.claimName: OnDemand
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.storageClass: fast
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.options.sizeLimit: 1Gi
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.label.team: data team
  spark.kubernetes.driver.volumes.persistentVolumeClaim.a.label.sparkgate.io/run: "7"`, []string{
			`spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.a.label.sparkgate.io/run]: ` +
				`the label "sparkgate.io/run" is reserved by Sparkgate: use another key`,
			`spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.a.label.team]: invalid label value "data team": ` +
				`use at most 63 letters, digits, '-', '_' and '.'`,
		}},
	}.run(t)
}

// TestVolumeNames: a name that no volume may have is said before anything is asked for, also about executors, which only Spark creates.
func TestVolumeNames(t *testing.T) {
	t.Parallel()
	const form = ": use at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit"
	table{
		"fields": {"executor: {volumes: [{name: my_data, emptyDir: {}}], volumeMounts: [{name: my_data, mountPath: /data}]}", []string{
			`spec.executor.volumes[0].name: invalid volume name "my_data"` + form,
		}},
		"properties": {`
sparkConf:
  spark.kubernetes.executor.volumes.emptyDir.Scratch.mount.path: /scratch
  spark.kubernetes.executor.volumes.emptyDir.Scratch.options.sizeLimit: 1Gi
  spark.kubernetes.executor.secrets.my.keys: /keys`, []string{
			`spec.sparkConf[spark.kubernetes.executor.volumes.emptyDir.Scratch.mount.path]: invalid volume name "Scratch"` + form,
			`spec.sparkConf[spark.kubernetes.executor.secrets.my.keys]: invalid volume name "my.keys-volume"` + form,
		}},
	}.run(t)
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec spec
		want []string
	}{
		"nothing": {"driver: {memory: 466m, env: [{name: A, value: b}]}\narguments: [a, $x]", nil},
		"a secret": {"sparkConf: {spark.my.password: x}\nhadoopConf: {fs.s3a.secret.key: z}", []string{
			"spec.hadoopConf[fs.s3a.secret.key]: the key looks like that of a secret",
			"spec.sparkConf[spark.my.password]: the key looks like that of a secret",
		}},
		"names of secrets": {"imagePullSecrets: [a]\nsparkConf: {spark.kubernetes.driver.secrets.a: /a, spark.kubernetes.executor.secretKeyRef.B: 'b:c'}", nil},
		"no value":         {"sparkConf: {spark.my.password: ''}", nil},
		"small heaps": {"driver: {memory: 465m}\nexecutor: {memory: 100m}", []string{
			`spec.driver.memory: value "465m" is less than Spark needs to start: set at least 466m`,
			`spec.executor.memory: value "100m" is less than Spark needs to start: set at least 466m`,
		}},
		"another scheduler, and Kueue's label": {
			"sparkConf: {spark.kubernetes.scheduler.name: yunikorn}\ndriver: {labels: {kueue.x-k8s.io/queue-name: a}}", []string{
				`spec.sparkConf[spark.kubernetes.scheduler.name]: value "yunikorn" is the scheduler of the gate YuniKorn, which sets it itself: set spec.queue.gate to YuniKorn`,
				"spec.driver.labels[kueue.x-k8s.io/queue-name]: the label kueue.x-k8s.io/queue-name has Kueue decide on each pod separately: set spec.queue.gate to Kueue",
			},
		},
		"executors of a driver that has none": {"sparkConf: {spark.kubernetes.driver.master: 'local[2]', spark.executor.memory: 2g}\nexecutor: {instances: 5}", []string{
			`spec.executor.instances: has no effect, because the driver has no executors with "local[2]" in spec.sparkConf[spark.kubernetes.driver.master]: remove it`,
			`spec.sparkConf[spark.executor.memory]: has no effect, because the driver has no executors with "local[2]" in spec.sparkConf[spark.kubernetes.driver.master]`,
		}},
		"a scheduler and its gate": {"sparkConf: {spark.kubernetes.scheduler.name: volcano}\nqueue: {gate: Volcano}", nil},
		"variables": {"executor: {env: [{name: SPARK_CONF_DIR, value: x}]}", []string{
			"spec.executor.env[SPARK_CONF_DIR]: Spark sets this variable itself: remove it",
		}},
		"an image in the template": {"driver: {template: {spec: {containers: [{name: a, image: x}, {name: b, image: z}]}}}", []string{
			`spec.driver.template.spec.containers[0].image: value "x" is not used, because Spark takes this container for its own: set spec.driver.image; or, if it is a sidecar, make it an entry of initContainers`,
			`spec.driver.template.spec.containers[1]: container "b" may not end with the driver`,
		}},
		"containers beside the driver's": {"driver: {template: {spec: {containers: [{name: logs, image: x}, {name: spark-kubernetes-driver}]}}}", []string{
			`spec.driver.template.spec.containers[0]: container "logs" may not end with the driver, and the run holds its quota until the operator ends it, ` +
				`30s later: make it an entry of initContainers with restartPolicy: Always, which Kubernetes ends with the driver`,
		}},
		"a sidecar of Kubernetes":              {"driver: {template: {spec: {initContainers: [{name: logs, image: x, restartPolicy: Always}]}}}", nil},
		"a container beside that of executors": {"executor: {template: {spec: {containers: [{name: spark-kubernetes-executor}, {name: logs, image: x}]}}}", nil},
		"libraries without a folder for them": {"deps: {packages: ['org.apache.hadoop:hadoop-aws:3.4.2']}", []string{
			"spec.deps.packages: the driver keeps these libraries below the home of its user, and the user of Spark's images has none",
		}},
		"libraries with a folder":              {"deps: {packages: ['a:b:1']}\nsparkConf: {spark.jars.ivy: /tmp/ivy}", nil},
		"libraries, and files that may say it": {"deps: {packages: ['a:b:1']}\nsparkConfigMap: conf", nil},
		"libraries below another home":         {"driver: {javaOptions: -Divy.home=/tmp}\ndeps: {packages: ['a:b:1']}", nil},
		"files of the image, which Spark 4.1 sends to executors": {"deps: {files: ['local:///a.csv'], archives: ['local:///e.tgz']}", []string{
			`spec.deps.archives[0]: value "local:///e.tgz" is put into the working folder of the driver alone, because Spark does not send it to executors`,
		}},
		"files of the image": {"sparkVersion: 4.0.1\ndeps: {files: ['local:///a.csv', 'https://h/b.csv'], archives: ['local:///e.tgz#e'], jars: ['local:///a.jar'], pyFiles: ['local:///a.zip']}", []string{
			`spec.deps.files[0]: value "local:///a.csv" is put into the working folder of the driver alone, because Spark does not send it to executors`,
			`spec.deps.archives[0]: value "local:///e.tgz#e" is put into the working folder of the driver alone`,
		}},
		"a container that is none": {`
executor: {template: {spec: {containers: [{name: a}]}}}
sparkConf: {spark.kubernetes.executor.podTemplateContainerName: b}`, []string{
			`spec.sparkConf[spark.kubernetes.executor.podTemplateContainerName]: value "b" does not name a container of spec.executor.template, ` +
				`so Spark takes another one: correct the name`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := test.spec.application(t)
			if findings := Application(app); len(findings) > 0 {
				t.Errorf("findings: %v", findings)
			}
			var got []string
			for _, warning := range Warnings(app) {
				got = append(got, warning.String())
			}
			for i := range min(len(got), len(test.want)) {
				got[i] = got[i][:min(len(got[i]), len(test.want[i]))]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWarningsHideSecrets(t *testing.T) {
	t.Parallel()
	for _, warning := range Warnings(spec("sparkConf: {spark.my.password: top-secret-value}").application(t)) {
		if strings.Contains(warning.String(), "top-secret-value") {
			t.Errorf("a secret is shown: %s", warning)
		}
	}
}
