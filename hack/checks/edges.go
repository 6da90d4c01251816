// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

// apiAllowed are the modules and packages that api may import besides the standard library: a Go client of the API
// depends on them as well.
var apiAllowed = []string{
	"api/...",
	"k8s.io/apimachinery/...",
	"k8s.io/api/core/v1",
	"github.com/fluxcd/pkg/apis/meta", // names of Flux's annotations and condition types
}

// clients are packages that talk to a cluster.
var clients = []string{"k8s.io/client-go/...", "sigs.k8s.io/controller-runtime/..."}

// ForbiddenEdges are the dependencies that may not exist. Packages depend on each other only from right to left:
//
//	api ◄── queueing ◄── internal/spark ◄── internal/lifecycle ◄── {controllers, internal/offline} ◄── cmd
//
// internal/redact, internal/cause, internal/fairqueue, internal/finding, internal/nearest, internal/namespaces,
// internal/namespacepolicy and internal/expectations are leaves: they import at most api and each other.
var ForbiddenEdges = []Edge{
	{
		From: []string{"api/..."}, To: append([]string{"queueing/...", "internal/...", "controllers/...", "cmd/..."}, clients...),
		Why: "the API imports nothing of ours: clients in other repositories import it",
	},
	{
		From: []string{"queueing/..."}, To: []string{"internal/...", "!internal/expectations", "controllers/...", "cmd/..."},
		Why: "gates know asks and grants, not Spark and not the lifecycle of what asks",
	},
	{
		From: []string{"queueing", "queueing/quota/...", "queueing/embedded/...", "!queueing/embedded/gate/..."}, To: append([]string{"api/..."}, clients...),
		Why: "quota and order are decided without Kubernetes, so that they can be tested and reused without it",
	},
	{
		From: []string{"internal/spark/..."}, To: append([]string{"internal/offline/...", "controllers/...", "cmd/..."}, clients...),
		Why: "what Spark needs is computed without a cluster, for the operator and for sparkctl alike",
	},
	{
		From: []string{"internal/redact/...", "internal/cause/...", "internal/fairqueue/...", "internal/finding/...", "internal/nearest/...", "internal/namespaces/...", "internal/namespacepolicy/...", "internal/expectations/..."}, To: []string{"queueing/...", "internal/spark/...", "internal/offline/...", "controllers/...", "cmd/..."},
		Why: "it is a leaf that any layer may use",
	},
	{
		From: []string{"internal/offline/..."}, To: append([]string{"controllers/...", "cmd/..."}, clients...),
		Why: "it works without a cluster",
	},
	{
		From: []string{"controllers/..."}, To: []string{"internal/offline/...", "cmd/..."},
		Why: "the operator has a cluster; what works without one is for sparkctl",
	},
	{
		From: []string{"controllers/...", "!controllers"}, To: []string{"queueing/embedded/...", "queueing/kueue/...", "queueing/volcano/...", "queueing/yunikorn/...", "queueing/none/..."}, Direct: true,
		Why: "a controller knows a gate by the interface queueing.Gate only; controllers/gates.go puts them together",
	},
	{
		From: []string{"controllers/...", "internal/lifecycle/...", "internal/offline/..."}, To: []string{"internal/client/...", "internal/dashboard/...", "internal/printer/..."},
		Why: "they are for people, who see and do what their own credentials allow",
	},
	{
		From: []string{"internal/lifecycle/...", "internal/status/...", "internal/tick/...", "internal/cron/..."}, To: clients, Direct: true,
		Why: "stages, conditions and times are decided from what was observed, without a cluster",
	},
	{
		From: []string{"internal/usage"}, To: append([]string{"internal/pods/...", "internal/lifecycle/...", "internal/spark/...", "controllers/...", "cmd/..."}, clients...),
		Why: "usage is computed from what stands in the status, for the operator, sparkctl and pages alike",
	},
	{
		From: []string{"internal/advise/..."}, To: append([]string{"queueing/embedded/...", "internal/pods/...", "internal/lifecycle/...", "controllers/...", "cmd/..."}, clients...),
		Why: "sizes follow from what Spark measured, for sparkctl and pages alike, without a cluster",
	},
	{
		From: []string{"internal/usage/meter"}, To: []string{"internal/lifecycle/...", "controllers/...", "cmd/..."},
		Why: "what is summed knows nothing of what is decided",
	},
	{
		From: []string{"internal/lifecycle/...", "internal/status/...", "internal/tick/...", "internal/cron/...", "internal/pods/..."},
		To:   []string{"internal/offline/...", "controllers/...", "cmd/..."},
		Why:  "what is decided does not know how it is carried out",
	},
	{
		From: []string{"controllers/internal/reservation/..."}, To: append([]string{
			"controllers/application/...", "controllers/unmanagedpods/...", "internal/lifecycle/...", "internal/pods/...", "internal/spark/...",
		}, clients...),
		Why: "every kind of asker deals with gates in the same way, with a key",
	},
	{
		From: []string{"controllers/companions/..."}, To: []string{
			"controllers/application/...", "internal/lifecycle/...", "internal/pods/...", "controllers/internal/reservation/...",
		},
		Why: "what accompanies an attempt follows from its application alone, and neither decides nor holds anything",
	},
	{
		From: []string{"api/...", "internal/...", "controllers/...", "queueing/...", "cmd/...", "!queueing/kueue/..."}, To: []string{"sigs.k8s.io/kueue/..."}, Direct: true,
		Why: "Kueue's types stay in its gate",
	},
	{
		From: []string{"api/...", "internal/...", "controllers/...", "queueing/...", "cmd/...", "!queueing/volcano/..."}, To: []string{"volcano.sh/..."}, Direct: true,
		Why: "Volcano's types stay in its gate",
	},
	{
		From: []string{"cmd/sparkctl/internal/cli/...", "cmd/sparkctl/internal/runs/...", "cmd/sparkctl/internal/live/...", "cmd/sparkctl/internal/scenario/..."},
		To: []string{
			"cmd/sparkctl/internal/applications/...", "cmd/sparkctl/internal/queues/...", "cmd/sparkctl/internal/schedules/...", "cmd/sparkctl/internal/offline/...",
			"cmd/sparkctl/internal/install/...",
		},
		Why: "what commands share knows no command",
	},
	{
		From: []string{"cmd/..."}, To: []string{
			"controllers/internal/testing/...", "internal/testing/...", "queueing/gatetest/...",
			"github.com/fluxcd/pkg/runtime/testenv/...", "github.com/fluxcd/pkg/runtime/client/...", "sigs.k8s.io/controller-runtime/pkg/envtest/...",
		},
		Why: "it is for tests, or drags in far too much",
	},
	{
		From: []string{"hack/..."}, To: []string{"api/...", "queueing/...", "internal/...", "controllers/...", "cmd/..."},
		Why: "tools are built before the product",
	},
}
