// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Region is that of all object stores. They refuse a request that is signed for another one.
const Region = "eu-central-1"

// ObjectStore is an S3 server with one account.
type ObjectStore struct {
	*System
	URL                  string
	AccessKey, SecretKey string

	buckets string // folder: each folder in it is a bucket, and the files below that are its objects
}

// S3 starts an S3 server for a test, on an address of this machine at which pods reach it. The test's end stops it and
// deletes its objects.
func S3(t testing.TB, cluster Cluster, host string) *ObjectStore {
	t.Helper()
	store, err := NewS3(cluster, host)
	if err != nil {
		t.Fatal(err)
	}
	store.begin(t)
	return store
}

// NewS3 prepares an S3 server, without a bucket; Start starts it.
func NewS3(cluster Cluster, host string) (*ObjectStore, error) {
	address, err := freeAddressOf(host)
	if err != nil {
		return nil, err
	}
	s, err := newSystem("versitygw", cluster)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 30)
	_, _ = rand.Read(secret) // never fails
	store := &ObjectStore{
		System: s, URL: "http://" + address, buckets: filepath.Join(s.folder, "buckets"),
		// The shapes of Amazon's.
		AccessKey: "AKIA" + rand.Text()[:16], SecretKey: base64.StdEncoding.EncodeToString(secret),
	}
	if err := os.Mkdir(store.buckets, 0o700); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.program("versitygw", "--region", Region, "--port", address, "--health", "/health", "posix", store.buckets)
	s.programs[0].env = []string{"ROOT_ACCESS_KEY=" + store.AccessKey, "ROOT_SECRET_KEY=" + store.SecretKey}
	s.ready = func(ctx context.Context) error { return healthy(ctx, store.URL+"/health") }
	return store, nil
}

// CreateBucket creates a bucket.
func (o *ObjectStore) CreateBucket(ctx context.Context, bucket string) error {
	return o.put(ctx, bucket, "")
}

// Put stores an object.
func (o *ObjectStore) Put(ctx context.Context, bucket, key, content string) error {
	return o.put(ctx, bucket+"/"+key, content)
}

func (o *ObjectStore) put(ctx context.Context, path, content string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, o.URL+"/"+path, strings.NewReader(content))
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(content))
	digest := hex.EncodeToString(sum[:])
	request.Header.Set("X-Amz-Content-Sha256", digest)
	keys := aws.Credentials{AccessKeyID: o.AccessKey, SecretAccessKey: o.SecretKey}
	if err := v4.NewSigner().SignHTTP(ctx, keys, request, digest, "s3", Region, time.Now()); err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("put %s: %s: %s", path, response.Status, answer), err)
	}
	return nil
}

// Objects returns the content of the objects whose keys begin with a folder, by key.
func (o *ObjectStore) Objects(bucket, folder string) (map[string]string, error) {
	root, found := filepath.Join(o.buckets, bucket), map[string]string{}
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(root, path)
		found[filepath.ToSlash(key)] = string(content)
		return err
	})
	return found, err
}
