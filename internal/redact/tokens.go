// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"

	"github.com/google/osv-scalibr/veles"
	"github.com/google/osv-scalibr/veles/secrets/anthropicapikey"
	"github.com/google/osv-scalibr/veles/secrets/circleci"
	"github.com/google/osv-scalibr/veles/secrets/common/simpletoken"
	"github.com/google/osv-scalibr/veles/secrets/denopat"
	"github.com/google/osv-scalibr/veles/secrets/digitaloceanapikey"
	"github.com/google/osv-scalibr/veles/secrets/elasticcloudapikey"
	"github.com/google/osv-scalibr/veles/secrets/gcpapikey"
	"github.com/google/osv-scalibr/veles/secrets/gcpoauth2access"
	"github.com/google/osv-scalibr/veles/secrets/github"
	"github.com/google/osv-scalibr/veles/secrets/grokxaiapikey"
	"github.com/google/osv-scalibr/veles/secrets/herokuplatformkey"
	"github.com/google/osv-scalibr/veles/secrets/huggingfaceapikey"
	"github.com/google/osv-scalibr/veles/secrets/npmjsaccesstoken"
	"github.com/google/osv-scalibr/veles/secrets/onepasswordkeys"
	"github.com/google/osv-scalibr/veles/secrets/openai"
	"github.com/google/osv-scalibr/veles/secrets/openrouter"
	"github.com/google/osv-scalibr/veles/secrets/perplexityapikey"
	"github.com/google/osv-scalibr/veles/secrets/postmanapikey"
	"github.com/google/osv-scalibr/veles/secrets/pypiapitoken"
	"github.com/google/osv-scalibr/veles/secrets/rubygemsapikey"
	"github.com/google/osv-scalibr/veles/secrets/salesforceoauth2access"
	"github.com/google/osv-scalibr/veles/secrets/sendgrid"
	"github.com/google/osv-scalibr/veles/secrets/slacktoken"
	"github.com/google/osv-scalibr/veles/secrets/squareapikey"
	"github.com/google/osv-scalibr/veles/secrets/stripeapikeys"
	"github.com/google/osv-scalibr/veles/secrets/supabase"
)

// detectors are rules of the Veles library for tokens that a regular expression recognizes by their form. Those that
// need context, and those that would match names of classes, are left out.
var detectors = []veles.Detector{
	anthropicapikey.NewDetector(), circleci.NewPersonalAccessTokenDetector(), circleci.NewProjectTokenDetector(),
	denopat.NewUserTokenDetector(), denopat.NewOrgTokenDetector(), digitaloceanapikey.NewDetector(), elasticcloudapikey.NewDetector(),
	gcpapikey.NewDetector(), gcpoauth2access.NewDetector(),
	github.NewAppRefreshTokenDetector(), github.NewAppS2STokenDetector(), github.NewAppU2SDetector(), github.NewClassicPATDetector(),
	github.NewFineGrainedPATDetector(), github.NewOAuthTokenDetector(),
	grokxaiapikey.NewAPIKeyDetector(), grokxaiapikey.NewManagementKeyDetector(), herokuplatformkey.NewSecretKeyDetector(),
	huggingfaceapikey.NewDetector(), npmjsaccesstoken.NewDetector(),
	onepasswordkeys.NewSecretKeyDetector(), onepasswordkeys.NewServiceTokenDetector(), onepasswordkeys.NewRecoveryTokenDetector(),
	openai.NewDetector(), openrouter.NewDetector(), perplexityapikey.NewDetector(),
	postmanapikey.NewAPIKeyDetector(), postmanapikey.NewCollectionTokenDetector(), pypiapitoken.NewDetector(), rubygemsapikey.NewDetector(),
	salesforceoauth2access.NewDetector(), sendgrid.NewDetector(),
	slacktoken.NewAppLevelTokenDetector(), slacktoken.NewAppConfigAccessTokenDetector(), slacktoken.NewAppConfigRefreshTokenDetector(),
	squareapikey.NewPersonalAccessTokenDetector(), stripeapikeys.NewSecretKeyDetector(), stripeapikeys.NewRestrictedKeyDetector(),
	stripeapikeys.NewWebhookSecretDetector(), supabase.NewPATDetector(),
}

// forms are the expressions of the detectors.
var forms = formsOf(detectors)

// formsOf returns the expressions of the detectors that consist of nothing but an expression.
func formsOf(detectors []veles.Detector) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, d := range detectors {
		if simple, ok := d.(simpletoken.Detector); ok {
			all = append(all, simple.Re)
		}
	}
	return all
}

// tokenRules are the forms that the library lacks, or matches too narrowly for a log: a truncated token has to be
// hidden, too.
var tokenRules = []rule{
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?`), Masked},
	{[]string{"a3t", "ak", "as", "ag", "ai", "ar", "an"}, regexp.MustCompile(`\b(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b`), Masked},
	{[]string{"gh", "github_pat_", "gl", "xox", "dapi", "aiza"}, regexp.MustCompile(
		`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[\w.-]{16,}|xox[abeprs]-[\w-]{10,}|dapi[0-9a-f]{32}|AIza[\w-]{30,})`), Masked},
	{[]string{"hooks.slack.com"}, regexp.MustCompile(`(hooks\.slack\.com/(?:services|workflows)/)[\w/+-]+`), "${1}" + Masked},
	{[]string{"hv", "gocspx-", "dckr_pat_", "sq0", "shp", "dop_v1_", "glsa_", "atatt3", "age-secret-key-", "tskey-", "nrak-"}, regexp.MustCompile(
		`\b(?:hv[sbr]\.[\w-]{20,}|GOCSPX-[\w-]{20,}|dckr_(?:pat|oat)_[\w-]{20,}|sq0[a-z]{3}-[\w-]{20,}|shp(?:at|ss|ca|pa)_[0-9a-f]{20,}|do[opr]_v1_[0-9a-f]{40,}|` +
			`glsa_\w{20,}|ATATT3[\w=-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}|tskey-[\w-]{20,}|NRAK-[A-Z0-9]{20,})`), Masked},
	{[]string{"8q~"}, regexp.MustCompile(`[\w.~-]{3}8Q~[\w.~-]{31,}`), Masked},
	{[]string{":"}, regexp.MustCompile(`\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b`), Masked},
}

// tokens hides the tokens of services that are recognizable by their form.
func tokens(text string) string {
	text = apply(tokenRules, text)
	for _, form := range forms {
		text = form.ReplaceAllLiteralString(text, Masked)
	}
	return text
}
