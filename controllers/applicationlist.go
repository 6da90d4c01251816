// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	kjson "k8s.io/apimachinery/pkg/util/json"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
)

// applicationList lists applications from the API server. It holds only one of them in memory at a time, however large
// they are.
type applicationList struct {
	client rest.Interface
	// namespaces are those whose applications are listed.
	namespaces namespaces.Set
}

// listPage is how many applications one request asks for.
const listPage = 500

func newApplicationList(mgr ctrl.Manager, in namespaces.Set) (*applicationList, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	group := v1alpha1.GroupVersion
	config.APIPath, config.GroupVersion = "/apis", &group
	config.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	c, err := rest.RESTClientForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("create client of applications: %w", err)
	}
	return &applicationList{client: c, namespaces: in}, nil
}

// notEnded selects the applications that have not ended. They include all that hold quota: the grant of an attempt is
// removed from the status before its end time is written, and that time is cleared before the next attempt gets a
// grant.
var notEnded = fields.OneTermEqualSelector("status.times.finished", "")

// unfinished calls see with the applications that have not ended, and returns a resource version at which all others
// had ended. If the API server or the CRD does not know the field, it lists all applications, and the version is empty.
func (l *applicationList) unfinished(ctx context.Context, see func(*v1alpha1.SparkApplication)) (version string, err error) {
	version, err = l.matching(ctx, notEnded, see)
	if apierrors.IsBadRequest(err) {
		_, err = l.matching(ctx, fields.Everything(), see)
		return "", err
	}
	return version, err
}

// matching calls see with every application that a selector matches. It returns the resource version of the first list.
func (l *applicationList) matching(ctx context.Context, selector fields.Selector, see func(*v1alpha1.SparkApplication)) (version string, err error) {
	for _, namespace := range l.namespaces.Scopes() {
		of, err := l.matchingIn(ctx, namespace, selector, see)
		if err != nil {
			return "", err
		}
		version = cmp.Or(version, of)
	}
	return version, nil
}

// matchingIn is matching for one namespace. It sets no resource version, so that all pages are consistent with the
// moment of the first.
func (l *applicationList) matchingIn(ctx context.Context, namespace string, selector fields.Selector, see func(*v1alpha1.SparkApplication)) (version string, err error) {
	var at metav1.ListMeta
	for {
		request := l.client.Get().NamespaceIfScoped(namespace, namespace != metav1.NamespaceAll).Resource("sparkapplications").Param("limit", strconv.Itoa(listPage))
		if !selector.Empty() {
			request.Param("fieldSelector", selector.String())
		}
		if at.Continue != "" {
			request.Param("continue", at.Continue)
		}
		page, err := request.Stream(ctx)
		if err != nil {
			return "", err
		}
		at, err = readPage(page, see)
		_ = page.Close()
		if err != nil || at.Continue == "" {
			return at.ResourceVersion, err
		}
	}
}

// readPage reads a list in JSON, one item at a time, and returns its metadata.
func readPage(page io.Reader, see func(*v1alpha1.SparkApplication)) (of metav1.ListMeta, err error) {
	decoder := json.NewDecoder(page)
	if err := expect(decoder, json.Delim('{')); err != nil {
		return of, err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return of, fmt.Errorf("decode page: %w", err)
		}
		switch key {
		case "items":
			err = readItems(decoder, see)
		case "metadata":
			err = decoder.Decode(&of)
		default:
			var other json.RawMessage
			err = decoder.Decode(&other)
		}
		if err != nil {
			return of, fmt.Errorf("decode page: %w", err)
		}
	}
	return of, expect(decoder, json.Delim('}'))
}

func readItems(decoder *json.Decoder, see func(*v1alpha1.SparkApplication)) error {
	if first, err := decoder.Token(); err != nil || first == nil { // null means no items
		return err
	} else if first != json.Delim('[') {
		return fmt.Errorf("%v instead of a list", first)
	}
	var text json.RawMessage
	for decoder.More() {
		if err := decoder.Decode(&text); err != nil {
			return err
		}
		app := &v1alpha1.SparkApplication{}
		if err := kjson.Unmarshal(text, app); err != nil {
			return err
		}
		see(app)
	}
	return expect(decoder, json.Delim(']'))
}

// expect reads a delimiter. A truncated list is an error, because missing items would count as gone.
func expect(decoder *json.Decoder, want json.Delim) error {
	got, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("decode page: %w", err)
	}
	if got != want {
		return fmt.Errorf("decode page: expected %v, got %v", got, want)
	}
	return nil
}
