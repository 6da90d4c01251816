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

// String is for people: "PATCH sparkapplications/status".
func (k Kind) String() string {
	if k.Subresource == "" {
		return k.Verb + " " + k.Resource
	}
	return k.Verb + " " + k.Resource + "/" + k.Subresource
}

// Writes are numbers of writes by kind.
type Writes map[Kind]int

// Minus returns the writes that are in w and not in earlier. Kinds without any are left out.
func (w Writes) Minus(earlier Writes) Writes {
	out := Writes{}
	for kind, n := range w {
		if d := n - earlier[kind]; d != 0 {
			out[kind] = d
		}
	}
	return out
}

// Total is the number of all writes.
func (w Writes) Total() int {
	total := 0
	for _, n := range w {
		total += n
	}
	return total
}

// Kinds are the kinds in order: by number, then by name.
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
	Done   Writes
	Failed Writes // refused, conflicts among them
	// Reads that were answered, also with "not found". Watches do not count.
	Reads Writes
}

// Minus is what was counted since earlier.
func (c Count) Minus(earlier Count) Count {
	return Count{Done: c.Done.Minus(earlier.Done), Failed: c.Failed.Minus(earlier.Failed), Reads: c.Reads.Minus(earlier.Reads)}
}

// CountWrites asks an API server which writes it has answered since it started (metric apiserver_request_total). Its own leases are
// left out, and reviews, which store nothing.
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

// labels reads the labels of a metric. No value of the metrics that are read here contains a quotation mark or a comma.
func labels(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			out[name] = strings.Trim(value, `"`)
		}
	}
	return out
}
