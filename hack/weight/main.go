// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command weight prints how many lines of code the product has, by top folder, and its budget.
//
//	go run ./hack/weight
//	go run ./hack/weight -above >hack/checks/above.txt    what is above a limit; that list only shrinks
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/sparkgate/sparkgate/hack/checks"
)

func main() {
	above := flag.Bool("above", false, "print the packages and types that are above a limit instead")
	flag.Parse()
	if err := run(*above); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(above bool) error {
	files, err := checks.ReadRepository(".")
	if err != nil {
		return err
	}
	if above {
		measures, err := checks.Measures(files)
		for _, m := range measures {
			fmt.Println(m)
		}
		return err
	}
	weight := checks.Weight(files)
	fmt.Printf("%d lines of code, budget %d\n", checks.Total(weight), checks.Budget)
	for _, folder := range slices.Sorted(maps.Keys(weight)) {
		fmt.Printf("  %6d  %s\n", weight[folder], folder)
	}
	return nil
}
