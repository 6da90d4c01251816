// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import "github.com/sparkgate/sparkgate/test/image/archive"

// sparkLayer makes the layer of /opt/spark from a distribution that download
// laid out. All of it belongs to root but the folder that Spark works in.
func sparkLayer(home string) (*archive.Layer, error) {
	layer := &archive.Layer{}
	layer.Dir("opt", 0o755, archive.Root)
	if err := layer.Tree("opt/spark", home, nil); err != nil {
		return nil, err
	}
	layer.Dir("opt/spark/conf", 0o755, archive.Root)
	// What drivers and executors write into the current folder: fetched files,
	// spark-warehouse, derby.log.
	layer.Dir("opt/spark/work-dir", 0o775, archive.Owner{UID: uid, GID: uid})
	return layer, nil
}
