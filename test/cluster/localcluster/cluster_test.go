// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestClusterFromEnv(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		env     map[string]string
		want    cluster
		wantErr string
	}{
		"defaults": {want: cluster{name: "sparkgate", dir: "/var/lib/sparkgate-local"}},
		"a second cluster has its own folder": {
			env:  map[string]string{"SPARKGATE_CLUSTER_NAME": "sparkgate-ci"},
			want: cluster{name: "sparkgate-ci", dir: "/var/lib/sparkgate-local-ci"},
		},
		"the folder is cleaned": {
			env:  map[string]string{"SPARKGATE_CLUSTER_DIR": "/srv/x/../k8s/"},
			want: cluster{name: "sparkgate", dir: "/srv/k8s"},
		},
		"another program's cgroup": {
			env:     map[string]string{"SPARKGATE_CLUSTER_NAME": "system.slice"},
			wantErr: "SPARKGATE_CLUSTER_NAME=system.slice cannot be used",
		},
		"path in the name": {
			env:     map[string]string{"SPARKGATE_CLUSTER_NAME": "sparkgate/../x"},
			wantErr: "cannot be used",
		},
		"relative folder": {
			env:     map[string]string{"SPARKGATE_CLUSTER_DIR": "state/x"},
			wantErr: "give an absolute path",
		},
		"a folder of the system": {
			env:     map[string]string{"SPARKGATE_CLUSTER_DIR": "/var/lib/.."},
			wantErr: "at least two levels deep",
		},
		"too long for sockets": {
			env:     map[string]string{"SPARKGATE_CLUSTER_DIR": "/var/" + strings.Repeat("x", 60)},
			wantErr: "at most 64 characters",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := clusterFromEnv(func(key string) string { return tt.env[key] })
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error = %v, want one with %q", err, tt.wantErr)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("clusterFromEnv = %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}
