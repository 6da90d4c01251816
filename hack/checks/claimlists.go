// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

// claims are the statements of docs/architecture.md about the code. When code moves, move its entry; a new entry needs
// a reason in review.
var claims = []Claim{
	{
		Rule: RuleGateName, count: gateNames,
		// The API defines the names, queueing/catalog says what each gate can do, and controllers/gates.go puts them together.
		In:     []string{"controllers/...", "internal/...", "queueing/...", "cmd/...", "!controllers/gates.go", "!queueing/catalog/..."},
		Remedy: "ask the gate what it can do instead of comparing its name",
	},
	{
		Rule: RuleAsker, count: askerNames,
		In: []string{"queueing/...", "!queueing/gatetest/..."},
		Known: map[string]int{
			"queueing/convert/explanation.go": 2, // the type Application of the explain endpoint
			"queueing/embedded/gate/view.go":  2, // the same
			"queueing/yunikorn/yunikorn.go":   1, // the label applicationId, which YuniKorn reads
		},
		Remedy: "take the kind from the key of the ask, and its pod sets from Lead and Elastic",
	},
	{
		Rule: RuleWrite, count: apiWrites,
		In: []string{"api/...", "queueing/...", "internal/...", "controllers/...", "cmd/..."},
		Known: map[string]int{
			"cmd/sparkgate/internal/labelled/labelled.go":         1, // SelfSubjectAccessReview: nothing is stored
			"cmd/sparkgate/internal/lease/installation.go":        2, // SelfSubjectReview and SubjectAccessReview: nothing is stored
			"cmd/sparkgate/internal/lease/lease.go":               2, // the lease of the leader
			"controllers/adopt/child.go":                          5, // the application of ours for one of theirs, and its Service; theirs after timeToLiveSeconds
			"controllers/adopt/controller.go":                     1, // the status of theirs
			"controllers/application/act/cleaner.go":              4, // objects of an attempt, pods, their deadline, the application itself after ttlAfterFinished
			"controllers/application/act/creator.go":              4, // objects of an attempt, one of another attempt or author is replaced; workers
			"controllers/application/act/finalizer.go":            1, // the finalizer comes and goes
			"controllers/application/act/publisher.go":            1, // the status
			"controllers/application/act/ungater.go":              1, // the scheduling gate of executors
			"controllers/application/plan/dryrun.go":              2, // dry runs: nothing is stored
			"controllers/cluster/controller.go":                   3, // the application of a cluster, the status of clusters
			"controllers/companions/companions.go":                5, // Service, PodDisruptionBudget, NetworkPolicy, Ingress, routes
			"controllers/explainserver/reviewer.go":               2, // TokenReview and SubjectAccessReview: nothing is stored
			"controllers/internal/accountrights/accountrights.go": 1, // SubjectAccessReview: nothing is stored
			"controllers/queue/controller.go":                     1, // the status of queues
			"controllers/schedule/act.go":                         1, // applications of schedules
			"controllers/schedule/applications.go":                1, // deletes them
			"controllers/schedule/publish.go":                     1, // the status of schedules
			"controllers/schedule/template.go":                    1, // a dry run: nothing is stored
			"controllers/unmanagedpods/admit.go":                  1, // the scheduling gate
			"controllers/unmanagedpods/delete.go":                 1, // a pod that must end
			"internal/tools/client/review.go":                     2, // SelfSubjectReview and SelfSubjectAccessReview: nothing is stored
			"internal/tools/client/write.go":                      2, // the Secret of an application that sparkctl submits
			"queueing/embedded/gate/ledger.go":                    1, // the ledger in the status of root queues
			"queueing/kueue/writer.go":                            5, // Workloads
			"queueing/volcano/gate.go":                            4, // PodGroups
		},
		Remedy: "write where docs/architecture.md says that it is done, or change that page and add the file here",
	},
}
