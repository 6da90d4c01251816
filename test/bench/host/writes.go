// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
)

// Kind is a kind of write: an HTTP method, a resource and perhaps a subresource.
type Kind struct{ Verb, Resource, Subresource string }

// String formats the kind as in "PATCH sparkapplications/status".
func (k Kind) String() string {
	if k.Subresource == "" {
		return k.Verb + " " + k.Resource
	}
	return k.Verb + " " + k.Resource + "/" + k.Subresource
}

// Writes are the numbers of writes by kind.
type Writes map[Kind]int

// Minus returns the difference between w and earlier. It leaves out kinds without writes.
func (w Writes) Minus(earlier Writes) Writes {
	out := Writes{}
	for kind, n := range w {
		if d := n - earlier[kind]; d != 0 {
			out[kind] = d
		}
	}
	return out
}

// Total returns the number of all writes.
func (w Writes) Total() int {
	total := 0
	for _, n := range w {
		total += n
	}
	return total
}

// Kinds returns the kinds, sorted by number and then by name.
func (w Writes) Kinds() []Kind {
	kinds := make([]Kind, 0, len(w))
	for kind := range w {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(w[b], w[a]), cmp.Compare(a.String(), b.String()))
	})
	return kinds
}

// Count is what an API server has counted.
type Count struct {
	Done Writes
	// Failed are the refused writes, including conflicts.
	Failed Writes
	// Reads are those that were answered, including "not found". Watches do not count.
	Reads Writes
}

// Minus returns the counts since earlier.
func (c Count) Minus(earlier Count) Count {
	return Count{Done: c.Done.Minus(earlier.Done), Failed: c.Failed.Minus(earlier.Failed), Reads: c.Reads.Minus(earlier.Reads)}
}

// CountWrites returns the numbers of writes that an API server has answered since it started (metric
// apiserver_request_total). It leaves out the server's own leases, and reviews, which store nothing.
func CountWrites(ctx context.Context, c rest.Interface) (Count, error) {
	body, err := c.Get().AbsPath("/metrics").Stream(ctx)
	if err != nil {
		return Count{}, fmt.Errorf("read the metrics of the API server: %w", err)
	}
	defer body.Close()
	return parseCount(body)
}

func parseCount(r io.Reader) (Count, error) {
	const name = "apiserver_request_total{"
	count := Count{Done: Writes{}, Failed: Writes{}, Reads: Writes{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), name)
		if !ok {
			continue
		}
		text, value, ok := strings.Cut(rest, "} ")
		if !ok {
			return count, fmt.Errorf("metric %q has no value", lines.Text())
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return count, fmt.Errorf("metric %q: %w", lines.Text(), err)
		}
		count.add(labels(text), int(n))
	}
	return count, lines.Err()
}

func (c Count) add(l map[string]string, n int) {
	kind := Kind{Verb: l["verb"], Resource: l["resource"], Subresource: l["subresource"]}
	switch {
	case kind.Resource == "leases" || strings.HasSuffix(kind.Resource, "reviews") || l["dry_run"] != "":
		return
	case kind.Verb == "GET" || kind.Verb == "LIST":
		c.Reads[kind] += n
	case !slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}, kind.Verb):
		return
	case strings.HasPrefix(l["code"], "2"):
		c.Done[kind] += n
	default:
		c.Failed[kind] += n
	}
}

// labels parses the labels of a metric. The metrics that are read here have no values with quotation marks or commas.
func labels(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			out[name] = strings.Trim(value, `"`)
		}
	}
	return out
}
