// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// creation is what submit creates.
type creation struct {
	app *unstructured.Unstructured
	// secret is the Secret that the application uses; nil for none.
	secret *corev1.Secret
	// newName reports that the names have a random end: if there was no answer, an application of that name is most
	// likely the one that was to be created.
	newName bool
}

// errMayExist means that it is not known whether the application was created.
var errMayExist = errors.New("it is not known whether the application was created")

// create creates the application, and before it the Secret that it uses. The Secret is deleted if the application was
// not created.
func create(ctx context.Context, c *client.Cluster, what creation, notes io.Writer) (*v1alpha1.SparkApplication, error) {
	body, err := json.Marshal(what.app)
	if err != nil {
		return nil, err
	}
	if what.secret == nil {
		return createApplication(ctx, c, what, body)
	}
	name := what.secret.Name
	stays := fmt.Sprintf("Secret %[1]s in namespace %[2]s stays: kubectl delete secret %[1]s -n %[2]s deletes it", name, c.Namespace)
	err = client.CreateSecret(ctx, c, what.secret)
	if err != nil && !client.IsUnanswered(err) {
		return nil, err
	}
	var created *v1alpha1.SparkApplication
	if err == nil {
		created, err = createApplication(ctx, c, what, body)
	}
	switch {
	case errors.Is(err, errMayExist):
		return nil, fmt.Errorf("%w; %s", err, stays)
	case err != nil:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRequest)
		defer cancel()
		if deleteErr := client.DeleteSecret(ctx, c, name); deleteErr != nil && !client.IsNotFound(deleteErr) {
			err = fmt.Errorf("%w; %s (%w)", err, stays, deleteErr)
		}
		return nil, err
	}
	if err := client.OwnSecret(ctx, c, name, created); err != nil {
		fmt.Fprintf(notes, "sparkctl submit: note: when the application is deleted, %s (%v)\n", stays, err)
	}
	return created, nil
}

// lastRequest bounds a request that is sent although the command is to end.
const lastRequest = 10 * time.Second

// createApplication creates the application. If the API server does not answer and the name is new, it reads whether the
// application exists: a script that takes a lost answer for a failure would run the job twice.
func createApplication(ctx context.Context, c *client.Cluster, what creation, body []byte) (*v1alpha1.SparkApplication, error) {
	name := what.app.GetName()
	created, err := c.CreateApplication(ctx, c.Namespace, name, body)
	if err == nil || !what.newName || !client.IsUnanswered(err) {
		return created, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRequest)
	defer cancel()
	stored, readErr := client.GetObject[v1alpha1.SparkApplication](ctx, c, client.Applications, name)
	switch {
	case readErr == nil:
		return stored, nil
	case client.IsNotFound(readErr):
		return nil, err
	}
	return nil, fmt.Errorf("%w; %w: before you submit again, see whether sparkctl get %s -n %s finds it", err, errMayExist, name, c.Namespace)
}
