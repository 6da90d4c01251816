// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"time"
)

const keyBits = 2048

// certificates are an authority and what it has signed for a server, in PEM.
type certificates struct{ caCert, caKey, cert, key []byte }

// newCertificates creates certificates for a server on the loopback address, that also has a name. They are valid for a
// year. The keys are RSA in PKCS #1, as the programs that look into them expect.
func newCertificates(authorityName, name string) (certificates, error) {
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: authorityName}, DNSNames: []string{authorityName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		DNSNames: []string{name, "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caKey, err1 := rsa.GenerateKey(rand.Reader, keyBits)
	key, err2 := rsa.GenerateKey(rand.Reader, keyBits)
	if err := errors.Join(err1, err2); err != nil {
		return certificates{}, err
	}
	caCert, err1 := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	cert, err2 := x509.CreateCertificate(rand.Reader, server, authority, key.Public(), caKey)
	return certificates{
		caCert: encode("CERTIFICATE", caCert), caKey: encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(caKey)),
		cert: encode("CERTIFICATE", cert), key: encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)),
	}, errors.Join(err1, err2)
}

func encode(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}
