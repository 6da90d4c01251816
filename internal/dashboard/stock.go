// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/json"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/types"
)

// stock has one copy of each row that tables of several viewers have. It grants no rights: a table gets a row only for
// an object that the API server has just sent to its viewer, with the credentials of that viewer. It is safe for concurrent
// use.
type stock struct {
	mu    sync.Mutex
	pools map[reflect.Type]any
}

func newStock() *stock { return &stock{pools: map[reflect.Type]any{}} }

// poolOf returns the rows of a type.
func poolOf[T any](s *stock) *pool[T] {
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

// version is one version of one object. The API server sends the same to all who may read it.
type version struct {
	uid  types.UID
	name string
}

// pool has the rows of one type that some table has, and does not keep them. It is safe for concurrent use.
type pool[T any] struct {
	mu    sync.Mutex
	known map[version]weak.Pointer[T]
}

// row returns the row of an object.
func (p *pool[T]) row(object []byte) (*T, error) {
	var is struct {
		Metadata struct {
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &is); err != nil {
		return nil, err
	}
	of := version{is.Metadata.UID, is.Metadata.ResourceVersion}
	if known := p.find(of); known != nil {
		return known, nil
	}
	row := new(T)
	if err := decode(object, row); err != nil {
		return nil, err
	}
	if of.uid == "" || of.name == "" {
		return row, nil
	}
	return p.add(of, row), nil
}

// decode decodes a row, of which much is left out where it decodes itself.
func decode(object []byte, row any) error {
	if own, is := row.(json.Unmarshaler); is {
		return own.UnmarshalJSON(object) // the object was read once and is valid
	}
	return json.Unmarshal(object, row)
}

func (p *pool[T]) find(of version) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[of].Value()
}

// add returns the row, or that which another viewer has added meanwhile.
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

// forget drops a row that no table has any longer.
func (p *pool[T]) forget(of version) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[of].Value() == nil { // else it was added again
		delete(p.known, of)
	}
}
