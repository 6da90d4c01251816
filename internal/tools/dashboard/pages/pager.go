// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"net/http"
	"strconv"
)

// pager is one page of a list.
type pager struct {
	// Page is counted from 1.
	Page, Pages, Total int
	// First and Last are the numbers of the rows that are shown, from 1.
	First, Last int
	// Previous and Next are links; empty if there is no such page.
	Previous, Next string
	from, to       int
}

// pageOf divides a list into pages of size rows and returns the one that a request asks for. If it is beyond the last
// page, it is the last one.
func pageOf(r *http.Request, length, size int) pager {
	query := r.URL.Query()
	query.Del("done") // is said once
	page, _ := strconv.Atoi(query.Get("page"))
	p := pager{Pages: max(1, (length+size-1)/size), Total: length}
	p.Page = min(max(1, page), p.Pages)
	p.from = (p.Page - 1) * size
	p.to = min(length, p.from+size)
	p.First, p.Last = min(p.from+1, length), p.to
	link := func(page int) string {
		query.Set("page", strconv.Itoa(page))
		return "?" + query.Encode()
	}
	if p.Page > 1 {
		p.Previous = link(p.Page - 1)
	}
	if p.Page < p.Pages {
		p.Next = link(p.Page + 1)
	}
	return p
}
