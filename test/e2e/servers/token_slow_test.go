// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// token is what the server of these tests asks for.
const token = "correct-horse-battery-staple"

// answers connects to the first argument, and prints an answer that takes as many seconds as the second one says, or what is wrong.
const answers = `
import os, sys, time
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit, udf

try:
    spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()

    @udf("int")
    def answer(seconds):
        time.sleep(seconds)
        return 42

    seconds = int(sys.argv[2])
    query = spark.range(1).select(answer(lit(seconds))) if seconds else spark.sql("select 6 * 7")
    print(query.collect()[0][0], flush=True)
except Exception as error:
    print(type(error).__name__, error, flush=True)
os._exit(0) # Python may hang when it ends with an open session
`

// TestSlowATokenIsAskedFor: clients with the token, and no others, reach the server through sparkctl connect and through a proxy that ends TLS. So
// does a query that takes longer than the proxy waits for an answer: 60 seconds, as nginx and ingress-nginx do by default.
func TestSlowATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	n := env.NewNotebook(t, env.Image, env.ClientAlone, "1", "3Gi")
	n.Kubectl("create", "secret", "generic", "notebooks", "--from-literal=token="+token)
	n.Apply(server("notebooks", n.Name, v1alpha1.ConnectServer, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Server.Token = &v1alpha1.SecretKeyReference{Name: "notebooks", Key: "token"}
		spec.DriverService = &v1alpha1.DriverService{Type: v1alpha1.ClusterIPService}
	}))
	serves(n.Namespace, "notebooks", env.First)

	local := connect(t, n)
	proxy := endTLS(t, n)
	for _, tc := range []struct {
		way, address string
		seconds      string
		want         string
	}{
		{"sparkctl connect", local + "/;token=" + token, "0", "42\n"},
		{"sparkctl connect, with another token", local + "/;token=0123456789abcdef", "0", "Invalid authentication token"},
		{"sparkctl connect, without a token", local, "0", "No authentication token provided"},
		{"TLS", proxy + "/;use_ssl=true;token=" + token, "0", "42\n"},
		{"TLS, with another token", proxy + "/;use_ssl=true;token=0123456789abcdef", "0", "Invalid authentication token"},
		{"TLS, for longer than nginx waits", proxy + "/;use_ssl=true;token=" + token, "75", "42\n"},
	} {
		var said string
		if strings.HasPrefix(tc.address, local) {
			said = hostPython(t, answers, tc.address, tc.seconds)
		} else {
			said = n.Kubectl(n.Python(trusts+answers, tc.address, tc.seconds)...)
		}
		if !strings.Contains(said, tc.want) {
			t.Errorf("by %s: %q, want %q", tc.way, said, tc.want)
		}
	}
}

// connect returns the address at which sparkctl connect forwards a port of this machine to the server.
func connect(t *testing.T, n env.Notebook) string {
	t.Helper()
	connect := exec.CommandContext(t.Context(), os.Getenv("SPARKGATE_CTL"), "connect", "notebooks", "--namespace", n.Name)
	out, err := connect.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, connect)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("sparkctl connect prints no address: %v", err)
	}
	return strings.TrimSpace(address)
}

// hostPython runs a program on this machine, as a user outside of the cluster does, and returns what it prints.
func hostPython(t *testing.T, program string, args ...string) string {
	t.Helper()
	python := exec.CommandContext(t.Context(), "python3", append([]string{"-c", program}, args...)...)
	python.Env = append(os.Environ(), "PYTHONPATH="+os.Getenv("SPARKGATE_PYSPARK_CLIENT"))
	python.Stderr = os.Stderr
	said, err := python.Output()
	if err != nil {
		t.Fatalf("python3 on this machine: %v", err)
	}
	return string(said)
}

// authority is the file in the notebook with the certificate of the proxy.
const authority = "/tmp/proxy.pem"

// trusts makes gRPC trust that certificate.
const trusts = `
import os
os.environ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"] = "` + authority + `"
`

// proxyConf is the configuration of nginx.
const proxyConf = `
daemon off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  server {
    listen %[2]s ssl http2;
    ssl_certificate %[1]s/cert.pem;
    ssl_certificate_key %[1]s/key.pem;
    location / {
      grpc_pass grpc://%[3]s:15002;
    }
  }
}
`

// endTLS starts nginx on the node, as it stands in front of a cluster, and returns its address for clients. The notebook learns its certificate.
func endTLS(t *testing.T, n env.Notebook) string {
	t.Helper()
	host, dir := env.NodeAddress(t), t.TempDir()
	certificate(t, host, dir)
	service := n.Kubectl("get", "service", "notebooks", "--output", "jsonpath={.spec.clusterIP}")
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, proxyConf, dir, address, service), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, exec.CommandContext(t.Context(), "nginx", "-e", "stderr", "-p", dir, "-c", file))
	cert, err := os.ReadFile(filepath.Join(dir, "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.TryKubectl(string(cert), "exec", "-i", "notebook", "--", "sh", "-c", "cat >"+authority); err != nil {
		t.Fatal(err)
	}
	return "sc://" + address
}

// certificate writes a key and a certificate for an address to a folder.
func certificate(t *testing.T, host, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(host)},
		BasicConstraintsValid: true, IsCA: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// start starts a program that runs until the test ends.
func start(t *testing.T, program *exec.Cmd) {
	t.Helper()
	program.Stderr = os.Stderr
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
	program.WaitDelay = 10 * time.Second
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Wait() }) // t.Context() has ended by then
}
