// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// attackers in the order of the columns of the table in docs/guard-attempts.md. RBAC gives each of them every right on pods in the namespace, so
// that the guard alone decides.
var attackers = []string{
	"person", "unbound token", "its driver", "another attempt", "another application", "foreign account", "its node", "another node", "operator", "administrator",
}

// stage is a namespace with the pods that are attacked. Everything is tried by a dry run, so that all share them.
type stage struct {
	*tenant
	clients map[string]client.Client
	// driver of the live attempt, and an executor of it that waits.
	driver, waiting *corev1.Pod
	// running is a driver of no application, on a node.
	running *corev1.Pod
}

func newStage(t *testing.T) *stage {
	t.Helper()
	tn := enrol(t)
	s := &stage{tenant: tn, driver: tn.own("pi")}
	s.waiting = s.labelled("waiting")
	create(t, tn.program(s.driver), s.waiting)
	s.running = tn.bound(driverPod("running"), tn.namespace)
	earlier := tn.own("pi-earlier")
	s.clients = map[string]client.Client{
		"person": tn.user(), "unbound token": tn.unbound(), "its driver": tn.program(s.driver), "another attempt": tn.program(earlier),
		"another application": tn.program(tn.own("other")), "foreign account": tn.stranger(),
		"its node": tn.kubelet(tn.namespace), "another node": tn.kubelet("not-" + tn.namespace),
		"operator": tn.operator(), "administrator": env.Client(),
	}
	tn.admit(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "sparkgate-system", Name: "sparkgate"})
	env.UntilSeen(t, "everybody has the rights", func() (bool, error) {
		for _, who := range attackers {
			if err := s.clients[who].Create(t.Context(), tn.pod(plainPod("probe")), client.DryRunAll); err != nil {
				return false, fmt.Errorf("%s: %w", who, err)
			}
		}
		return true, nil
	})
	return s
}

// kubelet of a node, that has the rights of the tenant beside its own.
func (tn *tenant) kubelet(node string) client.Client {
	tn.admit(rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "system:node:" + node})
	return as(tn.t, rest.ImpersonationConfig{UserName: "system:node:" + node, Groups: []string{"system:nodes"}})
}

// labelled returns an executor with the labels of the application of the stage's driver.
func (s *stage) labelled(name string) *corev1.Pod {
	p := executorPod(s.driver, name)
	for key, value := range s.driver.Labels {
		if strings.HasPrefix(key, "sparkgate.io/") {
			p.Labels[key] = value
		}
	}
	return p
}

// deed is a row of the table: what is tried, and who gets away with it.
type deed struct {
	what string
	// usual is what becomes of it; but names the users with another outcome.
	usual string
	but   map[string]string
	try   func(*stage, client.Client) (*corev1.Pod, error)
}

func (d *deed) outcome(who string) string {
	if other := d.but[who]; other != "" {
		return other
	}
	return d.usual
}

