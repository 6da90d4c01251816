// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedulinggate

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// PodChanged reports whether a pod was deleted, or has another resource version than when it was seen. In that case the
// API server has refused the patch because of the change, and not because of its content.
func PodChanged(ctx context.Context, live client.Reader, seen *pods.Record) (bool, error) {
	pod := livemeta.Key{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Name: seen.Name}.Metadata(seen.Namespace)
	err := live.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return err == nil && pod.ResourceVersion != strconv.FormatUint(seen.Version, 10), err
}
