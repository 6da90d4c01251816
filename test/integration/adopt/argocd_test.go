// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/test/systems"
)

// health returns what Argo CD's own script says of a job, in a virtual machine without libraries, as Argo CD has it.
func health(t *testing.T, theirs *unstructured.Unstructured) string {
	t.Helper()
	script, err := systems.KubeflowHealth()
	if err != nil {
		t.Fatal(err)
	}
	vm := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer vm.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		vm.Push(vm.NewFunction(open))
		vm.Push(lua.LString(name))
		vm.Call(1, 0)
	}
	vm.SetGlobal("obj", luaValue(vm, theirs.Object))
	if err := vm.DoString(script); err != nil {
		t.Fatalf("Argo CD's script fails: %v", err)
	}
	return vm.GetField(vm.Get(-1), "status").String()
}

func luaValue(vm *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case map[string]any:
		table := vm.NewTable()
		for key, item := range v {
			table.RawSetString(key, luaValue(vm, item))
		}
		return table
	case []any:
		table := vm.NewTable()
		for _, item := range v {
			table.Append(luaValue(vm, item))
		}
		return table
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	}
	return lua.LNil
}
