// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// peerAccount is the service account of other operators.
const peerAccount = "peer"

// tokenKubeconfig writes a kubeconfig with the token of an account that may do everything: not every client can read
// the kind of keys that the administrator has here.
func (b *bench) tokenKubeconfig(ctx context.Context) (string, error) {
	meta := metav1.ObjectMeta{Name: peerAccount, Namespace: metav1.NamespaceDefault}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: peerAccount}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: meta.Namespace, Name: meta.Name}},
	}
	if err := errors.Join(b.user.Client.Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}), b.user.Client.Create(ctx, binding)); err != nil {
		return "", fmt.Errorf("create an account: %w", err)
	}
	clients, err := kubernetes.NewForConfig(b.server.Config)
	if err != nil {
		return "", err
	}
	token, err := clients.CoreV1().ServiceAccounts(meta.Namespace).CreateToken(ctx, meta.Name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](24 * 60 * 60)}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("request a token: %w", err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[peerAccount] = &clientcmdapi.Cluster{Server: b.server.Config.Host, CertificateAuthorityData: b.server.Config.CAData}
	config.AuthInfos[peerAccount] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts[peerAccount] = &clientcmdapi.Context{Cluster: peerAccount, AuthInfo: peerAccount}
	config.CurrentContext = peerAccount
	path := filepath.Join(b.server.Dir, "peer.kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}
