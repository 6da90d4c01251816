// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// TestInvalidPod: an answer to a dry run counts if it says that the pod itself is invalid. For executors, only fields
// that Spark leaves unchanged count.
func TestInvalidPod(t *testing.T) {
	t.Parallel()
	spec := field.NewPath("spec")
	container := spec.Child("containers").Index(0)
	probe := field.Required(container.Child("livenessProbe"), "must specify a handler type")
	mount := field.NotFound(spec.Child("containers").Index(1).Child("volumeMounts").Index(0).Child("name"), "spark-local-dir-1")
	pull := field.NotSupported(container.Child("imagePullPolicy"), "always", []string{"Always"})
	answer := func(list ...*field.Error) error {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "pi", list)
	}
	const wrong = "the API server refuses such pods: spec.containers[0].livenessProbe: Required value: must specify a handler type; correct these fields"
	for name, tt := range map[string]struct {
		role conf.Role
		err  error
		want string
	}{
		"taken":                      {conf.Executor, nil, ""},
		"no answer":                  {conf.Executor, errors.New("connection refused"), ""},
		"forbidden":                  {conf.Executor, apierrors.NewForbidden(corev1.Resource("pods"), "pi", errors.New("exceeded quota")), ""},
		"a policy that says invalid": {conf.Executor, answer(field.Invalid(nil, "", "ValidatingAdmissionPolicy 'p' with binding 'b' denied request")), ""},
		"wrong":                      {conf.Executor, answer(probe), wrong},
		"a volume that Spark adds":   {conf.Executor, answer(mount), ""},
		"what Spark replaces":        {conf.Executor, answer(pull), ""},
		"wrong, and what Spark adds": {conf.Executor, answer(mount, probe), wrong},
		"a volume that the driver lacks": {conf.Driver, answer(mount),
			`the API server refuses such pods: spec.containers[1].volumeMounts[0].name: Not found: "spark-local-dir-1"; correct these fields`},
	} {
		if got := invalidPod(tt.role, tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestRejectionIsBounded: the API server's message is truncated before the remedy, and secrets in it are hidden.
func TestRejectionIsBounded(t *testing.T) {
	t.Parallel()
	got := RejectionOf(&corev1.Pod{}, errors.New("violates spark.hadoop.fs.s3a.secret.key=hunter2 "+strings.Repeat("x", 5000)), RunAgain)
	if len(got) > status.MaxMessage || !strings.HasSuffix(got, RunAgain) || strings.Contains(got, "hunter2") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
