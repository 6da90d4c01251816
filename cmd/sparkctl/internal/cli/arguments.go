// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/sparkgate/sparkgate/internal/base/nearest"
)

// NoArguments refuses positional arguments.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.Flags().Lookup("filename") != nil && slices.Contains(ManifestEndings, filepath.Ext(args[0])) {
		return UsageErrorf("%s is a file; use -f %[1]s", args[0])
	}
	if len(args) > 0 {
		return UsageErrorf("unexpected argument %q; see %s --help", args[0], c.CommandPath())
	}
	return nil
}

// DidYouMean returns a question that suggests the nearest existing name, or "" if no name is near.
func DidYouMean(wrong string, names []string) string {
	if meant := nearest.To(wrong, names); meant != "" {
		return fmt.Sprintf(": did you mean %s?", meant)
	}
	return ""
}

// CheckName refuses a name that no object can have, because it would change the path of a request.
func CheckName(name string) error {
	if wrong := content.IsPathSegmentName(name); len(wrong) > 0 {
		return UsageErrorf("%q cannot be the name of an object: it %s", name, strings.Join(wrong, ", "))
	}
	return nil
}

// NamesBelow returns the names of the subcommands.
func NamesBelow(c *cobra.Command) []string {
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return names
}
