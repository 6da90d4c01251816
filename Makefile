# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0

# Run `make help`. What is built lies in bin/ and out/; Kubernetes and the Spark image lie in the user's cache folder and are
# shared by all checkouts.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
export PATH := $(PATH):/usr/local/go/bin:/usr/local/sbin:/usr/sbin:/sbin

# A cluster of yours for deploy and demo, by its kubeconfig file; empty: the local one.
export DEMO_KUBECONFIG ?=
ifneq ($(DEMO_KUBECONFIG),)
override DEMO_KUBECONFIG := $(abspath $(DEMO_KUBECONFIG))
endif

OPERATOR_IMAGE ?= docker.io/sparkgate/sparkgate:dev
SPARK_VERSION ?= 4.1.4
SPARK_IMAGE ?= docker.io/sparkgate/spark:$(basename $(SPARK_VERSION))
SPARK_ARCHIVE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sparkgate/image/spark-$(SPARK_VERSION).tar
OPERATOR_ARCHIVE := out/sparkgate.tar
# The end-to-end tests have a cluster of their own and leave the demo's alone.
E2E_CLUSTER ?= sparkgate-e2e
# They install what users of a release download, by its chart.
E2E_VERSION := v0.0.0-e2e
E2E_NEEDS := bin/kubectl bin/image e2e-release
export SPARK_VERSION SPARK_ARCHIVE OPERATOR_ARCHIVE E2E_CLUSTER E2E_VERSION

CONTROLLER_GEN := go tool -modfile=go.tools.mod controller-gen
LOCAL := $(if $(DEMO_KUBECONFIG),,local)
say = @echo "==> $(1)"

##@ Try it

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nDEMO_KUBECONFIG=FILE makes deploy and demo use a cluster of yours.\n'

.PHONY: demo
demo: deploy bin/sparkctl ## Start a local Kubernetes, run Spark on it, watch; DEMO_KUBECONFIG=FILE: on your cluster
	$(call say,running the examples)
	@hack/demo/run $(SPARK_IMAGE)

.PHONY: deploy
deploy: deploy-prepare-$(or $(LOCAL),own) ## Install the operator and wait until it is ready
	@hack/deploy $(OPERATOR_IMAGE) $$(sha256sum out/sparkgate 2>/dev/null | cut -c 1-16 || echo none)

.PHONY: deploy-prepare-local deploy-prepare-own
deploy-prepare-local: cluster-up image operator-image
	$(call say,loading the images into the cluster)
	@hack/progress 'loading the images' bin/localcluster load $(OPERATOR_ARCHIVE) $(SPARK_ARCHIVE)
deploy-prepare-own: bin/kubectl
	$(call say,using the cluster of $(DEMO_KUBECONFIG))
	@hack/preflight cluster:$(DEMO_KUBECONFIG)
	@hack/images $(OPERATOR_IMAGE) $(SPARK_IMAGE)

.PHONY: cluster-up cluster-down
cluster-up: bin/kubectl ## Start the local Kubernetes; build it first if need be
	@hack/preflight root
	$(call say,starting the local Kubernetes)
	@hack/progress 'installing packages' bin/localcluster install
	@bin/localcluster up
cluster-down: bin/localcluster ## Stop the local Kubernetes and remove everything of it
	$(call say,stopping the local Kubernetes)
	@bin/localcluster down
	@SPARKGATE_CLUSTER_NAME=$(E2E_CLUSTER) bin/localcluster down

##@ Build

.PHONY: build
build: bin/sparkgate bin/sparkctl bin/kubectl ## Compile the operator to bin/sparkgate, the command-line tool to bin/sparkctl
	$(call say,built bin/sparkgate and bin/sparkctl)

.PHONY: image operator-image
image: bin/image ## Build the Spark image of the examples and tests, an archive in the cache folder
	$(call say,Spark image $(SPARK_IMAGE))
	@hack/progress 'building the Spark image' bin/image spark --version $(SPARK_VERSION) --out $(SPARK_ARCHIVE)
operator-image: bin/image ## Build the operator's image to out/sparkgate.tar; OPERATOR_ARCH=arm64 for other nodes
	$(call say,operator image $(OPERATOR_IMAGE))
	@CGO_ENABLED=0 GOOS=linux GOARCH=$(OPERATOR_ARCH) hack/progress 'compiling the operator' go build -trimpath -ldflags '-s -w' -o out/sparkgate ./cmd/sparkgate
	@bin/image binary --name $(OPERATOR_IMAGE) --binary out/sparkgate --out $(OPERATOR_ARCHIVE)

.PHONY: release
release: preflight-go bin/image ## Build what users of a release download, to out/release; VERSION=v0.1.0, PLATFORMS="linux/amd64 …"
	@hack/release "$(VERSION)" "out/release/$(VERSION)"

.PHONY: e2e-release
e2e-release: bin/image
	$(call say,a release of this checkout)
	@rm -rf out/release/$(E2E_VERSION)
	@PLATFORMS=linux/$$(go env GOARCH) hack/progress 'compiling the release' hack/release $(E2E_VERSION) out/release/$(E2E_VERSION)

.PHONY: preflight-go bin/sparkgate out/sparkctl bin/localcluster bin/image
preflight-go:
	@hack/preflight go
bin/sparkgate: preflight-go
	@hack/progress 'compiling $@' go build -o $@ ./cmd/sparkgate
