// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * Makes one submission after another, as bin/spark-submit does each in a Java of its own: first the launcher's look at the options, then
 * SparkSubmit. A line of the standard input is a submission: its arguments in base64, separated by blanks. The answer is a line with the exit
 * code and what was printed, in base64.
 */
public class Submissions {
  public static void main(String[] unused) throws Exception {
    PrintStream out = System.out, err = System.err;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> args = new ArrayList<>();
      for (String word : line.split(" ")) {
        args.add(new String(Base64.getDecoder().decode(word.substring(1)), StandardCharsets.UTF_8));
      }
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
      System.setOut(both);
      System.setErr(both);
      int exit = submit(args, both);
      System.setOut(out);
      System.setErr(err);
      System.getProperties().keySet().removeIf(key -> key.toString().startsWith("spark."));
      out.println(exit + " " + Base64.getEncoder().encodeToString(printed.toByteArray()));
      out.flush();
    }
    System.exit(0);
  }

  private static int submit(List<String> args, PrintStream log) {
    try {
      var builder = Class.forName("org.apache.spark.launcher.SparkSubmitCommandBuilder").getDeclaredConstructor(List.class);
      builder.setAccessible(true);
      builder.newInstance(args);
      new org.apache.spark.deploy.SparkSubmit().doSubmit(args.toArray(new String[0]));
      return 0;
    } catch (java.lang.reflect.InvocationTargetException e) {
      log.print("Exception in thread \"main\" ");
      e.getCause().printStackTrace(log);
    } catch (Throwable e) {
      log.print("Exception in thread \"main\" ");
      e.printStackTrace(log);
    }
    return 1;
  }
}
