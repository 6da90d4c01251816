// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// environment is what rules may use: the value as self, and functions of text.
func environment() (*cel.Env, error) {
	return cel.NewEnv(cel.Variable("self", cel.DynType), ext.Strings())
}

func (r *rule) compile(env *cel.Env) error {
	parsed, issues := env.Compile(r.Rule)
	if err := issues.Err(); err != nil {
		return err
	}
	program, err := env.Program(parsed)
	r.program = program
	return err
}

// holds says whether a value satisfies the rule. A rule that cannot be applied, because the value is of another kind, is taken as
// satisfied: the kind is reported by itself.
func (r *rule) holds(value any) bool {
	result, _, err := r.program.Eval(map[string]any{"self": value})
	if err != nil {
		return true
	}
	satisfied, isBool := result.Value().(bool)
	return !isBool || satisfied
}
