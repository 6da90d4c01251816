// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// probeTimeout bounds one question to one component.
const probeTimeout = 2 * time.Second

// prober asks the components how they are. It works inside the cluster's
// network only.
type prober struct {
	cluster cluster
	admin   *http.Client // authenticates as the administrator
	plain   *http.Client // trusts any certificate: health ports have self-signed ones
}

func newProber(c cluster) (*prober, error) {
	pair, err := tls.LoadX509KeyPair(c.pki("admin.crt"), c.pki("admin.key"))
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(c.pki("ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate in " + c.pki("ca.crt"))
	}
	return &prober{
		cluster: c,
		admin:   httpClient(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}),
		plain:   httpClient(&tls.Config{InsecureSkipVerify: true}),
	}, nil
}

func httpClient(config *tls.Config) *http.Client {
	return &http.Client{
		Timeout:   probeTimeout,
		Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true},
	}
}

// get succeeds on status 200 and returns the body.
func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, response.Status)
	}
	return body, nil
}

// probes says for each component with a port or socket how to ask whether it
// is well.
func (p *prober) probes() map[string]func(context.Context) error {
	healthy := func(client *http.Client, url string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := get(ctx, client, url)
			return err
		}
	}
	return map[string]func(context.Context) error{
		etcd:              healthy(p.plain, "http://127.0.0.1:2379/health"),
		containerd:        p.containerdAnswers,
		apiserver:         healthy(p.admin, "https://"+net.JoinHostPort(nodeIP, apiPort)+"/readyz"),
		controllerManager: healthy(p.plain, "https://127.0.0.1:10257/healthz"),
		scheduler:         healthy(p.plain, "https://127.0.0.1:10259/healthz"),
		kubelet:           healthy(p.plain, "http://127.0.0.1:10248/healthz"),
		kubeProxy:         healthy(p.plain, "http://127.0.0.1:10256/healthz"),
		coredns:           healthy(p.plain, "http://127.0.0.1:8181/ready"),
	}
}

// containerdAnswers asks for the version: the socket accepts connections
// before the plugins are loaded.
func (p *prober) containerdAnswers(context.Context) error {
	_, err := p.cluster.ctr("version")
	return err
}

// clusterChecks are what a user of the cluster relies on, in the order in
// which they can come true.
func (p *prober) clusterChecks() []check {
	return []check{
		{"node " + nodeName + " is Ready", p.nodeReady},
		{"Service kubernetes.default answers", p.serviceAnswers},
		{"DNS answers", p.dnsAnswers},
		{"ServiceAccount default/default exists", p.serviceAccountExists},
	}
}

type check struct {
	name string
	run  func(context.Context) error
}

func (p *prober) nodeReady(ctx context.Context) error {
	body, err := get(ctx, p.admin, p.api("/api/v1/nodes/"+nodeName))
	if err != nil {
		return err
	}
	return readyCondition(body)
}

// readyCondition returns nil if the Node in the body is Ready, else why not.
func readyCondition(body []byte) error {
	var node struct {
		Status struct {
			Conditions []struct{ Type, Status, Message string }
		}
	}
	if err := json.Unmarshal(body, &node); err != nil {
		return err
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type != "Ready" {
			continue
		}
		if condition.Status == "True" {
			return nil
		}
		return errors.New("node is not Ready: " + condition.Message)
	}
	return errors.New("node has no condition Ready yet")
}

func (p *prober) serviceAnswers(ctx context.Context) error {
	_, err := get(ctx, p.admin, "https://"+apiService+"/readyz")
	return err
}

func (p *prober) serviceAccountExists(ctx context.Context) error {
	_, err := get(ctx, p.admin, p.api("/api/v1/namespaces/default/serviceaccounts/default"))
	return err
}

func (p *prober) dnsAnswers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, net.JoinHostPort(nodeIP, "53"))
	}}
	addresses, err := resolver.LookupHost(ctx, "kubernetes.default.svc."+clusterDomain+".")
	if err != nil {
		return err
	}
	if len(addresses) != 1 || addresses[0] != apiService {
		return fmt.Errorf("kubernetes.default resolves to %v instead of %s", addresses, apiService)
	}
	return nil
}

func (p *prober) api(path string) string {
	return "https://" + net.JoinHostPort(nodeIP, apiPort) + path
}
