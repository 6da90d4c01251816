// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// The variables that `up` passes to itself when it re-executes inside the
// cluster's network.
const (
	insideLock  = "SPARKGATE_UP_LOCK"  // descriptor of the lock
	insideStart = "SPARKGATE_UP_START" // RFC 3339 time of the command's begin
)

// clusterRecord is what other commands need to know about a started cluster.
type clusterRecord struct {
	Build    string `json:"build"`              // folder of the binaries
	Programs string `json:"programs,omitempty"` // folder of those of another minor
	Version  string `json:"version"`
	Audit    bool   `json:"audit"`
}

func (c cluster) recordFile() string { return c.path("cluster.json") }
func (c cluster) lockFile() string   { return c.dir + ".lock" }

// markFile makes a folder recognizable as ours. down deletes no other.
func (c cluster) markFile() string { return c.path(".sparkgate-cluster") }

// readRecord fails with fs.ErrNotExist where no cluster was started.
func (c cluster) readRecord() (clusterRecord, error) {
	var record clusterRecord
	content, err := os.ReadFile(c.recordFile())
	if err != nil {
		return record, err
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return record, fmt.Errorf("read %s: %w", c.recordFile(), err)
	}
	return record, nil
}

func (r clusterRecord) built() built {
	return built{dir: r.Build, version: r.Version, programs: r.Programs}
}

func (c cluster) notUp() error {
	return fmt.Errorf("the cluster %s is not up: run `make cluster-up` or `localcluster up`", c.name)
}

// runUp implements `up`. It works in two halves, the second inside the
// cluster's network: whatever it starts is then in the right network and
// cgroup from its first instruction.
func runUp(c cluster, args []string) error {
	flags := newFlags("up")
	audit := flags.Bool("audit", os.Getenv("SPARKGATE_CLUSTER_AUDIT") == "1", "log writes, and what programs in pods read; without the flag an existing cluster stays as it is")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if os.Getenv(insideLock) == "" {
		auditSet := os.Getenv("SPARKGATE_CLUSTER_AUDIT") != ""
		flags.Visit(func(*flag.Flag) { auditSet = true })
		return c.upOutside(auditChoice{set: auditSet, on: *audit})
	}
	return c.upInside()
}

// auditChoice is the caller's wish for the audit log; not set means as before.
type auditChoice struct{ set, on bool }

func (c cluster) upOutside(audit auditChoice) (err error) {
	begin := now()
	report := newReporter(os.Stdout, begin)
	if err := requireRoot("up"); err != nil {
		return err
	}
	if err := requireTools(); err != nil {
		return err
	}
	result, err := c.binaries(report)
	if err != nil {
		return err
	}
	if err := requireDisk(c.dir, upDisk, "run a cluster"); err != nil {
		return err
	}
	lock, err := acquireLock(c.lockFile(), os.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.releaseWith(c.lockFile(), c.dir)) }()
	if err := c.prepareMachine(audit, result); err != nil {
		return err
	}
	descriptor, err := lock.handOver()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(os.Environ(), insideLock+"="+descriptor, insideStart+"="+begin.Format(time.RFC3339Nano))
	return c.enter(env, self, "up")
}

// binaries returns the build to run: that of the checkout, made if necessary,
// or without a checkout the one the cluster was started with.
func (c cluster) binaries(report *reporter) (built, error) {
	if _, err := findModule(); err != nil {
		if record, recordErr := c.readRecord(); recordErr == nil && record.built().complete() {
			return record.built(), nil
		}
		return built{}, err
	}
	b, err := newBuilder(report)
	if err != nil {
		return built{}, err
	}
	return b.ensure()
}

// prepareMachine makes state folder, cgroup and network, and puts this process
// into the cgroup. The order is what down and checkOwner rely on: the cgroup
// exists whenever the network does, the record of the machine's state
// whenever the cgroup does.
func (c cluster) prepareMachine(audit auditChoice, result built) (err error) {
	host, err := acquireLock(hostLockFile, os.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.releaseWith(hostLockFile, hostStateFile)) }()
	groups, err := c.cgroups()
	if err != nil {
		return err
	}
	if err := c.checkOwner(groups.exist()); err != nil {
		return err
	}
	if err := c.claimDir(); err != nil {
		return err
	}
	if err := c.writeRecord(audit, result); err != nil {
		return err
	}
	if err := prepareHost(); err != nil {
		return err
	}
	if err := groups.create(); err != nil {
		return err
	}
	if err := c.ensureNetwork(); err != nil {
		return err
	}
	return groups.join()
}

