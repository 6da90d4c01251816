// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// Hints returns warnings about what only a cluster or an image can decide: applications, and templates of schedules,
// without a service account, servers without their jar, and short tokens in Secrets beside them. Objects that cannot be
// parsed have none.
func Hints(objects []Object) []Finding {
	var hints []Finding
	for i := range objects {
		o := &objects[i]
		if o.APIVersion != v1alpha1.GroupVersion.String() {
			continue
		}
		spec, at := specOf(o)
		if spec == nil {
			continue
		}
		var found []Finding
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: o.Name}, Spec: *spec}
		for _, w := range append(validate.AccountWarnings(app), validate.ServerWarnings(app)...) {
			found = append(found, Finding{Field: strings.Replace(w.Field, "spec", at, 1), Message: w.Message, Warning: true})
		}
		if n := tokenLength(objects, o, spec); n >= 0 && n < minTokenLength {
			found = append(found, Finding{Field: at + ".server.token", Warning: true, Message: fmt.Sprintf("a token of %d characters can be guessed: "+
				"use at least %d, such as those of openssl rand -base64 24", n, minTokenLength)})
		}
		hints = append(hints, o.Place(found)...)
	}
	return hints
}

// minTokenLength is the number of characters below which the token of a server counts as guessable.
const minTokenLength = 16

// tokenLength returns the length of the token of the server in an object, in characters; -1 if its Secret is not among
// the objects.
func tokenLength(objects []Object, o *Object, spec *v1alpha1.SparkApplicationSpec) int {
	if spec.Server == nil || spec.Server.Token == nil {
		return -1
	}
	for i := range objects {
		var secret corev1.Secret
		other := &objects[i]
		if other.Kind != "Secret" || other.Namespace != o.Namespace || other.Name != spec.Server.Token.Name || json.Unmarshal(other.JSON, &secret) != nil {
			continue
		}
		if token, ok := secret.StringData[spec.Server.Token.Key]; ok {
			return len(token)
		}
		if token, ok := secret.Data[spec.Server.Token.Key]; ok {
			return len(token)
		}
	}
	return -1
}

// specOf returns the spec of the application in an object, and its path; nil if there is none.
func specOf(o *Object) (spec *v1alpha1.SparkApplicationSpec, at string) {
	switch o.Kind {
	case v1alpha1.SparkApplicationKind:
		var app v1alpha1.SparkApplication
		if json.Unmarshal(o.JSON, &app) == nil {
			return &app.Spec, "spec"
		}
	case v1alpha1.ScheduledSparkApplicationKind:
		var schedule v1alpha1.ScheduledSparkApplication
		spec = &v1alpha1.SparkApplicationSpec{}
		if json.Unmarshal(o.JSON, &schedule) == nil && json.Unmarshal(schedule.Spec.Template.Spec.Raw, spec) == nil {
			return spec, "spec.template.spec"
		}
	}
	return nil, ""
}
