// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// command is a subcommand; run gets the arguments after its name.
type command struct {
	name    string
	usage   string
	summary string
	run     func(cluster, []string) error
}

func commands() []command {
	return []command{
		{"build", "[--print-assets] [SYSTEM...]", "compile Kubernetes, or kueue, volcano, yunikorn, helm, into the user's cache folder, unless it is there", runBuild},
		{"install", "[PACKAGE...]", "install the Debian packages that are missing, and PACKAGE...", runInstall},
		{"up", "[--audit]", "start the cluster, or what of it does not run", runUp},
		{"stop", "COMPONENT...", "stop components, such as kubelet; up starts them again", runStop},
		{"down", "", "stop the cluster and remove everything of it", runDown},
		{"status", "", "show the components and whether they are well", runStatus},
		{"kubectl", "ARGUMENT...", "run kubectl as the cluster's administrator", runKubectl},
		{"exec", "-- COMMAND...", "run a command in the cluster's network with KUBECONFIG set", runExec},
		{"connect", "-- COMMAND...", "run a command in the machine's own network with a KUBECONFIG that reaches the cluster", runConnect},
		{"load", "FILE.tar...", "import image archives, unless the same images are there", runLoad},
		{"kubeconfig", "", "print the path of the administrator's kubeconfig", runKubeconfig},
	}
}

// errSilent ends the program with status 1; all has been said.
var errSilent = errors.New("failed")

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		if !errors.Is(err, errSilent) && !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "localcluster:", err)
		}
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if err := os.Setenv("PATH", searchPath(os.Getenv("PATH"))); err != nil {
		return err
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		printUsage(os.Stdout)
		return nil
	}
	c, err := clusterFromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if args[0] == relayCommand {
		return runRelay()
	}
	for _, candidate := range commands() {
		if candidate.name == args[0] {
			return candidate.run(c, args[1:])
		}
	}
	return fmt.Errorf("no command %q: run `localcluster help`", args[0])
}

func printUsage(out io.Writer) {
	var text strings.Builder
	text.WriteString("A real single-node Kubernetes on this machine.\n\nusage: localcluster COMMAND\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&text, "  %-24s %s\n", strings.TrimSpace(c.name+" "+c.usage), c.summary)
	}
	text.WriteString("\nSPARKGATE_CLUSTER_NAME (default " + defaultName + ") and SPARKGATE_CLUSTER_DIR (default " + defaultDir + ") choose another cluster.\n")
	fmt.Fprint(out, text.String())
}

func newFlags(name string) *flag.FlagSet { return flag.NewFlagSet(name, flag.ContinueOnError) }

// parseFlags refuses arguments that are not flags.
func parseFlags(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return errors.Join(errSilent, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q: run `localcluster help`", flags.Name(), flags.Arg(0))
	}
	return nil
}

func now() time.Time { return time.Now() }
