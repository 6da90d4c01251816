// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

var code = regexp.MustCompile("`([^`]+)`")

// pageOfRights returns the rights of each command by docs/sparkctl.md, such as "list pods".
func pageOfRights(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "sparkctl.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Rights\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rights := map[string][]string{}
	var above []string
	for row := range strings.Lines(section) {
		cells := strings.Split(row, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		var of []string
		if strings.Contains(cells[2], "the same") {
			of = append(of, above...)
		}
		needed, _, _ := strings.Cut(cells[2], "; with")
		for _, right := range code.FindAllStringSubmatch(needed, -1) {
			of = append(of, right[1])
		}
		for _, command := range code.FindAllStringSubmatch(cells[1], -1) {
			rights[command[1]] = of
		}
		above = of
	}
	return rights
}

// userWith returns a user who has these rights in a namespace, and no others.
func userWith(t *testing.T, namespace string, rights []string) user {
	t.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "few-"}}
	for _, right := range rights {
		verb, resource, _ := strings.Cut(right, " ")
		group := ""
		if strings.Contains(resource, "spark") {
			group = v1alpha1.Group
		}
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}})
	}
	harness.Create(t, role)
	harness.Create(t, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role.Name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role.Name}}})
	verb, resource, _ := strings.Cut(rights[len(rights)-1], " ")
	resource, subresource, _ := strings.Cut(resource, "/")
	group := role.Rules[len(rights)-1].APIGroups[0]
	env.Until(t, "the API server knows the role", func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: role.Name, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: verb, Group: group, Resource: resource, Subresource: subresource,
		}}}
		return env.Client().Create(t.Context(), review) == nil && review.Status.Allowed
	})
	return as(t, &clientcmdapi.AuthInfo{ClientCertificateData: env.Config().CertData, ClientKeyData: env.Config().KeyData, Impersonate: role.Name}, namespace)
}

// TestRights: each command works with the rights that the page names, and without one of them it says that this one is missing.
func TestRights(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"of": "rights"} })
	driver := w.Run(app)
	n.Writes(driver, "hello\n")
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	rights := pageOfRights(t)
	if len(rights) < 12 {
		t.Fatalf("the page has %v", rights)
	}
	made := 0
	for _, command := range slices.Sorted(maps.Keys(rights)) {
		needed := rights[command]
		call := func() []string { // of an application of its own, where that is changed
			if made++; needed[0] == "get sparkapplications" {
				return words(strings.Replace(command, "NAME", "pi", 1))
			}
			own := w.Pi(fmt.Sprintf("own-%d", made))
			own.Spec.Suspend = true
			if command == "submit" {
				return words("submit -f " + manifest(t, own))
			}
			harness.Create(t, own)
			w.Reach(own, v1alpha1.SuspendedReason)
			return words(strings.Replace(command, "NAME", own.Name, 1))
		}
		switch strings.Fields(command)[0] {
		case "ui", "advise":
			continue // no kubelet of these tests has what they connect to
		case "watch":
			command += " --until-ended -l of=rights"
		}
		few := slices.DeleteFunc(slices.Clone(needed), func(right string) bool { return strings.HasPrefix(right, "watch ") }) // what has ended is not watched
		if last := len(few) - 1; last > 0 {
			verb, resource, _ := strings.Cut(few[last], " ")
			userWith(t, w.Namespace, few[:last]).fails(1, call(), "you may not "+verb+" "+resource)
		}
		userWith(t, w.Namespace, needed).sees(call())
	}
}
