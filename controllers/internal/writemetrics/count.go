// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package writemetrics

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var writes = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "sparkgate_api_writes_total",
	Help: "Writes to the API server, by what was answered.",
}, []string{"verb", "resource", "code"})

func init() { metrics.Registry.MustRegister(writes) }

// noAnswer is the code of a write without an answer, which may have taken effect.
const noAnswer = "none"

// Count returns a RoundTripper that counts the writes that pass through it to next. It is safe for concurrent use if
// next is.
func Count(next http.RoundTripper) http.RoundTripper { return counter{next} }

type counter struct{ next http.RoundTripper }

func (c counter) RoundTrip(r *http.Request) (*http.Response, error) {
	verb, resource, isWrite := writeOf(r.Method, r.URL.Path)
	response, err := c.next.RoundTrip(r)
	if isWrite {
		code := noAnswer
		if err == nil {
			code = strconv.Itoa(response.StatusCode)
		}
		writes.WithLabelValues(verb, resource, code).Inc()
	}
	return response, err
}

// WrappedRoundTripper lets client-go find the underlying transport.
func (c counter) WrappedRoundTripper() http.RoundTripper { return c.next }

// verbs are the Kubernetes verbs for the HTTP methods that write.
var verbs = map[string]string{
	http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// writeOf returns verb and resource (with subresource) of a request (Kubernetes API concepts, "Resource URIs"). ok is
// false if the request writes no object.
func writeOf(method, path string) (verb, resource string, ok bool) {
	verb, writes := verbs[method]
	if !writes {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:] // api/v1
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:] // apis/group/version
	default:
		return "", "", false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && !namespaceParts[parts[2]] {
		parts = parts[2:] // namespaces/name
	}
	resource = parts[0]
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	if verb == "delete" && len(parts) == 1 {
		verb = "deletecollection"
	}
	return verb, resource, true
}

// namespaceParts are the subresources of a namespace. Their paths look like those of resources in the namespace.
var namespaceParts = map[string]bool{"status": true, "finalize": true}
