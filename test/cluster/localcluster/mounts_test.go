// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const mountInfo = `27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:25 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids
42 27 0:4 net:[4026532246] /run/netns/sparkgate rw shared:1 - nsfs nsfs rw
50 27 0:40 / /srv/with\040space rw master:2 propagate_from:1 - tmpfs tmpfs rw,size=1k
51 50 0:41 / /srv/with\040space/inner rw - overlay overlay rw,lowerdir=/a
52 27 0:42 / /srv/with\040space-not rw - tmpfs tmpfs rw
a line that is none
`

func TestParseMountInfo(t *testing.T) {
	t.Parallel()
	want := []mount{
		{Point: "/", FSType: "ext4", Source: "/dev/vda", Options: []string{"rw", "discard"}},
		{Point: "/sys/fs/cgroup/pids", FSType: "cgroup", Source: "cgroup", Options: []string{"rw", "pids"}},
		{Point: "/run/netns/sparkgate", FSType: "nsfs", Source: "nsfs", Options: []string{"rw"}},
		{Point: "/srv/with space", FSType: "tmpfs", Source: "tmpfs", Options: []string{"rw", "size=1k"}},
		{Point: "/srv/with space/inner", FSType: "overlay", Source: "overlay", Options: []string{"rw", "lowerdir=/a"}},
		{Point: "/srv/with space-not", FSType: "tmpfs", Source: "tmpfs", Options: []string{"rw"}},
	}
	if diff := cmp.Diff(want, parseMountInfo(mountInfo)); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}

func TestMountsBelow(t *testing.T) {
	t.Parallel()
	want := []string{"/srv/with space/inner", "/srv/with space"}
	if diff := cmp.Diff(want, mountsBelow(parseMountInfo(mountInfo), "/srv/with space")); diff != "" {
		t.Errorf("mount points in the order of unmounting (-want +got):\n%s", diff)
	}
}

func TestOnBlockDevice(t *testing.T) {
	t.Parallel()
	mounts := parseMountInfo(mountInfo)
	for path, want := range map[string]bool{
		"/var/lib/sparkgate-local": true,
		"/srv/with space/inner/x":  false,
		"/srv/with spaces":         true,
		"/run/netns/sparkgate":     false,
	} {
		if got := onBlockDevice(mounts, path); got != want {
			t.Errorf("onBlockDevice(%s) = %v, want %v", path, got, want)
		}
	}
}