// claimDir creates the state folder, or accepts an empty one or its own.
func (c cluster) claimDir() error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(c.markFile()); err != nil && !isEmptyDir(c.dir) {
		return fmt.Errorf("%s is not empty and was not made by this tool: choose another folder with SPARKGATE_CLUSTER_DIR", c.dir)
	}
	if err := os.WriteFile(c.markFile(), nil, 0o600); err != nil {
		return err
	}
	for _, dir := range []string{"etc", "log", "run", "private"} {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (c cluster) writeRecord(audit auditChoice, result built) error {
	record, err := c.readRecord()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if record.Build != "" && minorOf(record.Version) != minorOf(result.version) {
		return fmt.Errorf("the cluster %s is of Kubernetes %s, not %s: run `localcluster down` first", c.name, record.Version, result.version)
	}
	record.Build, record.Programs, record.Version = result.dir, result.programs, result.version
	if audit.set {
		record.Audit = audit.on
	}
	return writeJSON(c.recordFile(), record)
}

func (c cluster) upInside() error {
	lock, err := inheritLock(os.Getenv(insideLock))
	if err != nil {
		return err
	}
	defer lock.release()
	begin, err := time.Parse(time.RFC3339Nano, os.Getenv(insideStart))
	if err != nil {
		return err
	}
	if !c.inside() {
		return errors.New("not in the cluster's network: unset " + insideLock + " and run up again")
	}
	report := newReporter(os.Stdout, begin)
	s, err := c.newSupervisor(report)
	if err != nil {
		return err
	}
	started, err := s.startAll(context.Background())
	if err != nil {
		return err
	}
	record, err := c.readRecord()
	if err != nil {
		return err
	}
	if started == 0 {
		report.step("cluster %s is already up: Kubernetes %s, node %s is Ready, KUBECONFIG=%s", c.name, record.Version, nodeName, c.kubeconfig())
		return nil
	}
	report.step("cluster %s is up: Kubernetes %s, node %s is Ready, KUBECONFIG=%s", c.name, record.Version, nodeName, c.kubeconfig())
	return nil
}

// newSupervisor writes certificates and configuration, where they are not
// there yet, and describes the components that use them.
func (c cluster) newSupervisor(report *reporter) (*supervisor, error) {
	record, err := c.readRecord()
	if err != nil {
		return nil, err
	}
	if err := createPKI(c.path("pki"), now()); err != nil {
		return nil, fmt.Errorf("create certificates: %w", err)
	}
	if err := c.writeKubeconfigs(c.path("pki")); err != nil {
		return nil, err
	}
	s, err := c.describe(record, report)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(writeConfigFiles(s.contents), enableForwarding())
}

// describe builds a supervisor without writing anything.
func (c cluster) describe(record clusterRecord, report *reporter) (*supervisor, error) {
	groups, err := c.cgroups()
	if err != nil {
		return nil, err
	}
	mounts, err := currentMounts()
	if err != nil {
		return nil, err
	}
	result := record.built()
	config := settings{
		binary: result.binary(), programs: result.programs, pause: result.pause(), cniPlugins: cniPluginDir(),
		snapshotter: c.snapshotter(), diskStats: onBlockDevice(mounts, c.dir), audit: record.Audit,
	}
	contents, err := c.configFiles(config)
	if err != nil {
		return nil, err
	}
	prober, err := newProber(c)
	if err != nil {
		return nil, err
	}
	s := &supervisor{
		cluster: c, groups: groups, proc: "/proc", specs: c.components(config), contents: contents,
		children: map[string]*child{}, prober: prober, report: report, pause: config.pause,
	}
	s.probes = prober.probes()
	s.probes[mountsHolder] = s.holderInPlace
	return s, nil
}

// snapshotter is decided once for the life of a cluster: images unpacked for
// one kind are not there for another.
func (c cluster) snapshotter() string {
	file := c.path("etc", "snapshotter")
	if content, err := os.ReadFile(file); err == nil {
		return string(content)
	}
	picked := c.pickSnapshotter()
	_ = writeFile(file, []byte(picked)) // else it is picked again next time
	return picked
}
