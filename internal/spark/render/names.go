// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Names are the names of all objects of one attempt. They depend only on application, run and attempt, so creating an
// object again finds the first one.
type Names struct {
	// Prefix begins all names. It has at most 52 characters, so that a name with a suffix is still a DNS label.
	// Executors are <prefix>-exec-<n>.
	Prefix string
	// ApplicationID is Spark's id for the attempt.
	ApplicationID string
	// DriverPod, Service, ConfigMap, Secret and NetworkPolicy are the names of the objects.
	DriverPod     string
	Service       string
	ConfigMap     string
	Secret        string
	NetworkPolicy string
}

// Files returns the name of the ConfigMap for an entry of spec.configMaps.
func (n Names) Files(entry string) string { return n.Prefix + "-files-" + entry }

const (
	// maxPrefix leaves space for the longest suffix, -driver-svc, in a DNS label of 63 characters.
	maxPrefix = 52
	// maxStem is how many characters of the application's name a prefix contains at most.
	maxStem = 32
	// hashLength is how many characters of the uid's hash a prefix contains. It distinguishes applications whose names
	// begin alike.
	hashLength = 5
)

// NamesOf returns the names of an attempt.
func NamesOf(app *v1alpha1.SparkApplication, run, attempt int64) Names {
	prefix := prefixOf(app, run, attempt)
	driver := app.Spec.Driver.PodName
	if driver == "" {
		driver = prefix + "-driver"
	}
	return Names{
		Prefix:        prefix,
		ApplicationID: "spark-" + attemptHash(app, run, attempt),
		DriverPod:     driver,
		Service:       prefix + "-driver-svc",
		ConfigMap:     prefix + "-driver-conf-map",
		Secret:        prefix + "-driver-conf-secret",
		NetworkPolicy: prefix + "-policy",
	}
}

// UI returns the name of the Ingress and of the HTTPRoute for the web interface of the attempt.
func (n Names) UI() string { return n.Prefix + "-ui" }

// DriverBudget returns the name of the PodDisruptionBudget for the attempt's driver.
func (n Names) DriverBudget() string { return n.Prefix + "-driver" }

// prefixOf returns <stem>-<hash of the uid>-<run>-<attempt>. It begins with a letter and ends with a digit.
func prefixOf(app *v1alpha1.SparkApplication, run, attempt int64) string {
	stem := app.Name
	if stem == "" || stem[0] < 'a' || stem[0] > 'z' {
		stem = "x" + stem
	}
	end := "-" + uidHash(app) + "-" + strconv.FormatInt(run, 10) + "-" + strconv.FormatInt(attempt, 10)
	stem = stem[:min(len(stem), maxStem, maxPrefix-len(end))]
	return strings.TrimRight(stem, "-.") + end
}

// uidHash returns a short hash of the application's uid, in lower-case letters and digits.
func uidHash(app *v1alpha1.SparkApplication) string {
	sum := sha256.Sum256([]byte(app.UID))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:hashLength]
}

// attemptHash returns 32 hexadecimal digits that identify the attempt.
func attemptHash(app *v1alpha1.SparkApplication, run, attempt int64) string {
	const size = 16
	sum := sha256.Sum256([]byte(string(app.UID) + "/" + strconv.FormatInt(run, 10) + "/" + strconv.FormatInt(attempt, 10)))
	return hex.EncodeToString(sum[:size])
}

var (
	notInLabel = regexp.MustCompile(`[^a-z0-9-]`)
	dashes     = regexp.MustCompile(`-+`)
)

// appNameLabel converts an application's name to a label value as Spark does. A name without letters or digits becomes
// "".
func appNameLabel(name string) string {
	const longest = 63
	name = strings.TrimFunc(name, func(c rune) bool { return c <= ' ' })
	name = dashes.ReplaceAllString(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	name = name[:min(len(name), longest)]
	return strings.TrimSuffix(strings.TrimPrefix(name, "-"), "-")
}
