// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// small makes an example of docs/guides.md fit on the node and into a namespace of a test, whose queue and class of volumes are named after it.
var small = []struct {
	line *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^  namespace: default\n`), ""},
	{regexp.MustCompile(`(?m)^  accessModes:`), "  storageClassName: {{name}}\n$0"},
	{regexp.MustCompile(`storage: 10Gi`), "storage: 1Gi"},
	{regexp.MustCompile(`memory: 1536Mi`), "memory: 512Mi"},
	{regexp.MustCompile(`cpu: 500m`), "cpu: 200m"},
	{regexp.MustCompile(`value: 1g`), "value: 256m"},
	{regexp.MustCompile(`(?m)^  queue:\n    name: .*\n`), ""},
	{regexp.MustCompile(`(?m)^  type: Python\n`), "$0  queue: {name: {{name}}}\n"},
	{regexp.MustCompile(`(?m)^  (driver|executor):.*\n`), "$0    coreRequest: 200m\n    memory: 512m\n"},
	{regexp.MustCompile(`(?m)^  sparkConf:.*\n`), "$0    spark.kubernetes.driver.connectionTimeout: \"60000\"\n    spark.kubernetes.driver.requestTimeout: \"60000\"\n"},
}

// followGuide applies a file of the folder examples in a namespace that has a queue, and a volume of that mode for what it claims.
func followGuide(t *testing.T, file string, mode corev1.PersistentVolumeAccessMode) *env.Namespace {
	t.Helper()
	dir := openDir(t)
	s := env.NewTenant(t, 1)
	s.HostVolume("volume", dir, mode)
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	text := env.ExampleText(t, file)
	for _, change := range small {
		text = change.line.ReplaceAllString(text, strings.ReplaceAll(change.with, "{{name}}", s.Name))
	}
	s.ApplyText(text)
	return s
}

// TestSlowTheStreamOfTheGuideContinues: a stream is ready while it runs, and continues with the next batch after it was suspended.
func TestSlowTheStreamOfTheGuideContinues(t *testing.T) {
	t.Parallel()
	s := followGuide(t, "streaming.yaml", corev1.ReadWriteOnce)
	s.Kubectl("wait", "--for=condition=Ready", "sgapp/stream", "--timeout=10m")
	first := s.Becomes("stream", v1alpha1.RunningReason)
	last := awaitBatch(s, first, 1)

	s.Kubectl("patch", "sgapp", "stream", "--type=merge", "--patch", `{"spec":{"suspend":true}}`)
	s.Becomes("stream", v1alpha1.SuspendedReason)
	s.Kubectl("patch", "sgapp", "stream", "--type=merge", "--patch", `{"spec":{"suspend":false}}`)
	s.Kubectl("wait", "--for=condition=Ready", "sgapp/stream", "--timeout=10m")
	second := s.Becomes("stream", v1alpha1.RunningReason)
	if next := awaitBatch(s, second, 0); next < last {
		t.Errorf("the stream continues with batch %d, and had come to %d", next, last)
	}
	s.Kubectl("delete", "sgapp", "stream", "--timeout=10m")
	s.GivenBack(s.Name)
}

var batch = regexp.MustCompile(`(?m)^Batch: (\d+)$`)

// awaitBatch waits until a driver has written a batch of that number or a later one, and returns the first such number in its log.
func awaitBatch(s *env.Namespace, app *v1alpha1.SparkApplication, from int) (number int) {
	s.Await(fmt.Sprintf("%s to write a batch from %d on", app.Status.Driver.PodName, from), func() error {
		log, err := s.TryKubectl("", "logs", app.Status.Driver.PodName)
		if err != nil {
			return err
		}
		for _, match := range batch.FindAllStringSubmatch(log, -1) {
			if number, err = strconv.Atoi(match[1]); err != nil || number >= from {
				return err
			}
		}
		return fmt.Errorf("no such batch in %d bytes of its log", len(log))
	})
	return number
}

// TestSlowTheHistoryServerOfTheGuideShowsARun: what the guide applies shows its job.
func TestSlowTheHistoryServerOfTheGuideShowsARun(t *testing.T) {
	t.Parallel()
	s := followGuide(t, "history-server.yaml", corev1.ReadWriteMany)
	s.Kubectl("rollout", "status", "deployment/spark-history", "--timeout=10m")
	s.Kubectl("wait", "--for=condition=Ready", "sgapp/pi-with-history", "--timeout=10m")
	id := s.Becomes("pi-with-history", v1alpha1.SucceededReason).Status.Driver.ApplicationID
	s.HistoryShows("services/spark-history:http", id)
}
