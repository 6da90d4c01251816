// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// CheckURL returns an error if the address is not a valid address of a receiver.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("%q is not an address; set it to one such as http://notification-controller.flux-system.svc.cluster.local./", redact.Text(address))
	}
	return nil
}

// post sends an event once. The result is empty if a retry may help.
func (s *Sender) post(ctx context.Context, e event) (result string, err error) {
	body, err := json.Marshal(e)
	if err != nil {
		return refused, fmt.Errorf("encode event: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return refused, fmt.Errorf("create request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can be reused
	switch code := response.StatusCode; {
	case code < 300, code == http.StatusTooManyRequests: // the receiver answers 429 to what it takes for a repetition
		return delivered, nil
	case code >= 500, code == http.StatusRequestTimeout:
		return "", fmt.Errorf("the receiver answers %s", response.Status)
	default:
		return refused, fmt.Errorf("the receiver answers %s", response.Status)
	}
}
