// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestStopNamesWhatItCanStop(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		names []string
		want  string // in the error; empty for none
	}{
		"two components":    {[]string{apiserver, kubelet}, ""},
		"nothing":           {nil, "stop needs a component: give one or more of etcd, containerd, kube-apiserver"},
		"something unknown": {[]string{kubelet, "apiserver"}, `no component "apiserver": give one or more of etcd`},
		"the node's mounts": {[]string{mountsHolder}, `no component "mounts"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkStoppable(tt.names)
			if tt.want == "" && err == nil {
				return
			}
			if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// A component that does not run, and a child of one, are left alone.
func TestStopIsDoneWithWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	shim := daemon(22, kubelet, "/usr/bin/something")
	shim.stat.session = 20
	s := fakeSupervisor(t, shim)
	if err := s.stopIfRunning(kubelet); err != nil {
		t.Error(err)
	}
}
