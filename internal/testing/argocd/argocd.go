// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package argocd judges objects in tests as Argo CD does: by a health script in Lua.
package argocd

import (
	"fmt"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Health returns what a script says of an object, in a machine that has only Lua's base and table libraries (Argo CD's has
// a little more).
func Health(t *testing.T, script string, obj *unstructured.Unstructured) (health, message string) {
	t.Helper()
	vm := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer vm.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		vm.Push(vm.NewFunction(open))
		vm.Push(lua.LString(name))
		vm.Call(1, 0)
	}
	vm.SetGlobal("obj", toLua(vm, obj.Object))
	if err := vm.DoString(script); err != nil {
		t.Fatalf("the health script fails: %v", err)
	}
	table, ok := vm.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the health script returned %s, want a table", vm.Get(-1).Type())
	}
	return table.RawGetString("status").String(), table.RawGetString("message").String()
}

func toLua(vm *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case map[string]any:
		table := vm.NewTable()
		for key, item := range v {
			table.RawSetString(key, toLua(vm, item))
		}
		return table
	case []any:
		table := vm.NewTable()
		for _, item := range v {
			table.Append(toLua(vm, item))
		}
		return table
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case nil:
		return lua.LNil
	}
	panic(fmt.Sprintf("no Lua value for %T", value))
}
