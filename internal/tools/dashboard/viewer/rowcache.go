// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"encoding/json"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/types"
)

// RowCache keeps one copy of rows that several viewers have in their tables. It grants no rights: a table gets a row
// only for an object that the API server has just sent to its viewer, with the credentials of that viewer. It is safe
// for concurrent use.
type RowCache struct {
	mu    sync.Mutex
	pools map[reflect.Type]any
}

// NewRowCache returns an empty cache.
func NewRowCache() *RowCache { return &RowCache{pools: map[reflect.Type]any{}} }

// poolOf returns the pool for a type of row.
func poolOf[T any](s *RowCache) *pool[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := reflect.TypeFor[T]()
	if known, has := s.pools[kind]; has {
		return known.(*pool[T])
	}
	p := &pool[T]{known: map[version]weak.Pointer[T]{}}
	s.pools[kind] = p
	return p
}

// version identifies one version of one object. The API server sends the same content to all who may read it.
type version struct {
	uid  types.UID
	name string
}

// pool finds the rows of one type that are in any table. It has only weak references to them. It is safe for concurrent
// use.
type pool[T any] struct {
	mu    sync.Mutex
	known map[version]weak.Pointer[T]
}

// row returns the row of an object, an existing one if possible.
func (p *pool[T]) row(object []byte) (types.UID, *T, error) {
	var is struct {
		Metadata struct {
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &is); err != nil {
		return "", nil, err
	}
	of := version{is.Metadata.UID, is.Metadata.ResourceVersion}
	if known := p.find(of); known != nil {
		return of.uid, known, nil
	}
	row := new(T)
	if err := decode(object, row); err != nil {
		return "", nil, err
	}
	if of.uid == "" || of.name == "" {
		return of.uid, row, nil
	}
	return of.uid, p.add(of, row), nil
}

// decode decodes a row. Types that decode themselves leave out most of the object.
func decode(object []byte, row any) error {
	if own, is := row.(json.Unmarshaler); is {
		return own.UnmarshalJSON(object) // the object was decoded once before and is valid
	}
	return json.Unmarshal(object, row)
}

func (p *pool[T]) find(of version) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[of].Value()
}

// add returns row, or the one that another viewer has added in the meantime.
func (p *pool[T]) add(of version, row *T) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[of].Value(); known != nil {
		return known
	}
	p.known[of] = weak.Make(row)
	runtime.AddCleanup(row, p.forget, of)
	return row
}

// forget removes a row that is no longer in any table.
func (p *pool[T]) forget(of version) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[of].Value() == nil { // otherwise it was added again
		delete(p.known, of)
	}
}
