// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// interval is the pause between two checks while the API server is not ready for the operator.
	interval = 2 * time.Second
	// requestTimeout is the timeout of one request.
	requestTimeout = 10 * time.Second
)

// Wait returns once the API server answers and serves the operator's kinds, by CRDs that are not older than the operator.
// It logs each obstacle once. It returns an error for what waiting cannot fix, because the kubeconfig is read only at
// the start.
func Wait(ctx context.Context, config *rest.Config, log logr.Logger) error {
	config = rest.CopyConfig(config)
	config.Timeout = requestTimeout
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client for the API server: %w", err)
	}
	own, err := ownSchemas()
	if err != nil {
		return err
	}
	server := apiServer{client, own, config.BearerTokenFile != ""}
	reported := map[string]bool{}
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		found, err := server.check(ctx)
		if err != nil {
			return false, fmt.Errorf("connect to the API server at %s: %w", config.Host, err)
		}
		if found == nil {
			return true, nil
		}
		if about := found.message + found.about; !reported[about] {
			reported[about] = true
			log.Info(found.message, append([]any{"server", config.Host}, found.details...)...)
		}
		return !found.waits, nil
	})
}

// finding is something about the API server to log.
type finding struct {
	message string
	// about distinguishes findings with the same message.
	about   string
	details []any
	// waits is set if Wait must not return before this has changed.
	waits bool
}

// apiServer is the API server to check.
type apiServer struct {
	client discovery.DiscoveryInterface
	// own are the numbers of the schemas with which the operator was built, by CRD.
	own map[string]int
	// renewed is set if the token is reread from its file, as in a pod.
	renewed bool
}

// check checks the API server. It returns nil if nothing is in the way, and an error only if waiting does not help.
func (a apiServer) check(ctx context.Context) (*finding, error) {
	version, err := a.client.ServerVersion()
	if err != nil {
		return a.notAnswered(err)
	}
	missing, err := missingKinds(a.client)
	if err != nil {
		return a.notAnswered(err)
	}
	if len(missing) > 0 {
		return &finding{message: "Waiting for CustomResourceDefinitions", about: strings.Join(missing, ","), waits: true, details: []any{
			"version", version.GitVersion, "missing", missing, "remedy", "install them: " + applyCRDs,
		}}, nil
	}
	return a.compareSchemas(ctx)
}

// compareSchemas finds CRDs that are older than the operator. The API server would drop what they do not know of the
// status, and a grant that is not stored would be made twice. A newer CRD does no harm.
func (a apiServer) compareSchemas(ctx context.Context) (*finding, error) {
	var older []string
	for _, name := range slices.Sorted(maps.Keys(a.own)) {
		served, err := servedSchema(ctx, a.client, name)
		if passes(err) || apierrors.IsNotFound(err) {
			return a.late(err)
		}
		if err != nil {
			return &finding{message: "Whether the CustomResourceDefinitions are older than the operator is not known", details: []any{"error", err.Error(),
				"remedy", "apply the ClusterRole sparkgate-operator of this release"}}, nil
		}
		if served < a.own[name] {
			older = append(older, name)
		}
	}
	if len(older) == 0 {
		return nil, nil
	}
	return &finding{message: "Waiting for newer CustomResourceDefinitions: these are older than the operator", about: strings.Join(older, ","), waits: true,
		details: []any{"older", older, "remedy", "update them: " + applyCRDs}}, nil
}

// notAnswered converts an error of a request: to a finding if the API server may answer later, and otherwise to an
// error with a remedy.
func (a apiServer) notAnswered(err error) (*finding, error) {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return nil, fmt.Errorf("%w; correct server and certificate-authority in the kubeconfig", err)
	case apierrors.IsUnauthorized(err) && a.renewed: // an API server that has just started may not know service accounts yet
		return &finding{message: "Waiting for the API server to accept the token", waits: true, details: []any{"error", err.Error(),
			"remedy", "if this lasts, look at the token's file and at the operator's service account"}}, nil
	case apierrors.IsUnauthorized(err):
		return nil, fmt.Errorf("%w; correct the user in the kubeconfig", err)
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%w; this is not an API server of Kubernetes, correct server in the kubeconfig", err)
	}
	return a.late(err)
}

// late is the finding about an API server that does not answer yet.
func (apiServer) late(err error) (*finding, error) {
	return &finding{message: "Waiting for the API server", waits: true, details: []any{"error", err.Error(),
		"remedy", "if this lasts, correct server in the kubeconfig, or look at the network between this pod and the API server"}}, nil
}

// passes reports whether an error is temporary: there was no answer, or the API server is busy or has just started.
func passes(err error) bool {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		code := answer.Status().Code
		return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
	}
	var lost *url.Error
	return errors.As(err, &lost)
}

// applyCRDs is the command that installs the CRDs. It is the same with Helm, which does not update CRDs.
const applyCRDs = "kubectl apply --server-side --force-conflicts -k config/crd, from the release of this operator"

// kinds are the kinds of the operator.
var kinds = []string{v1alpha1.SparkApplicationKind, v1alpha1.ScheduledSparkApplicationKind, v1alpha1.SparkClusterKind, v1alpha1.SparkQueueKind, v1alpha1.SparkFlavorKind}

// missingKinds returns the kinds of the operator that are not served.
func missingKinds(client discovery.DiscoveryInterface) ([]string, error) {
	var missing []string
	for _, kind := range kinds {
		is, err := serves(client, v1alpha1.GroupVersion.String(), kind)
		if err != nil {
			return nil, err
		}
		if !is {
			missing = append(missing, kind)
		}
	}
	return missing, nil
}
