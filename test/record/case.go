// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// namespace of every recorded application.
const namespace = "spark-jobs"

// Case is one submission, described once for spark-submit and for Sparkgate.
// "@VERSION@" in any text is replaced by the Spark version of the recording.
type Case struct {
	// Name of the recording's folder, of the application and of the manifest.
	Name string `json:"name"`
	// Description says what the case is there for.
	Description string `json:"description"`
	// Language is java (default: SparkPi from the image) or python.
	Language string `json:"language,omitempty"`

	// AppName is Spark's name of the application. Default: Name.
	AppName string `json:"appName,omitempty"`
	// MainClass and MainFile replace the language's own. "-" for MainClass gives none.
	MainClass string `json:"mainClass,omitempty"`
	MainFile  string `json:"mainFile,omitempty"`
	// Arguments of the main program.
	Arguments []string `json:"arguments,omitempty"`
	// Conf are properties that both sides get in the same way: as --conf and as spec.sparkConf.
	Conf map[string]string `json:"conf,omitempty"`
	// DriverTemplate and ExecutorTemplate are pod templates: a file for spark-submit, inline in the manifest.
	DriverTemplate   map[string]any `json:"driverTemplate,omitempty"`
	ExecutorTemplate map[string]any `json:"executorTemplate,omitempty"`
	// ConfFiles is the content of Spark's conf folder by file name; the manifest names a ConfigMap with these files.
	ConfFiles map[string]string `json:"confFiles,omitempty"`

	// SubmitConf are properties, and Args further options, of spark-submit alone, with Spec their equal in the manifest.
	SubmitConf map[string]string `json:"submitConf,omitempty"`
	Args       []string          `json:"args,omitempty"`
	// SubmitDriverTemplate is a pod template of spark-submit alone: for what has a field in the manifest and no property in Spark.
	SubmitDriverTemplate   map[string]any `json:"submitDriverTemplate,omitempty"`
	SubmitExecutorTemplate map[string]any `json:"submitExecutorTemplate,omitempty"`
	// Files are put into the working folder of spark-submit, which is its home folder too.
	Files map[string]string `json:"files,omitempty"`
	// Env are environment variables of spark-submit.
	Env map[string]string `json:"env,omitempty"`
	// Spec is merged into the manifest's spec; null removes a field.
	Spec map[string]any `json:"spec,omitempty"`

	// Refused says that spark-submit fails before it sends anything; the recording is then its message.
	Refused bool `json:"refused,omitempty"`
	// RefusedFrom is the first Spark version, such as 4.0, that refuses the case, and RefusedBefore the first one that no longer does.
	// Default: every version refuses it.
	RefusedFrom   string `json:"refusedFrom,omitempty"`
	RefusedBefore string `json:"refusedBefore,omitempty"`
}

var caseName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// LoadCases reads every *.yaml of folder; each holds a list of cases. The
// result is ordered by name.
func LoadCases(folder, version string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	var cases []Case
	seen := map[string]string{}
	for _, file := range files {
		loaded, err := loadFile(file, version)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		for _, c := range loaded {
			if other, twice := seen[c.Name]; twice {
				return nil, fmt.Errorf("%s: case %s is in %s too", filepath.Base(file), c.Name, other)
			}
			seen[c.Name] = filepath.Base(file)
			c.Refused = c.refusedBy(version)
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("no case in %s", folder)
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return cases, nil
}

func loadFile(file, version string) ([]Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text = []byte(strings.ReplaceAll(string(text), "@VERSION@", version))
	var cases []Case
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		return nil, err
	}
	for _, c := range cases {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("case %q: %w", c.Name, err)
		}
	}
	return cases, nil
}

func (c Case) check() error {
	switch {
	case !caseName.MatchString(c.Name) || len(c.Name) > 63:
		return errors.New("set name to a DNS label of at most 63 characters")
	case c.Description == "":
		return errors.New("set description")
	case c.DriverTemplate != nil && c.SubmitDriverTemplate != nil, c.ExecutorTemplate != nil && c.SubmitExecutorTemplate != nil:
		return errors.New("set one template for both sides or one for spark-submit, not both")
	case c.RefusedFrom+c.RefusedBefore != "" && !c.Refused:
		return errors.New("set refusedFrom and refusedBefore only where refused is true")
	case c.Language != "" && c.Language != "java" && c.Language != "python":
		return fmt.Errorf("set language to java or python, not %q", c.Language)
	}
	return nil
}

// refusedBy reports whether spark-submit of a version refuses the case.
func (c Case) refusedBy(version string) bool {
	stillRefused := c.RefusedBefore == "" || versionLess(version, c.RefusedBefore)
	return c.Refused && stillRefused && !versionLess(version, c.RefusedFrom)
}

// versionLess compares the numbers of two versions; a missing one counts as 0.
func versionLess(a, b string) bool {
	x, y := versionNumbers(a), versionNumbers(b)
	return slices.Compare(x[:], y[:]) < 0
}

func versionNumbers(version string) (numbers [3]int) {
	for i, part := range strings.SplitN(version, ".", 3) {
		_, _ = fmt.Sscanf(part, "%d", &numbers[i])
	}
	return numbers
}
