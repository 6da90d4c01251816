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
//	{api, internal/base} ◄── queueing ◄── internal/spark ◄── internal/job ◄── {controllers, internal/tools} ◄── cmd
var ForbiddenEdges = []Edge{
	{
		From: []string{"api/..."}, To: append([]string{"queueing/...", "internal/...", "controllers/...", "cmd/..."}, clients...),
		Why: "the API imports nothing of ours: clients in other repositories import it",
	},
	{
		From: []string{"queueing/..."}, To: []string{"internal/...", "!internal/base/...", "controllers/...", "cmd/..."},
		Why: "gates know asks and grants, not Spark and not the lifecycle of what asks",
	},
	{
		From: []string{"queueing", "queueing/quota/...", "queueing/embedded/...", "!queueing/embedded/gate/..."}, To: append([]string{"api/..."}, clients...),
		Why: "quota and order are decided without Kubernetes, so that they can be tested and reused without it",
	},
	{
		From: []string{"internal/spark/..."}, To: append([]string{"internal/job/...", "internal/tools/...", "controllers/...", "cmd/..."}, clients...),
		Why: "what Spark needs is computed without a cluster, for the operator and for sparkctl alike",
	},
	{
		From: []string{"internal/adopt/..."}, To: append([]string{"internal/job/...", "internal/tools/...", "controllers/...", "cmd/..."}, clients...),
		Why: "objects of other operators are translated without a cluster, for controllers and for sparkctl alike",
	},
	{
		From: []string{"queueing/...", "internal/spark/...", "internal/job/..."}, To: []string{"internal/adopt/..."},
		Why: "what is decided and created does not know where an object came from",
	},
	{
		From: []string{"internal/base/..."}, To: []string{"queueing/...", "internal/spark/...", "internal/job/...", "internal/tools/...", "controllers/...", "cmd/..."},
		Why: "it is a leaf that any layer may use",
	},
	{
		From: []string{"internal/tools/offline/..."}, To: append([]string{"internal/tools/client/...", "internal/tools/dashboard/...", "internal/tools/printer/..."}, clients...),
		Why: "it works without a cluster",
	},
	{
		From: []string{"controllers/..."}, To: []string{"internal/tools/...", "cmd/..."},
		Why: "tools are for people, who see and do what their own credentials allow",
	},
	{
		From: []string{"controllers/...", "!controllers"}, To: []string{"queueing/embedded/...", "queueing/kueue/...", "queueing/volcano/...", "queueing/yunikorn/...", "queueing/none/..."}, Direct: true,
		Why: "a controller knows a gate by the interface queueing.Gate only; controllers/gates.go puts them together",
	},
	{
		From: []string{"internal/tools/..."}, To: []string{"controllers/...", "cmd/..."},
		Why: "tools see what the API server and the explain endpoint answer",
	},
	{
		From: []string{"internal/job/lifecycle/...", "internal/job/status/...", "internal/job/tick/...", "internal/job/cron/..."}, To: clients, Direct: true,
		Why: "stages, conditions and times are decided from what was observed, without a cluster",
	},
	{
		From: []string{"internal/job/usage"}, To: append([]string{"internal/job/pods/...", "internal/job/lifecycle/...", "internal/spark/..."}, clients...),
		Why: "usage is computed from what stands in the status, for the operator, sparkctl and pages alike",
	},
	{
		From: []string{"internal/tools/advise/..."}, To: append([]string{"queueing/embedded/...", "internal/job/pods/...", "internal/job/lifecycle/..."}, clients...),
		Why: "sizes follow from what Spark measured, for sparkctl and pages alike, without a cluster",
	},
	{
		From: []string{"internal/job/usage/meter"}, To: []string{"internal/job/lifecycle/..."},
		Why: "what is summed knows nothing of what is decided",
	},
	{
		From: []string{"internal/job/..."}, To: []string{"internal/tools/...", "controllers/...", "cmd/..."},
		Why: "what is decided does not know how it is carried out",
	},
	{
		From: []string{"controllers/internal/reservation/..."}, To: append([]string{
			"controllers/application/...", "controllers/unmanagedpods/...", "internal/job/lifecycle/...", "internal/job/pods/...", "internal/spark/...",
		}, clients...),
		Why: "every kind of asker deals with gates in the same way, with a key",
	},
	{
		From: []string{"controllers/companions/..."}, To: []string{
			"controllers/application/...", "internal/job/lifecycle/...", "internal/job/pods/...", "controllers/internal/reservation/...",
		},
		Why: "what accompanies an attempt follows from its application alone, and neither decides nor holds anything",
	},
	{
		From: []string{"controllers/adopt/..."}, To: []string{"controllers/application/...", "controllers/companions/...", "controllers/internal/reservation/...", "internal/job/lifecycle/..."},
		Why: "what adopts knows applications as a user does: it writes their spec and reads their status",
	},
	{
		From: []string{"controllers/...", "!controllers", "!controllers/adopt/..."}, To: []string{"controllers/adopt/...", "internal/adopt/..."},
		Why: "what runs does not know where an object came from",
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
