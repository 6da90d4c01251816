// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import "strings"

// elsewhere are rights that no end-to-end test is sure to use, by the test that uses them: its package below
// test/integration, and its name.
var elsewhere = map[string][]string{
	"companions TestWithTheAttempt": {
		"create ingresses.networking.k8s.io", "get ingresses.networking.k8s.io", "delete ingresses.networking.k8s.io",
		"create poddisruptionbudgets.policy", "get poddisruptionbudgets.policy", "delete poddisruptionbudgets.policy",
	},
	"companions TestChangedWhileRunning": {"patch ingresses.networking.k8s.io", "patch services"},
	"companions TestKilledAndRestarted":  {"patch poddisruptionbudgets.policy"},
	"companions TestGatewayAPIComesLate": {
		"create httproutes.gateway.networking.k8s.io", "get httproutes.gateway.networking.k8s.io", "patch httproutes.gateway.networking.k8s.io",
		"delete httproutes.gateway.networking.k8s.io", "list httproutes.gateway.networking.k8s.io", "get gateways.gateway.networking.k8s.io",
	},
	"companions TestServerIsReachable": {
		"create grpcroutes.gateway.networking.k8s.io", "get grpcroutes.gateway.networking.k8s.io", "patch grpcroutes.gateway.networking.k8s.io",
		"delete grpcroutes.gateway.networking.k8s.io", "list grpcroutes.gateway.networking.k8s.io",
		"patch networkpolicies.networking.k8s.io", "list networkpolicies.networking.k8s.io",
	},
	"stopping TestObjectsGoWithTheirDriverPod": { // a run with a Secret, a volume whose claim is created, and Spark 4.2, which has policies
		"create secrets", "delete secrets", "create persistentvolumeclaims", "get persistentvolumeclaims", "list persistentvolumeclaims", "delete persistentvolumeclaims",
		"get networkpolicies.networking.k8s.io", "create networkpolicies.networking.k8s.io", "delete networkpolicies.networking.k8s.io",
	},
	"adopt TestTimeToLive":                                  {"delete sparkapplications.sparkoperator.k8s.io"},
	"restart TestOrphansAfterARestart":                      {"get sparkapplications.sparkgate.io"},
	"stopping TestNodeLost":                                 {"get nodes"},
	"references TestPropertyFromSecret":                     {"get secrets"},
	"unmanagedpods TestRepeatedEvent":                       {"patch events.events.k8s.io"},
	"volcano TestEveryAttemptHasItsGroup":                   {"create podgroups.scheduling.volcano.sh", "delete podgroups.scheduling.volcano.sh"},
	"volcano TestNameIsTaken":                               {"get podgroups.scheduling.volcano.sh"},
	"volcano TestEditedWhileItWaits":                        {"patch podgroups.scheduling.volcano.sh"},
	"restart TestLabelsChargeNobody":                        {"get namespaces"},
	"lifecycle TestTimeToLive":                              {"delete sparkapplications.sparkgate.io"},
	"lifecycle TestDriverThatIsGivenUpLeavesItsLastWarning": {"list events"},
}

// asked are rights that do not show in any request, because admission checks them: the plugin
// OwnerReferencesPermissionEnforcement, where it is enabled, when the operator creates an object that belongs to an
// application; and the guard when the operator removes the scheduling gate of a pod.
var asked = []string{
	"update sparkapplications.sparkgate.io/finalizers", "update scheduledsparkapplications.sparkgate.io/finalizers",
	"update sparkclusters.sparkgate.io/finalizers", "release gates.sparkgate.io",
}

// NotHere returns the rights that the end-to-end tests need not use: other tests do, or an admission plugin checks
// them.
func NotHere() Set {
	all := Set{}
	for _, list := range elsewhere {
		for _, right := range list {
			all[parse(right)] = true
		}
	}
	for _, right := range asked {
		all[parse(right)] = true
	}
	return all
}

// WithLists adds the right to list what is watched: if the API server does not stream the existing objects, as older
// ones do not, a client lists them before it watches.
func (s Set) WithLists() Set {
	all := Set{}
	for right := range s {
		all[right] = true
		if right.Verb == "watch" {
			right.Verb = "list"
			all[right] = true
		}
	}
	return all
}

// parse is the opposite of Right.String.
func parse(text string) Right {
	verb, rest, _ := strings.Cut(text, " ")
	rest, sub, _ := strings.Cut(rest, "/")
	resource, group, _ := strings.Cut(rest, ".")
	if sub != "" {
		resource += "/" + sub
	}
	return Right{verb, group, resource}
}
