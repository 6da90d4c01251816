// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/sparkgate/sparkgate/internal/nearest"
)

// noArguments refuses positional arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.Flags().Lookup("filename") != nil && slices.Contains(manifestEndings, filepath.Ext(args[0])) {
		return usageError{fmt.Errorf("%s is a file: name it with -f %[1]s", args[0])}
	}
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q; see %s --help", args[0], c.CommandPath())}
	}
	return nil
}

// didYouMean returns a question that suggests the nearest existing name, or "" if no name is near.
func didYouMean(wrong string, names []string) string {
	if meant := nearest.To(wrong, names); meant != "" {
		return fmt.Sprintf(": did you mean %s?", meant)
	}
	return ""
}

// checkName refuses a name that no object can have, because it would change the path of a request.
func checkName(name string) error {
	if wrong := content.IsPathSegmentName(name); len(wrong) > 0 {
		return usageError{fmt.Errorf("%q cannot be the name of an object: it %s", name, strings.Join(wrong, ", "))}
	}
	return nil
}

// usageError is the error of a command line that cannot be understood.
type usageError struct{ error }
