// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateLife is long because nothing renews these certificates.
const certificateLife = 10 * 365 * 24 * time.Hour

// identity describes a certificate. The groups are its organizations, which
// Kubernetes reads as groups of the user.
type identity struct {
	file   string // base name of the .crt and .key files
	user   string
	groups []string
	hosts  []string // host names and addresses of a serving certificate
}

// Identities signed by the cluster's authority. CoreDNS is an administrator:
// Kubernetes has no built-in role for it that covers EndpointSlices.
var identities = []identity{
	{file: "apiserver", user: "kube-apiserver", hosts: []string{
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + clusterDomain,
		"localhost", "127.0.0.1", nodeIP, apiService,
	}},
	{file: "apiserver-kubelet-client", user: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
	{file: "kubelet-server", user: "system:node:" + nodeName, groups: []string{"system:nodes"}, hosts: []string{nodeName, nodeIP}},
	{file: "admin", user: "admin", groups: []string{"system:masters"}},
	{file: "controller-manager", user: "system:kube-controller-manager"},
	{file: "scheduler", user: "system:kube-scheduler"},
	{file: "kubelet", user: "system:node:" + nodeName, groups: []string{"system:nodes"}},
	{file: "kube-proxy", user: "system:kube-proxy"},
	{file: "coredns", user: "coredns", groups: []string{"system:masters"}},
}

// createPKI writes two authorities (one for the cluster, one for aggregated
// API servers), the certificates they sign and the key of service accounts
// into dir, all or nothing. An existing dir is kept.
func createPKI(dir string, now time.Time) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	temporary := dir + ".tmp"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return err
	}
	ca, err := newAuthority(temporary, "ca", now)
	if err != nil {
		return err
	}
	for _, id := range identities {
		if err := ca.issue(id); err != nil {
			return err
		}
	}
	front, err := newAuthority(temporary, "front-proxy-ca", now)
	if err != nil {
		return err
	}
	if err := front.issue(identity{file: "front-proxy-client", user: "front-proxy-client"}); err != nil {
		return err
	}
	if err := createServiceAccountKey(temporary); err != nil {
		return err
	}
	return os.Rename(temporary, dir)
}

// authority signs certificates and writes them beside its own.
type authority struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	now         time.Time
}

func newAuthority(dir, name string, now time.Time) (*authority, error) {
	key, err := newKey(filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, err
	}
	template, err := certificateTemplate(now)
	if err != nil {
		return nil, err
	}
	template.Subject = pkix.Name{CommonName: "sparkgate-local-" + name}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a := &authority{dir: dir, certificate: template, key: key, now: now}
	return a, a.sign(template, key, name)
}

func (a *authority) issue(id identity) error {
	key, err := newKey(filepath.Join(a.dir, id.file+".key"))
	if err != nil {
		return err
	}
	template, err := certificateTemplate(a.now)
	if err != nil {
		return err
	}
	template.Subject = pkix.Name{CommonName: id.user, Organization: id.groups}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if len(id.hosts) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, host := range id.hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return a.sign(template, key, id.file)
}

func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey, name string) error {
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("sign certificate %s: %w", name, err)
	}
	return writePEM(filepath.Join(a.dir, name+".crt"), "CERTIFICATE", der)
}

// certificateTemplate is valid from an hour before now, for clocks that are
// set back.
func certificateTemplate(now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(certificateLife),
	}, nil
}

func createServiceAccountKey(dir string) error {
	key, err := newKey(filepath.Join(dir, "service-accounts.key"))
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, "service-accounts.pub"), "PUBLIC KEY", der)
}

func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
