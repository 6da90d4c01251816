// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cause

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// MaxBytes is the maximum length of a cause, in bytes.
const MaxBytes = 512

// maxText bounds what is read of one line, in bytes. Text is masked before it is cut to MaxBytes, because part of a
// secret would not be recognized.
const maxText = 8 << 10

// gaveUp is what Spark logs before it ends because too many executors have failed (ExecutorPodsLifecycleManager). What its
// other threads say then follows from that.
const gaveUp = "Max number of executor failures ("

var (
	// refusal matches the API server's answer within an exception of its client: a request is forbidden, a pod is
	// invalid, or a webhook denies it.
	refusal = regexp.MustCompile(`[a-z]+[a-z0-9.]* (?:"[^"]*" )?is forbidden: .*|Pod "[^"]*" is invalid: .*|admission webhook "[^"]*" denied the request.*`)
	// silent matches what Kubernetes' Java client says about an API server that does not answer.
	silent = regexp.MustCompile(`KubernetesClientException: .*(?:timeout of \d+ ms has been exceeded|timed out|[Tt]imeout|Failed to connect|Connection refused|UnknownHost)`)
	// client matches what the client's exception adds to the API server's answer.
	client = regexp.MustCompile(`\. Received status: .*|, metadata=ListMeta.*`)
)

// LocalMode says that a program runs without executors.
const LocalMode = `the program runs in Spark's local mode, without executors: remove .master("local…") from it, or ask for none by spark.kubernetes.driver.master: local[…] in spec.sparkConf`

// localExecutor is what Spark logs at the start of a session in local mode (org.apache.spark.executor.Executor).
const localExecutor = "Starting executor ID driver on host "

// IsLocal reports whether a log says that its program runs in local mode. Spark logs that at the start of a session.
func IsLocal(log string) bool { return strings.Contains(log, localExecutor) }

// IsAPIServerSilent reports whether a program failed because the API server did not answer it.
func IsAPIServerSilent(cause string) bool { return silent.MatchString(cause) }

// ofPods matches the beginning of refusals of pods. Programs may ask the API server for other objects.
var ofPods = regexp.MustCompile(`^(?:pods |Pod |admission webhook )`)

// RefusesPods reports whether a cause is the API server's refusal of pods.
func RefusesPods(cause string) bool { return refusal.MatchString(cause) && ofPods.MatchString(cause) }

// policies are phrases in answers of the API server that a rule of the cluster or namespace forbids the object, so that
// only another object or another rule helps. Any other prohibition may be temporary: a ResourceQuota is used up, the
// default service account does not exist yet, the operator lacks a right. These are the words of the admission plugins
// in Kubernetes 1.31 to 1.36.
var policies = []string{
	`violates PodSecurity "`,
	"ValidatingAdmissionPolicy '",
	"denied the request",               // admission webhooks
	" usage per ",                      // LimitRange: minimum and maximum
	" max limit to request ratio per ", // LimitRange
	"failed quota: ",                   // a ResourceQuota demands a request or limit
	"pod node label selector conflicts with its namespace node label selector",
	"unable to validate against any security context constraint", // OpenShift
}

// NamesPolicy reports whether an answer of the API server says that a rule of the cluster or namespace forbids the
// object.
func NamesPolicy(answer string) bool {
	return slices.ContainsFunc(policies, func(words string) bool { return strings.Contains(answer, words) })
}

// lasting are the words of refusals that a driver meets again in each attempt: its pods are invalid, or its account
// lacks a right, or it has no token.
var lasting = regexp.MustCompile(`^Pod "[^"]*" is invalid: |is forbidden: User "|(?:KubernetesClientException|External scheduler cannot be instantiated).*certification path`)

// Lasts reports whether a cause is a refusal of the API server which no further attempt can change, only an edit.
func Lasts(cause string) bool {
	return lasting.MatchString(cause) || RefusesPods(cause) && NamesPolicy(cause)
}

// torn matches the class of an exception of Python behind which Java has logged, before Python has printed the message.
var torn = regexp.MustCompile(`^([\w.]+(?:Error|Exception))\d\d/\d\d/\d\d `)

// Find returns why a program failed, according to the end of its log, in one line of at most MaxBytes bytes, with what
// the log itself calls secret masked; empty if the log does not say it. The exceptions that caused the first one follow,
// each after "Caused by: ", the root last.
func Find(log string) string {
	text, _ := Locate(log)
	return text
}

// Locate returns the cause as Find does, and the number of its line in the log, from 1; 0 if there is none.
func Locate(log string) (cause string, line int) {
	lines := strings.Split(redact.Printable(log), "\n")
	for i := range lines {
		lines[i] = redact.First(strings.TrimRight(lines[i], " "), maxText)
		if i > 0 && strings.HasPrefix(lines[i], ": ") && torn.MatchString(lines[i-1]) {
			lines[i-1], lines[i] = "", torn.FindStringSubmatch(lines[i-1])[1]+lines[i]
		}
	}
	chain := why(lines)
	line = lineOf(lines, chain)
	for i, text := range chain {
		if found := refusal.FindString(text); found != "" {
			chain = []string{redact.Mask(client.ReplaceAllString(found, ""))}
			break
		}
		chain[i] = redact.Mask(strings.TrimSpace(text))
	}
	return strings.Clone(join(chain, MaxBytes)), line // the log need not stay in memory
}

// lineOf returns the number of the last line that has the first text of a chain; 0 if there is none.
func lineOf(lines, chain []string) int {
	if len(chain) == 0 {
		return 0
	}
	text := strings.TrimPrefix(strings.TrimPrefix(chain[0], inTask), LastLine)
	class, _, _ := strings.Cut(text, ": ") // of a message on several lines
	for _, part := range []string{text, class} {
		for i, line := range slices.Backward(lines) {
			if strings.Contains(line, part) {
				return i + 1
			}
		}
	}
	return 0
}

// why returns the exceptions or the line that say why a program failed.
func why(lines []string) []string {
	for _, rule := range []func([]string) []string{refusedExecutor, unstarted} {
		if chain := rule(lines); chain != nil {
			return chain
		}
	}
	if slices.ContainsFunc(lines, hasGivenUp) {
		return nil // the executors say it
	}
	var e ending
	for _, b := range split(lines) {
		e.take(b)
	}
	if e.chain == nil || strings.HasPrefix(e.chain[0], LastLine) {
		for _, line := range slices.Backward(lines) {
			if refusal.MatchString(line) {
				return []string{line}
			}
		}
	}
	return detailed(e.chain, lines)
}

func hasGivenUp(line string) bool { return strings.Contains(line, gaveUp) }

// separator stands between an exception and the one that caused it.
const separator = "; " + causedBy

// join returns the exceptions of a chain in one line of at most limit bytes. If that is too long, it leaves out those
// between the first and the root, and then cuts the first.
func join(chain []string, limit int) string {
	if text := strings.Join(chain, separator); len(text) <= limit || len(chain) < 2 {
		return redact.First(text, limit)
	}
	first, root := chain[0], chain[len(chain)-1]
	first = redact.First(first, max(limit-len(separator)-len(root), limit/3))
	return redact.First(first+separator+root, limit)
}

// refusedExecutor returns the last line, before Spark gave up, with which the API server refused an executor.
func refusedExecutor(lines []string) []string {
	for i := slices.IndexFunc(lines, hasGivenUp); i >= 0; i-- {
		if refusal.MatchString(lines[i]) {
			return lines[i : i+1 : i+1]
		}
	}
	return nil
}
