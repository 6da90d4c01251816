// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.k8s.KubernetesExecutorConf;
import org.apache.spark.resource.ResourceProfile$;
import org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBuilder;

/**
 * Writes, for every folder below the one that is given, the first executor as the driver would create it: from spark.properties and executor-template.yaml to
 * executor.json, or why Spark cannot to error.txt. Nothing is sent to a cluster.
 */
public class Executors {
  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build(); DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of(args[0]))) {
      for (Path folder : folders) {
        try {
          Files.writeString(folder.resolve("executor.json"), executor(folder, client));
        } catch (Exception e) {
          Files.writeString(folder.resolve("error.txt"), e + "\n");
        }
      }
    }
    System.exit(0);
  }

  private static String executor(Path folder, KubernetesClient client) throws Exception {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(folder.resolve("spark.properties"), StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    SparkConf conf = new SparkConf(false);
    for (String name : properties.stringPropertyNames()) {
      conf.set(name, properties.getProperty(name));
    }
    conf.set("spark.kubernetes.executor.podTemplateFile", folder.resolve("executor-template.yaml").toString());
    ResourceProfile$.MODULE$.clearDefaultProfile(); // it keeps the last one for good
    var profile = ResourceProfile$.MODULE$.getOrCreateDefaultProfile(conf);
    var secrets = new SecurityManager(conf, scala.Option.empty(), org.apache.spark.internal.config.package$.MODULE$.AUTH_SECRET_FILE_EXECUTOR());
    var executor = new KubernetesExecutorConf(conf, conf.get("spark.app.id"), "1", scala.Option.empty(), profile.id());
    var pod = new KubernetesExecutorBuilder().buildFromFeatures(executor, secrets, client, profile).pod();
    return Serialization.asJson(new PodBuilder(pod.pod()).editOrNewSpec().addToContainers(pod.container()).endSpec().build());
  }
}
