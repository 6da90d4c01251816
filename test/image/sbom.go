// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// buildSBOM writes what a Go program was built from, as the compiler has
// recorded it in the program.
func buildSBOM(args []string) error {
	flags := flag.NewFlagSet("image sbom", flag.ContinueOnError)
	binary := flags.String("binary", "", "the Go program")
	version := flags.String("version", "", "the `version` of the program")
	out := flags.String("out", "", "the file to write, CycloneDX in JSON")
	if err := parse(flags, args); err != nil {
		return err
	}
	for name, value := range map[string]string{"binary": *binary, "version": *version, "out": *out} {
		if value == "" {
			return fmt.Errorf("--%s is missing: see image sbom --help", name)
		}
	}
	info, err := buildinfo.ReadFile(*binary)
	if err != nil {
		return fmt.Errorf("%s is no Go program: %w", *binary, err)
	}
	file, err := os.Create(*out)
	if err != nil {
		return err
	}
	encoder := cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(encoder.Encode(billOf(info, *version)), file.Close())
}

// billOf lists the program, its modules and the Go version. It has neither a
// time nor a serial number: the same program has the same list.
func billOf(info *debug.BuildInfo, version string) *cdx.BOM {
	main := componentOf(cdx.ComponentTypeApplication, info.Main.Path, version)
	bill := cdx.NewBOM()
	bill.SerialNumber = ""
	bill.Metadata = &cdx.Metadata{Component: &main}
	components := []cdx.Component{componentOf(cdx.ComponentTypeLibrary, "std", info.GoVersion)}
	direct := []string{components[0].BOMRef}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := componentOf(cdx.ComponentTypeLibrary, module.Path, module.Version)
		components, direct = append(components, c), append(direct, c.BOMRef)
	}
	bill.Components = &components
	bill.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &direct}}
	return bill
}

func componentOf(kind cdx.ComponentType, path, version string) cdx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
