// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// InstallPolicy creates the objects of a file with the admission policy of config/fast, and waits until the API server
// adds the finalizer to applications.
func (u User) InstallPolicy(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the admission policy: %w", err)
	}
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		obj := &unstructured.Unstructured{}
		if err := d.Decode(obj); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("decode %s: %w", file, err)
		}
		if err := u.Client.Create(ctx, obj); err != nil {
			return fmt.Errorf("create %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
	namespace, err := u.Namespace(ctx)
	if err != nil {
		return err
	}
	// The API server learns of new kinds, and of policies for them, at different times.
	var last error
	err = wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		probe := Application(namespace, 0, 1)
		last = u.Client.Create(ctx, probe, client.DryRunAll)
		return last == nil && slices.Contains(probe.Finalizers, v1alpha1.Finalizer), nil
	})
	if err != nil {
		return fmt.Errorf("wait until %s adds finalizers: %w", file, errors.Join(err, last))
	}
	return nil
}
