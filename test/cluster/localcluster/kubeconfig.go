// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// kubeconfigUsers are the components that talk to the API server, each with
// the certificate of its name. The administrator's file stands at the top of
// the state folder.
var kubeconfigUsers = []string{"controller-manager", "scheduler", "kubelet", "kube-proxy", "coredns"}

// writeKubeconfigs needs the certificates of createPKI in pki.
func (c cluster) writeKubeconfigs(pki string) error {
	for _, user := range kubeconfigUsers {
		content, err := kubeconfigFor(pki, user)
		if err != nil {
			return err
		}
		if err := writeFile(c.componentKubeconfig(user), content); err != nil {
			return err
		}
	}
	content, err := kubeconfigFor(pki, "admin")
	if err != nil {
		return err
	}
	return writeFile(c.kubeconfig(), content)
}

func (c cluster) componentKubeconfig(user string) string {
	return c.path("etc", user+".kubeconfig")
}

// kubeconfigFor renders a kubeconfig that holds its certificates itself, so
// that the file can be copied. JSON is YAML.
func kubeconfigFor(pki, user string) ([]byte, error) {
	files := map[string][]byte{"ca.crt": nil, user + ".crt": nil, user + ".key": nil}
	for name := range files {
		content, err := os.ReadFile(filepath.Join(pki, name))
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	type object = map[string]any
	config := object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": "sparkgate-local",
		"contexts": []object{{"name": "sparkgate-local", "context": object{
			"cluster": "sparkgate-local", "user": user,
		}}},
		"clusters": []object{{"name": "sparkgate-local", "cluster": object{
			"server": "https://" + nodeIP + ":" + apiPort, "certificate-authority-data": files["ca.crt"],
		}}},
		"users": []object{{"name": user, "user": object{
			"client-certificate-data": files[user+".crt"], "client-key-data": files[user+".key"],
		}}},
	}
	return json.MarshalIndent(config, "", "  ")
}
