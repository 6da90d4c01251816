// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// The addresses are the same in every cluster: each has a network of its own.
const (
	nodeIP      = "10.77.0.1"
	bridgeCIDR  = nodeIP + "/24"
	podCIDR     = "10.88.0.0/16"
	serviceCIDR = "10.96.0.0/16"
	apiService  = "10.96.0.1" // the first address of serviceCIDR
	apiPort     = "6443"

	nodeName      = "sparkgate-node"
	clusterDomain = "cluster.local"
	pauseImage    = "docker.io/sparkgate/pause:1"

	defaultName = "sparkgate"
	defaultDir  = "/var/lib/sparkgate-local"

	// maxDirLength keeps the unix sockets below the folder within the
	// kernel's 107 bytes.
	maxDirLength = 64
)

// cluster names what belongs to one local cluster.
type cluster struct {
	name string // of the network namespace and of the cgroup
	dir  string // state folder, absolute
}

// Names begin with "sparkgate" so that no cgroup or network namespace of
// another program can be meant, and removed, by mistake.
var validName = regexp.MustCompile(`^sparkgate(-[a-z0-9]+)*$`)

// clusterFromEnv reads SPARKGATE_CLUSTER_NAME and SPARKGATE_CLUSTER_DIR. A
// second cluster gets a folder of its own by its name.
func clusterFromEnv(getenv func(string) string) (cluster, error) {
	c := cluster{name: getenv("SPARKGATE_CLUSTER_NAME"), dir: getenv("SPARKGATE_CLUSTER_DIR")}
	if c.name == "" {
		c.name = defaultName
	}
	if !validName.MatchString(c.name) || len(c.name) > 40 {
		return c, fmt.Errorf("SPARKGATE_CLUSTER_NAME=%s cannot be used: use sparkgate or sparkgate-<letters and digits>, at most 40 characters", c.name)
	}
	if c.dir == "" {
		c.dir = defaultDir + strings.TrimPrefix(c.name, defaultName)
	}
	c.dir = filepath.Clean(c.dir)
	if !filepath.IsAbs(c.dir) || filepath.Dir(c.dir) == "/" {
		return c, fmt.Errorf("SPARKGATE_CLUSTER_DIR=%s cannot be used: give an absolute path at least two levels deep, it is deleted by down", c.dir)
	}
	if len(c.dir) > maxDirLength {
		return c, fmt.Errorf("SPARKGATE_CLUSTER_DIR=%s cannot be used: sockets below it need a path of at most %d characters", c.dir, maxDirLength)
	}
	return c, nil
}

// path joins below the state folder.
func (c cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

func (c cluster) netnsPath() string        { return "/run/netns/" + c.name }
func (c cluster) kubeconfig() string       { return c.path("kubeconfig") }
func (c cluster) containerdSocket() string { return c.path("run", "containerd.sock") }
func (c cluster) logFile(component string) string {
	return c.path("log", component+".log")
}
