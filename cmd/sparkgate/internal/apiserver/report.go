// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// optional are the kinds that not all supported versions of Kubernetes serve, with the remedy if one is missing.
var optional = []struct {
	groupVersion, kind, without string
}{
	{"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy",
		"install config/guard/validating instead of config/guard, as the Helm chart does: Spark pods without the scheduling gate are refused, instead of given one"},
}

// Report logs the version of the API server, and one line for each optional kind that it does not serve. Errors are
// only logged: the components that need something of the API server check that themselves. It blocks until the server
// answers or refuses to.
func Report(config *rest.Config, log logr.Logger) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err == nil {
		err = report(client, log)
	}
	if err != nil {
		log.Info("The API server's version is not known", "error", err.Error())
	}
}

func report(client discovery.DiscoveryInterface, log logr.Logger) error {
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	log.Info("Connected to the API server", "version", version.GitVersion)
	for _, o := range optional {
		served, err := serves(client, o.groupVersion, o.kind)
		if err != nil {
			return fmt.Errorf("ask for %s: %w", o.kind, err)
		}
		if !served {
			log.Info("The API server does not serve "+o.kind, "version", version.GitVersion, "groupVersion", o.groupVersion, "remedy", o.without)
		}
	}
	return nil
}

// serves reports whether the API server serves a kind.
func serves(client discovery.DiscoveryInterface, groupVersion, kind string) (bool, error) {
	list, err := client.ServerResourcesForGroupVersion(groupVersion)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, resource := range list.APIResources {
		if resource.Kind == kind {
			return true, nil
		}
	}
	return false, nil
}
