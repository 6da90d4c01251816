// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Attack is one file: one weakness that a tenant may look for.
type Attack struct {
	// Attack describes the attack; Gain is what the attacker would gain by it.
	Attack string `json:"attack"`
	Gain   string `json:"gain"`
	// Arena describes the setting of the attack.
	Arena Arena `json:"arena"`
	// Given are manifests that an administrator applies before each attempt.
	Given []map[string]any `json:"given"`
	// Attempts are the ways to try the attack. Each has its own arena.
	Attempts []Attempt `json:"attempts"`

	// Class is the folder of the file, and Name its name without the suffix.
	Class string `json:"-"`
	Name  string `json:"-"`
}

// Arena describes the attacker's namespace and queue. The queue has 2 cpu and 2Gi of memory and may not borrow.
type Arena struct {
	// Guarded namespaces are protected by the guard; their default queue is the arena's.
	Guarded bool `json:"guarded"`
	// Annotations and Labels are those of the namespace.
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
	// Queue is merged into the spec of the queue.
	Queue map[string]any `json:"queue"`
}

// Attempt is one way to try an attack.
type Attempt struct {
	// Name describes this way.
	Name string `json:"name"`
	// Given are additional manifests that an administrator applies before the attempt.
	Given []map[string]any `json:"given"`
	// Do are the steps, in order. All but the last one have to succeed.
	Do []Step `json:"do"`
	// Expect is the expected result of the last step.
	Expect Expect `json:"expect"`
}

// Step is one action. Exactly one of the fields other than As and Of is set.
type Step struct {
	// As is the identity that acts; see identity.go. Default: tenant.
	As string `json:"as"`
	// Of is the pod that the token of "as: program" is bound to.
	Of string `json:"of"`
	// Application is merged into the manifest of an ordinary small application "job", which is then created.
	Application map[string]any `json:"application"`
	// Create creates a manifest. Apply applies it server-side.
	Create map[string]any `json:"create"`
	Apply  map[string]any `json:"apply"`
	// Patch changes an object.
	Patch *PatchStep `json:"patch"`
	// Delete deletes an object.
	Delete *DeleteStep `json:"delete"`
	// Await waits for a condition, as an administrator sees it.
	Await *Expect `json:"await"`
	// Operator has the value "restart" to stop the operator and start it again.
	Operator string `json:"operator"`
	// Tick waits for the next second of the clock: the API server and the operator store times in whole seconds.
	Tick bool `json:"tick"`
}

// PatchStep is one PATCH.
type PatchStep struct {
	Object      `json:",inline"`
	Subresource string           `json:"subresource"`
	Merge       map[string]any   `json:"merge"`
	JSON        []map[string]any `json:"json"`
}

// DeleteStep is one DELETE.
type DeleteStep struct {
	Object      `json:",inline"`
	Propagation string `json:"propagation"`
}

// Object names an object of the attacker's namespace, or of Namespace.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
}

// Expect is the expected outcome of an attempt. Exactly one of the outcomes is set; Says is a part of its message.
type Expect struct {
	// Refused: the last step is refused by the guard, the schema, RBAC or the API server itself.
	Refused string `json:"refused"`
	// Ready is the reason of the condition Ready that the application reaches.
	Ready string `json:"ready"`
	// Admitted is the reason of the condition Admitted that the application reaches.
	Admitted string `json:"admitted"`
	// NeverAdmitted: the application is not admitted, even after a later, honest application of another queue was.
	NeverAdmitted bool `json:"neverAdmitted"`
	// Gated is a pod that stays behind the scheduling gate, even after a later, honest application was admitted.
	Gated string `json:"gated"`
	// Event is an object that has an event whose message contains Says.
	Event string `json:"event"`
	// Exists is an object that has to exist; Gone are objects that have to be deleted.
	Exists *Object  `json:"exists"`
	Gone   []Object `json:"gone"`
	// Allowed says why the step is harmless: it has to succeed.
	Allowed string `json:"allowed"`

	// Without are objects that must not exist, in addition to the outcome. An object without a name stands for all of
	// its kind.
	Without []Object `json:"without"`
	// Of is the name of the application to check. Default: job.
	Of   string `json:"of"`
	Says string `json:"says"`
	// InTime is used with Ready: pods end within the operator's --max-termination, whatever their grace period, and the
	// outcome may take as long.
	InTime bool `json:"inTime"`
	// Outside says why the quota does not count these pods, in cases which the documentation names. It disables the
	// invariant of the quota.
	Outside string `json:"outside"`
}

// Load reads all attacks below a folder, in the order of their paths.
func Load(root string) ([]Attack, error) {
	var attacks []Attack
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		a := Attack{Class: filepath.Base(filepath.Dir(path)), Name: strings.TrimSuffix(filepath.Base(path), ".yaml")}
		if err := yaml.UnmarshalStrict(data, &a); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		attacks = append(attacks, a)
		if err := a.check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	return attacks, err
}

func (a *Attack) check() error {
	if a.Attack == "" || a.Gain == "" || len(a.Attempts) == 0 {
		return fmt.Errorf("attack, gain and attempts have to be set")
	}
	seen := map[string]bool{}
	for _, attempt := range a.Attempts {
		if attempt.Name == "" || seen[attempt.Name] {
			return fmt.Errorf("attempt %q: the name has to be set and unique", attempt.Name)
		}
		seen[attempt.Name] = true
		if len(attempt.Do) == 0 || attempt.Expect.outcomes() != 1 {
			return fmt.Errorf("attempt %q: want at least one step and exactly one outcome, got %d outcomes", attempt.Name, attempt.Expect.outcomes())
		}
		for i, step := range attempt.Do {
			if step.verbs() != 1 || !slices.Contains(identities, step.who()) {
				return fmt.Errorf("attempt %q: step %d: want exactly one thing to do, by one of %v", attempt.Name, i+1, identities)
			}
		}
	}
	return nil
}

func (e *Expect) outcomes() int {
	return count(e.Refused != "", e.Ready != "", e.Admitted != "", e.NeverAdmitted, e.Gated != "", e.Event != "", e.Exists != nil, len(e.Gone) > 0, e.Allowed != "")
}

func (e *Expect) application() string {
	if e.Of != "" {
		return e.Of
	}
	return jobName
}

func (s *Step) verbs() int {
	return count(s.Application != nil, s.Create != nil, s.Apply != nil, s.Patch != nil, s.Delete != nil, s.Await != nil, s.Operator != "", s.Tick)
}

func (s *Step) who() string {
	if s.As != "" {
		return s.As
	}
	return asTenant
}

func count(all ...bool) int {
	n := 0
	for _, set := range all {
		if set {
			n++
		}
	}
	return n
}