func (d *deed) row() string {
	cells := []string{d.what}
	for _, who := range attackers {
		cells = append(cells, d.outcome(who))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// releasers may do what the right release is for; reporters may also say what has become of a pod.
var (
	releasers     = map[string]string{"operator": isAllowed, "administrator": isAllowed}
	reporters     = map[string]string{"operator": isAllowed, "administrator": isAllowed, "its node": isAllowed}
	gatedForThem  = map[string]string{"operator": isGated, "administrator": isGated}
	gatedForMaker = map[string]string{"operator": isGated, "administrator": isGated, "its driver": isGated}
)

func deeds() []deed { return slices.Concat(creating(), changing(), reporting(), removing()) }

func creating() []deed {
	creates := func(what, usual string, but map[string]string, pod func(*stage) *corev1.Pod) deed {
		return deed{what, usual, but, func(s *stage, c client.Client) (*corev1.Pod, error) {
			p := s.pod(pod(s))
			return p, c.Create(s.t.Context(), p, client.DryRunAll)
		}}
	}
	return []deed{
		creates("create a driver", isGated, nil, func(*stage) *corev1.Pod { return driverPod("new") }),
		creates("create one with `generateName`", isGated, nil, func(*stage) *corev1.Pod {
			p := driverPod("new")
			p.Name, p.GenerateName = "", "new-"
			return p
		}),
		creates("create one with `nodeName`", isRefused, nil, func(s *stage) *corev1.Pod {
			p := driverPod("new")
			p.Spec.NodeName = s.namespace
			return p
		}),
		creates("create a mirror of a static pod", isRefused, nil, func(s *stage) *corev1.Pod {
			p := driverPod("new")
			p.Spec.NodeName, p.Annotations = s.namespace, map[string]string{corev1.MirrorPodAnnotationKey: "x"}
			return p
		}),
		creates("create one with `schedulerName`, `restartPolicy: Always`, finalizer", isGated, nil, func(*stage) *corev1.Pod {
			p := driverPod("new")
			p.Spec.SchedulerName, p.Spec.RestartPolicy, p.Finalizers = "mine", corev1.RestartPolicyAlways, []string{"example.org/stay"}
			return p
		}),
		{"create an application's driver", isGated, map[string]string{"operator": isAllowed}, func(s *stage, c client.Client) (*corev1.Pod, error) {
			p, options := s.pod(driverPod("new")), []client.CreateOption{client.DryRunAll}
			p.OwnerReferences = []metav1.OwnerReference{ofApplication("pi")}
			if c != s.clients["administrator"] { // whose tools have names of their own
				options = append(options, client.FieldOwner("sparkgate"))
			}
			return p, c.Create(s.t.Context(), p, options...)
		}},
		creates("create an executor of the application", isRefused, gatedForMaker, func(s *stage) *corev1.Pod { return s.labelled("new") }),
		creates("create one without an owner", isRefused, gatedForThem, func(s *stage) *corev1.Pod {
			p := s.labelled("new")
			p.OwnerReferences = nil
			return p
		}),
		creates("create an executor of the driver, without labels `sparkgate.io/*`", isGated, nil, func(s *stage) *corev1.Pod {
			return executorPod(s.driver, "new")
		}),
	}
}

// patches patches a pod, or a subresource of it.
func patches(pod func(*stage) *corev1.Pod, patch client.Patch, sub ...string) func(*stage, client.Client) (*corev1.Pod, error) {
	return func(s *stage, c client.Client) (*corev1.Pod, error) {
		p := pod(s).DeepCopy()
		if len(sub) > 0 {
			return nil, c.SubResource(sub[0]).Patch(s.t.Context(), p, patch, client.DryRunAll)
		}
		return nil, c.Patch(s.t.Context(), p, patch, client.DryRunAll)
	}
}

func isWaiting(s *stage) *corev1.Pod { return s.waiting }
func isRunning(s *stage) *corev1.Pod { return s.running }

func changing() []deed {
	return []deed{
		{"remove the scheduling gate", isRefused, releasers, patches(isWaiting, ungatePatch)},
		{"change `spark-role`", isRefused, releasers, patches(isWaiting, merge(`{"metadata":{"labels":{"spark-role":"driver"}}}`))},
		{"change a label `sparkgate.io/*`", isRefused, releasers, patches(isWaiting, merge(`{"metadata":{"labels":{"sparkgate.io/application":"other"}}}`))},
		{"… of a running pod", isRefused, releasers, patches(isRunning, merge(`{"metadata":{"labels":{"sparkgate.io/queue":"other"}}}`))},
		{"… through `pods/status`", isRefused, releasers, patches(isRunning, merge(`{"metadata":{"labels":{"sparkgate.io/queue":"other"}}}`), "status")},
		{"change another label, an annotation, a finalizer", isAllowed, nil, patches(isRunning, merge(
			`{"metadata":{"labels":{"a":"b"},"annotations":{"kubectl.kubernetes.io/default-container":"none"},"finalizers":["example.org/stay"]}}`))},
		{"change `ownerReferences`", isRefused, releasers, patches(isWaiting, merge(`{"metadata":{"ownerReferences":null}}`))},
		{"resize (`pods/resize`)", isRefused, releasers, patches(isWaiting, client.RawPatch(types.StrategicMergePatchType, []byte(
			`{"spec":{"containers":[{"name":"spark-kubernetes-executor","resources":{"requests":{"cpu":"8"}}}]}}`)), "resize")},
		{"bind a waiting pod (`pods/binding`)", isRefused, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			return nil, c.SubResource("binding").Create(s.t.Context(), s.waiting, bindingOf(s.waiting.Name), dryRun)
		}},
		{"add labels with a binding", isRefused, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			return nil, c.SubResource("binding").Create(s.t.Context(), s.waiting, bindingWithLabels(s.waiting.Name), dryRun)
		}},
		{"add an ephemeral container", isAllowed, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			p := s.running.DeepCopy()
			p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
				Name: "debug", Image: "docker.io/sparkgate/spark:4.1", TerminationMessagePolicy: corev1.TerminationMessageReadFile,
			}}}
			return nil, c.SubResource("ephemeralcontainers").Update(s.t.Context(), p, client.DryRunAll)
		}},
	}
}

