// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// lookInterval is how often a folder without a certificate is looked into: the Secret may be created after the pod.
const lookInterval = 10 * time.Second

// getCertificate is how a server gets its certificate.
type getCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// certificateIn returns the certificate in a folder, as it is from now on. While there is none, and without a folder, it is
// one that no browser trusts.
func certificateIn(ctx context.Context, folder string, by clock.Clock) (getCertificate, error) {
	own, err := selfSigned()
	if err != nil {
		return nil, fmt.Errorf("create a certificate: %w", err)
	}
	current := &atomic.Pointer[certwatcher.CertWatcher]{}
	get := func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if watcher := current.Load(); watcher != nil {
			return watcher.GetCertificate(hello)
		}
		return own, nil
	}
	if folder == "" {
		return get, nil
	}
	if !HasCertificate(folder) {
		go await(ctx, folder, by, current)
		return get, nil
	}
	watcher, err := follow(ctx, folder)
	if err != nil {
		return nil, err
	}
	current.Store(watcher)
	return get, nil
}

// await sets the certificate once the folder has one.
func await(ctx context.Context, folder string, by clock.Clock, current *atomic.Pointer[certwatcher.CertWatcher]) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-by.After(lookInterval):
		}
		if !HasCertificate(folder) {
			continue
		}
		watcher, err := follow(ctx, folder)
		if err != nil {
			log.Log.Error(err, "Failed to read the certificate that was added; will retry", "folder", folder)
			continue
		}
		current.Store(watcher)
		log.Log.Info("Serving with the certificate that was added", "folder", folder)
		return
	}
}

// follow reads the certificate in a folder, again whenever it changes.
func follow(ctx context.Context, folder string) (*certwatcher.CertWatcher, error) {
	watcher, err := certwatcher.New(certificatePath(folder), filepath.Join(folder, "tls.key"))
	if err != nil {
		return nil, fmt.Errorf("read the certificate in %s: %w", folder, err)
	}
	go func() { _ = watcher.Start(ctx) }() // it ends with ctx; the last certificate stays in use
	return watcher, nil
}

func certificatePath(folder string) string { return filepath.Join(folder, "tls.crt") }

// HasCertificate reports whether a folder has a certificate, as far as its tls.crt shows.
func HasCertificate(folder string) bool {
	_, err := os.Stat(certificatePath(folder))
	return err == nil
}

// selfSigned returns a certificate of this process.
func selfSigned() (*tls.Certificate, error) {
	certificate, key, err := certutil.GenerateSelfSignedCertKey("sparkgate-dashboard", nil, []string{"localhost"})
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	return &pair, err
}
