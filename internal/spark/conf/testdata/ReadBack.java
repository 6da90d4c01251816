// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Reads files of properties as Spark does (text in UTF-8), and writes what Java found in each: a count, then names and values. */
public class ReadBack {
  public static void main(String[] args) throws Exception {
    DataInputStream in = new DataInputStream(System.in);
    DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(System.out));
    for (int files = in.readInt(); files > 0; files--) {
      byte[] text = new byte[in.readInt()];
      in.readFully(text);
      Properties properties = new Properties();
      properties.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
      out.writeInt(properties.size());
      for (String name : properties.stringPropertyNames()) {
        write(out, name);
        write(out, properties.getProperty(name));
      }
    }
    out.flush();
  }

  private static void write(DataOutputStream out, String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }
}