func reporting() []deed {
	return []deed{
		{"report that it has ended (`phase`)", isRefused, reporters, patches(isRunning, merge(`{"status":{"phase":"Succeeded"}}`), "status")},
		{"report that its containers have ended", isRefused, reporters, patches(isRunning, merge(
			`{"status":{"containerStatuses":[{"name":"spark-kubernetes-driver","state":{"terminated":{"exitCode":0}}}]}}`), "status")},
		{"set a condition", isAllowed, nil, patches(isRunning, merge(
			`{"status":{"conditions":[{"type":"example.org/seen","status":"True"}]}}`), "status")},
	}
}

func removing() []deed {
	return []deed{
		{"evict", isAllowed, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			return nil, c.SubResource("eviction").Create(s.t.Context(), s.running.DeepCopy(), &policyv1.Eviction{}, dryRun)
		}},
		{"delete", isAllowed, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			return nil, c.Delete(s.t.Context(), s.running.DeepCopy(), client.DryRunAll)
		}},
		{"delete all (`deletecollection`)", isAllowed, nil, func(s *stage, c client.Client) (*corev1.Pod, error) {
			return nil, c.DeleteAllOf(s.t.Context(), &corev1.Pod{}, client.InNamespace(s.namespace), client.DryRunAll)
		}},
	}
}

var dryRun = &client.SubResourceCreateOptions{CreateOptions: client.CreateOptions{DryRun: []string{metav1.DryRunAll}}}

// TestMatrix: what becomes of everything that a client may try on a Spark pod, whatever RBAC allows.
func TestMatrix(t *testing.T) {
	install(t)
	s := newStage(t)
	for _, d := range deeds() {
		for _, who := range attackers {
			t.Run(d.what+" by "+who, func(t *testing.T) {
				p, err := d.try(s, s.clients[who])
				got := isAllowed
				switch {
				case env.RefusedBy(err) == env.ByRBAC:
					t.Fatalf("RBAC decided: %v", err)
				case err != nil:
					got = isRefused
				case p != nil && gated(p):
					got = isGated
				}
				if want := d.outcome(who); got != want {
					t.Errorf("%s, want %s: %v", got, want, err)
				}
			})
		}
	}
}

// TestMatrixIsDocumented: docs/guard-attempts.md has the whole table.
func TestMatrixIsDocumented(t *testing.T) {
	t.Parallel()
	var want []string
	for _, d := range deeds() {
		want = append(want, d.row())
	}
	if got := tableOf(t, "## Who may do what"); !slices.Equal(got, want) {
		head := "| | " + strings.Join(attackers, " | ") + " |\n|" + strings.Repeat(" --- |", len(attackers)+1)
		t.Errorf("the table under «Who may do what» in docs/guard-attempts.md is to be:\n%s\n%s", head, strings.Join(want, "\n"))
	}
}
