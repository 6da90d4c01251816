// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const mountInfoPath = "/proc/self/mountinfo"

// mount is one line of /proc/PID/mountinfo, as far as it matters here.
type mount struct {
	Point   string
	FSType  string
	Source  string
	Options []string // of the superblock; for cgroup v1 the controllers
}

// parseMountInfo reads the format that proc(5) describes; lines that do not
// follow it are left out.
func parseMountInfo(content string) []mount {
	var mounts []mount
	for line := range strings.Lines(content) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 6 || len(right) < 3 {
			continue
		}
		mounts = append(mounts, mount{
			Point:   unescapeMountPath(left[4]),
			FSType:  right[0],
			Source:  right[1],
			Options: strings.Split(right[2], ","),
		})
	}
	return mounts
}

// unescapeMountPath undoes the octal escapes of space, tab, newline and
// backslash.
func unescapeMountPath(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+3 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

func currentMounts() ([]mount, error) {
	content, err := os.ReadFile(mountInfoPath)
	if err != nil {
		return nil, err
	}
	return parseMountInfo(string(content)), nil
}

// mountsBelow returns the mount points at or below dir, the deepest and latest
// first: the order in which they can be unmounted.
func mountsBelow(mounts []mount, dir string) []string {
	var points []string
	for _, m := range mounts {
		if m.Point == dir || strings.HasPrefix(m.Point, dir+"/") {
			points = append(points, m.Point)
		}
	}
	slices.Reverse(points)
	return points
}

// onBlockDevice says whether the mount that holds path lies on a device of
// the machine rather than in memory or in an overlay.
func onBlockDevice(mounts []mount, path string) bool {
	var holder mount
	for _, m := range mounts {
		inside := m.Point == "/" || path == m.Point || strings.HasPrefix(path, m.Point+"/")
		if inside && len(m.Point) >= len(holder.Point) {
			holder = m
		}
	}
	return strings.HasPrefix(holder.Source, "/dev/")
}

// unmountBelow detaches everything at or below dir.
func unmountBelow(dir string) error {
	mounts, err := currentMounts()
	if err != nil {
		return err
	}
	var errs []error
	for _, point := range mountsBelow(mounts, dir) {
		err := syscall.Unmount(point, syscall.MNT_DETACH)
		if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOENT) {
			errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
		}
	}
	return errors.Join(errs...)
}
