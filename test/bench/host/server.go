// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Server is a kube-apiserver with an etcd that does not wait for the disk, and with our CRDs. There is no controller manager, no
// scheduler and no node.
type Server struct {
	// Config is an administrator's access, without a limit of requests.
	Config *rest.Config
	// Kubeconfig is a file with the same rights.
	Kubeconfig string
	// Dir is a folder for files of the benchmark; it goes with the server.
	Dir string

	env  *envtest.Environment
	rest rest.Interface
	pids []int
}

// StartServer starts the programs of the folder assets. crds is the folder of our CRDs.
func StartServer(assets, crds string) (*Server, error) {
	before, err := children()
	if err != nil {
		return nil, err
	}
	s := &Server{env: &envtest.Environment{
		CRDDirectoryPaths: []string{crds}, ErrorIfCRDPathMissing: true, BinaryAssetsDirectory: assets,
		ControlPlaneStartTimeout: 2 * time.Minute, ControlPlaneStopTimeout: time.Minute,
	}}
	if s.Config, err = s.env.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the programs of %q: %w", assets, err), s.env.Stop())
	}
	if err := s.connect(before); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) connect(before map[int]string) (err error) {
	s.Config.QPS, s.Config.Burst = -1, -1
	if s.Dir, err = os.MkdirTemp("", "sparkgate-bench-"); err != nil {
		return err
	}
	user, err := s.env.AddUser(envtest.User{Name: "bench", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return fmt.Errorf("make a user: %w", err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return fmt.Errorf("make a kubeconfig: %w", err)
	}
	s.Kubeconfig = filepath.Join(s.Dir, "kubeconfig")
	if err := os.WriteFile(s.Kubeconfig, kubeconfig, 0o600); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	s.rest = client.CoreV1().RESTClient()
	return s.findProcesses(before)
}

// findProcesses takes the new children for kube-apiserver and etcd: the function that starts them does not say.
func (s *Server) findProcesses(before map[int]string) error {
	now, err := children()
	if err != nil {
		return err
	}
	for pid := range now {
		if _, old := before[pid]; !old {
			s.pids = append(s.pids, pid)
		}
	}
	if len(s.pids) != 2 {
		return fmt.Errorf("expected kube-apiserver and etcd, found the processes %v", now)
	}
	return nil
}

// PIDs are the processes of kube-apiserver and etcd.
func (s *Server) PIDs() []int { return s.pids }

// REST is a client for what is no resource, such as the metrics.
func (s *Server) REST() rest.Interface { return s.rest }

// Profile writes a CPU profile of the API server to a file.
func (s *Server) Profile(ctx context.Context, length time.Duration, path string) error {
	seconds := strconv.Itoa(int(length.Seconds()))
	data, err := s.rest.Get().AbsPath("/debug/pprof/profile").Param("seconds", seconds).Timeout(2 * length).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("take a profile of the API server: %w", err)
	}
	return os.WriteFile(path, data, 0o600)
}

// Stop ends the programs and removes their files.
func (s *Server) Stop() error {
	return errors.Join(s.env.Stop(), os.RemoveAll(s.Dir))
}