out/sparkctl: preflight-go
	@hack/progress 'compiling $@' go build -o $@ ./cmd/sparkctl
bin/localcluster: preflight-go
	@hack/progress 'compiling $@' go -C test/cluster build -o $(CURDIR)/$@ ./localcluster
bin/image: preflight-go
	@hack/progress 'compiling $@' go -C test/image build -o $(CURDIR)/$@ .
bin/kubectl: hack/kubectl bin/localcluster
	@install -m 755 $< $@
bin/sparkctl: hack/sparkctl bin/localcluster out/sparkctl
	@install -m 755 $< $@

##@ Test

.PHONY: unit integration browser gitops attacks e2e e2e-kind e2e-slow e2e-versions e2e-kubernetes
unit: preflight-go ## Tests without a cluster, root or network
	@hack/suite unit
integration: bin/localcluster ## Tests against a real API server and etcd
	@hack/suite integration
browser: bin/localcluster ## Open the web page in a real Chromium; pictures in out/browser
	@hack/preflight browser
	@hack/suite browser
gitops: bin/localcluster ## Run applications from Git with the real Flux and Argo CD; builds them first, half an hour
	@hack/preflight git
	@hack/suite gitops
e2e: $(E2E_NEEDS) image ## Tests with a real node and real Spark, in a cluster of their own; KEEP=1 leaves it
	@hack/preflight root
	@hack/suite e2e
e2e-kind: ## Demo and attacks on a kind cluster: needs Docker and kind, but not root
	@hack/kind
attacks: bin/kubectl $(if $(LOCAL),deploy) ## Attack the local cluster as a tenant would; DEMO_KUBECONFIG=FILE: yours, where operator and guard are installed
	@hack/suite attacks
e2e-slow: $(E2E_NEEDS) image ## The e2e tests that are too long for every day; PACKAGES="./e2e/outage …"
	@hack/preflight root
	@hack/suite e2e_slow
e2e-versions: $(E2E_NEEDS) ## Real jobs of the other supported Spark versions, one after the other; SPARK_VERSIONS="4.3.0 …"
	@hack/preflight root
	@hack/suite e2e_versions
e2e-kubernetes: $(E2E_NEEDS) image ## The main stories on other minors of Kubernetes, one after the other; KUBERNETES_VERSIONS="1.31 1.33 1.35"
	@hack/preflight root
	@hack/suite e2e_kubernetes

# The suites of make test.
SUITES ?= unit integration browser e2e

.PHONY: test
test: preflight-go ## unit, integration, browser and e2e, or those of SUITES; ends with "N passed, N failed"
	@for suite in $(SUITES); do rm -f out/tests/$$suite.json; done; rc=0; \
	for suite in $(SUITES); do $(MAKE) $$suite || rc=1; done; \
	echo; go tool -modfile=go.tools.mod testsum $(SUITES) || rc=1; exit $$rc

.PHONY: deflake soak soak-properties soak-faults bench bench-peers
deflake: ## Repeat unit and integration tests in random order with the race detector until one fails; COUNT=10
	@hack/suite deflake $(or $(COUNT),10)
soak: soak-properties soak-faults image $(E2E_NEEDS) ## soak-properties and soak-faults, then repeat the e2e tests on one cluster; COUNT=10
	@hack/suite soak $(or $(COUNT),10)
soak-properties: ## Random tests with COUNT=10 times their seeds from SEED on, then each fuzzer for FUZZTIME=1m
	@hack/suite soak_properties $(or $(COUNT),10)
soak-faults: bin/localcluster ## Break every write of the integration tests in every way, and kill every replica
	@hack/suite soak_faults
bench: bin/kubectl bin/sparkgate out/sparkctl ## Measure the operator against a bare client loop, as a ratio; BENCH_FLAGS=…
	@hack/suite bench
bench-peers: bin/localcluster bin/sparkgate ## Compare with other operators on one API server; PEERS_APACHE_SOURCE=checkout PEERS_KUBEFLOW=program SPARK_HOME=…
	@hack/suite bench_peers

##@ Change it

.PHONY: generate manifests golden fmt vet lint
generate: ## Write deepcopy methods
	$(call say,deepcopy methods)
	@$(CONTROLLER_GEN) object:headerFile=hack/header.go.txt paths=./api/...
manifests: ## Write CRDs, what the Helm chart has of config, and what the pages have of the code
	$(call say,CRDs)
	@$(CONTROLLER_GEN) crd paths=./api/... output:crd:dir=out/crd
	@go run ./hack/crds out/crd && mv out/crd/*.yaml config/crd/bases/
	@go run ./hack/chart
	@go run ./hack/pages
golden: ## Rewrite golden files with what the code does now; read the diff
	$(call say,golden files)
	@hack/suite golden
fmt: ## Format Go code
	$(call say,gofmt)
	@git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 gofmt -l -w
vet: ## Run go vet in all modules
	@hack/verify vet
lint: ## Run golangci-lint in all modules
	@hack/verify lint
verify: preflight-go ## Check everything that needs no running test: format, lint, generated code, dependencies, sizes, …
	@hack/verify
.PHONY: verify

.PHONY: clean
clean: ## Remove bin/ and out/; the caches stay
	$(call say,removing bin and out)
	@rm -rf bin out
