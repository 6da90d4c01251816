// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stories holds the application with which the stories of all suites begin.
package stories

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// PiManifest is a Python job with a driver and two executors, which request 200m and 896Mi each.
const PiManifest = `apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: pi}
spec:
  type: Python
  sparkVersion: 4.1.4
  image: docker.io/sparkgate/spark:4.1
  mainApplicationFile: local:///opt/spark/examples/pi.py
  arguments: ["4"]
  queue: {name: team-a}
  driver:   {cores: 1, coreRequest: 200m, memory: 512m, serviceAccountName: spark}
  executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m}
  restartPolicy: {type: Never}
`

// Pi returns the application of PiManifest under another name and in another queue.
func Pi(namespace, name, queue string) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{}
	if err := yaml.UnmarshalStrict([]byte(PiManifest), app); err != nil {
		panic(err) // the text above is wrong
	}
	app.TypeMeta = metav1.TypeMeta{}
	app.Namespace, app.Name, app.Spec.Queue.Name = namespace, name, queue
	return app
}
