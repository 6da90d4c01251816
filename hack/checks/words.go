// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// RuleWord is the rule that strings of the product do not contain words that the glossary excludes.
const RuleWord = "word"

// Word is an expression that messages must not contain, with the standard term for it.
type Word struct {
	// Pattern is searched in the value of each string, ignoring case.
	Pattern string
	// Instead is the standard term.
	Instead string
}

// excludedWords are the words that conditions, events, findings, logs, metrics and the output of sparkctl must not
// contain.
var excludedWords = []Word{
	{`\b(is|are|was|were) no (\w+|%)`, `"invalid X" or "is not a valid X"`},
	{`\brooms?\b`, `"quota" for what may be used, "capacity" for what nodes have, "space" for disks`},
	{`\b(somebody|someone|anybody|anyone|everybody|nobody|whoever|whom)\b`, "the actor: a user, another controller, the API server"},
	{`\bthose who\b`, "the noun: users, clients, applications"},
	{`\b(told|tells?)\b`, `"reported", "recorded" or "printed"`},
	{`, too\b`, `"also" before the verb`},
	{`\bany more\b`, `"no longer"`},
	{`\bgoes on\b`, `"continues"`},
	{`\bby itself\b`, `"automatically"`},
	{`\bas things stand\b`, `"with the current configuration" or "currently"`},
	{`\bmake a (new )?(client|certificate|request)\b`, `"create"`},
	{`\b(be|been|is|are|was|were|not) made\b`, `"created"`},
	{`\bin office\b`, `"leader"`},
}

// allowedNo matches the phrases in which "is no" is allowed: those which say that something does not exist, has
// changed, or is compared.
var allowedNo = regexp.MustCompile(`(?i)\b(there (is|are|was|were) no|(is|are|was|were) no (longer|more|less|fewer|later|better|other))\b`)

// Words finds excluded words in the strings of the product.
func Words(files []File, words []Word) []Problem {
	patterns := patternsOf(words)
	var problems []Problem
	for _, f := range files {
		if !f.isProduct() {
			continue
		}
		problems = append(problems, wordsOf(f, words, patterns)...)
	}
	return problems
}

func patternsOf(words []Word) []*regexp.Regexp {
	patterns := make([]*regexp.Regexp, len(words))
	for i, w := range words {
		patterns[i] = regexp.MustCompile("(?i)" + w.Pattern)
	}
	return patterns
}

// CommentWords finds excluded words in the comments of tests. The first word of a comment is exempt: it is the name of
// the declaration below.
func CommentWords(files []File, words []Word) []Problem {
	patterns := patternsOf(words)
	var problems []Problem
	for _, f := range files {
		if !f.IsGo() || f.Generated() || !f.IsTest() && !strings.HasPrefix(f.Path, "test/") {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, f.Path, f.Data, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue // the compiler reports it
		}
		for _, group := range parsed.Comments {
			_, text, _ := strings.Cut(allowedNo.ReplaceAllString(strings.Join(strings.Fields(group.Text()), " "), ""), " ")
			for i, p := range patterns {
				if word := p.FindString(text); word != "" {
					problems = append(problems, Problem{
						File: f.Path, Line: fset.Position(group.Pos()).Line, Rule: RuleWord,
						Text: fmt.Sprintf("a comment has %q: write %s", word, words[i].Instead),
					})
				}
			}
		}
	}
	return problems
}

// wordsOf finds the excluded words in the strings of one file.
func wordsOf(f File, words []Word, patterns []*regexp.Regexp) []Problem {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.Path, f.Data, parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler reports it
	}
	var problems []Problem
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		// The tag has the names of the API.
		case *ast.Field:
			if x.Tag != nil {
				x.Tag.Kind = token.ILLEGAL
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(x.Value)
			if x.Kind != token.STRING || err != nil {
				return true
			}
			text = allowedNo.ReplaceAllString(text, "")
			for i, p := range patterns {
				if word := p.FindString(text); word != "" {
					problems = append(problems, Problem{
						File: f.Path, Line: fset.Position(x.Pos()).Line, Rule: RuleWord,
						Text: fmt.Sprintf("a string has %q: write %s", word, words[i].Instead),
					})
				}
			}
		}
		return true
	})
	return problems
}
