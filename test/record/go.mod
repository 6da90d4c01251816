// The recorder of the real spark-submit. A module of its own, so that it needs nothing but itself.
module github.com/sparkgate/sparkgate/test/record

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	golang.org/x/tools v0.47.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
