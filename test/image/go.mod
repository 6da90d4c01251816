// Image archives for the local cluster, written without a container engine.
module github.com/sparkgate/sparkgate/test/image

go 1.26.0
