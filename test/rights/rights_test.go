// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

const log = `{"verb":"patch","user":{"username":"` + Account + `"},"objectRef":{"apiGroup":"sparkgate.io","resource":"sparkapplications","subresource":"status"},"responseStatus":{"code":200},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"create","user":{"username":"` + Account + `"},"objectRef":{"resource":"pods"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"get","user":{"username":"` + Account + `"},"objectRef":{"resource":"nodes"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"verb":"get","user":{"username":"` + Account + `"},"objectRef":{"resource":"secrets"},"responseStatus":{"code":429}}
{"verb":"get","user":{"username":"` + Account + `"},"requestURI":"/apis","annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"delete","user":{"username":"admin"},"objectRef":{"resource":"pods","name":"` + Account + `"},"annotations":{"authorization.k8s.io/decision":"allow"}}
`

func TestUsed(t *testing.T) {
	t.Parallel()
	used, lacked := Set{}, Set{}
	if err := used.Used(strings.NewReader(log), Account, lacked); err != nil {
		t.Fatal(err)
	}
	if got, want := used.String(), "create pods\npatch sparkapplications.sparkgate.io/status"; got != want {
		t.Errorf("used are:\n%s\nwant:\n%s", got, want)
	}
	if got, want := lacked.String(), "get nodes"; got != want {
		t.Errorf("lacked are:\n%s\nwant:\n%s", got, want)
	}
	granted := Set{}
	granted.Granted([]rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create", "delete"}}})
	if got, want := granted.Minus(used).String(), "delete pods"; got != want {
		t.Errorf("unused are:\n%s\nwant:\n%s", got, want)
	}
}

func TestUsedRefusesWhatIsNoLog(t *testing.T) {
	t.Parallel()
	if err := (Set{}).Used(strings.NewReader(Account+"\n"), Account, Set{}); err == nil {
		t.Error("it is taken as an audit log")
	}
}

// The tests that are named exist.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for name := range elsewhere {
		folder, test, _ := strings.Cut(name, " ")
		files, err := filepath.Glob(filepath.Join("..", "integration", folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "\nfunc "+test+"(t *testing.T) {\n")
		}
		if !found {
			t.Errorf("test/integration/%s has no %s", folder, test)
		}
	}
	for right := range NotHere() {
		if again := parse(right.String()); again != right {
			t.Errorf("%s is read as %s", right, again)
		}
	}
}
