package dev.holdfast.net;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.PfxOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority of one test and the certificates that it signs, made by the JDK's keytool. A
 * certificate that is trusted itself would be taken whatever its dates say; one of an authority is
 * checked.
 */
final class Authority {
  private static final String PASSWORD = "changeit";

  private final Path folder;

  Authority(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    key("authority", List.of("-validity", "3650", "-ext", "bc:c"));
  }

  /** For {@code localhost}, valid for a day from {@code start} on, as keytool writes it: -2d. */
  PfxOptions sign(String alias, String start) throws IOException, InterruptedException {
    key(
        alias,
        List.of(
            "-signer",
            "authority",
            "-startdate",
            start,
            "-validity",
            "1",
            "-ext",
            "san=dns:localhost"));
    return new PfxOptions().setPath(store()).setPassword(PASSWORD).setAlias(alias);
  }

  PemTrustOptions trust() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance(new File(store()), PASSWORD.toCharArray());
    byte[] certificate = keys.getCertificate("authority").getEncoded();
    return new PemTrustOptions()
        .addCertValue(
            Buffer.buffer(
                "-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder().encodeToString(certificate)
                    + "\n-----END CERTIFICATE-----\n"));
  }

  private void key(String alias, List<String> more) throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + alias, "-keyalg", "EC"));
    arguments.addAll(more);
    keytool(arguments);
  }

  private void keytool(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.add("-J-XX:TieredStopAtLevel=1"); // it is over before more would pay
    command.addAll(arguments);
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store()));
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ": " + Files.readString(log));
    }
  }

  private String store() {
    return folder.resolve("keys.p12").toString();
  }
}
