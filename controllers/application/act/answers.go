// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// obstacleOf returns a message that the API server refuses an object for now, and who can resolve that. The message is
// the same for each retry.
func obstacleOf(obj client.Object, err error) string {
	remedy := ""
	switch words := err.Error(); {
	case apianswer.IsWebhookAway(err):
		remedy = "; an administrator has to get that webhook to answer: the operator tries again"
	case !apierrors.IsForbidden(err):
	case strings.Contains(words, "cannot set blockOwnerDeletion"):
		remedy = "; an administrator has to bind ClusterRole sparkgate-applications to the operator's service account"
	case strings.Contains(words, " cannot create resource "):
		remedy = "; an administrator has to bind ClusterRole sparkgate-workloads to the operator's service account, in this namespace or in the cluster"
	}
	return fmt.Sprintf("the API server refuses %s: %s%s", render.Describe(obj), redact.Text(apianswer.Steady(err.Error())), remedy)
}

// conflictOf returns the error with which the API server answers a write to an application that has changed.
func conflictOf(app *v1alpha1.SparkApplication, why error) error {
	return apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("sparkapplications").GroupResource(), app.Name, why)
}

func mergePatch(change map[string]any) (client.Patch, error) {
	data, err := json.Marshal(change)
	return client.RawPatch(types.MergePatchType, data), err
}

func isPod(obj client.Object) bool {
	_, is := obj.(*corev1.Pod)
	return is
}
