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
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Server is a kube-apiserver with our CRDs, and an etcd that does not wait for the disk. There is no controller
// manager, no scheduler and no node.
type Server struct {
	// Config is an administrator's access, without a rate limit.
	Config *rest.Config
	// Kubeconfig is a file with the same rights.
	Kubeconfig string
	// Dir is a folder for files of the benchmark; it is deleted with the server.
	Dir string

	// OperatorFlags are added to the flags of every operator, and take precedence over them.
	OperatorFlags []string

	env  *envtest.Environment
	rest rest.Interface
	pids []int
	// names are the names of the processes.
	names map[int]string
}

// StartServer starts the programs in the folder assets. crds is the folder of our CRDs.
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

// findProcesses looks for kube-apiserver and etcd among the new children, because the function that starts them does
// not return them.
func (s *Server) findProcesses(before map[int]string) error {
	now, err := children()
	if err != nil {
		return err
	}
	s.names = map[int]string{}
	for pid, name := range now {
		if _, old := before[pid]; !old {
			s.pids, s.names[pid] = append(s.pids, pid), name
		}
	}
	if len(s.pids) != 2 {
		return fmt.Errorf("expected kube-apiserver and etcd, found the processes %v", now)
	}
	return nil
}

// PIDs returns the processes of kube-apiserver and etcd.
func (s *Server) PIDs() []int { return s.pids }

// Resident returns the resident memory of kube-apiserver and etcd, in bytes.
func (s *Server) Resident() (apiserver, etcd int64, err error) {
	for pid, name := range s.names {
		bytes, err := Resident(pid)
		if err != nil {
			return 0, 0, err
		}
		if name == "etcd" {
			etcd = bytes
		} else {
			apiserver = bytes
		}
	}
	return apiserver, etcd, nil
}

// DatabaseSize returns the size of etcd's database on disk, in bytes, as the metrics of the API server report it.
func (s *Server) DatabaseSize(ctx context.Context) (int64, error) {
	return s.metric(ctx, "apiserver_storage_size_bytes{")
}

// CollectGarbage makes the API server collect its garbage, so that what was measured before leaves none to what follows.
func (s *Server) CollectGarbage(ctx context.Context) error {
	if _, err := s.rest.Get().AbsPath("/debug/pprof/heap").Param("gc", "1").Do(ctx).Raw(); err != nil {
		return fmt.Errorf("collect the garbage of the API server: %w", err)
	}
	return nil
}

// Allocated returns how many bytes the API server has allocated since its start.
func (s *Server) Allocated(ctx context.Context) (int64, error) {
	return s.metric(ctx, "go_memstats_alloc_bytes_total ")
}

// metric returns the first value among the metrics of the API server whose line begins so.
func (s *Server) metric(ctx context.Context, beginning string) (int64, error) {
	data, err := s.rest.Get().AbsPath("/metrics").Do(ctx).Raw()
	if err != nil {
		return 0, fmt.Errorf("read the metrics of the API server: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, beginning) {
			fields := strings.Fields(line)
			value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			return int64(value), err
		}
	}
	return 0, fmt.Errorf("the metrics of the API server lack %s", strings.TrimRight(beginning, "{ "))
}

// REST returns a client for paths that are not resources, such as the metrics.
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
