// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"bytes"
	"crypto/sha1" // the format's own checksum; it protects nothing
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"unicode/utf16"

	"github.com/sparkgate/sparkgate/test/image/archive"
)

const (
	bundleFile   = "etc/ssl/certs/ca-certificates.crt"
	keyStoreFile = "etc/ssl/certs/java/cacerts"
)

// addKeyStore replaces the key store that Debian's package made at install
// time, whose order and times differ from one installation to the next, by one
// with the same authorities that is always the same.
func addKeyStore(layer *archive.Layer) error {
	bundle, err := layer.Read(bundleFile)
	if err != nil {
		return err
	}
	store, err := keyStore(bundle)
	if err != nil {
		return fmt.Errorf("%s: %w", bundleFile, err)
	}
	layer.Bytes(keyStoreFile, 0o644, store)
	return nil
}

// keyStore writes the certificates of a PEM bundle as a Java key store (JKS,
// version 2) with Java's usual password "changeit".
//
// Big-endian: magic, version, number of entries; for each the kind (2: trusted
// certificate), alias, milliseconds since 1970, type, length, DER; last the
// SHA-1 of the password in UTF-16, a constant phrase and all before.
func keyStore(bundle []byte) ([]byte, error) {
	var certificates [][]byte
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		certificates = append(certificates, block.Bytes)
	}
	if len(certificates) == 0 {
		return nil, errors.New("no certificate in it")
	}
	var store bytes.Buffer
	number := func(values ...uint32) {
		for _, v := range values {
			store.Write(binary.BigEndian.AppendUint32(nil, v))
		}
	}
	text := func(s string) {
		store.Write(binary.BigEndian.AppendUint16(nil, uint16(len(s))))
		store.WriteString(s)
	}
	number(0xFEEDFEED, 2, uint32(len(certificates)))
	for i, certificate := range certificates {
		number(2)
		text(fmt.Sprintf("ca-%03d", i))
		store.Write(binary.BigEndian.AppendUint64(nil, uint64(archive.Epoch.UnixMilli())))
		text("X.509")
		number(uint32(len(certificate)))
		store.Write(certificate)
	}
	sum := sha1.New()
	for _, unit := range utf16.Encode([]rune("changeit")) {
		sum.Write(binary.BigEndian.AppendUint16(nil, unit))
	}
	sum.Write([]byte("Mighty Aphrodite"))
	sum.Write(store.Bytes())
	return sum.Sum(store.Bytes()), nil
}
