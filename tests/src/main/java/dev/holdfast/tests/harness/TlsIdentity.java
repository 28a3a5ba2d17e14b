package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A key, and a certificate that it has signed itself, for a host of one name. In PEM. */
public final class TlsIdentity {
  private static final String ALIAS = "server";
  private static final String PASSWORD = "changeit";

  private final Path certificate;
  private final Path key;

  /**
   * Takes a second.
   *
   * @param folder where its files go
   */
  public TlsIdentity(Path folder, String name) {
    this(folder, name, 0);
  }

  /**
   * @param daysAgo when its 90 days began
   */
  public TlsIdentity(Path folder, String name, int daysAgo) {
    String file = name + "-" + Long.toHexString(System.nanoTime());
    Path store = folder.resolve(file + ".p12");
    String _ =
        Commands.run(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-dname",
            "CN=" + name,
            "-ext",
            "san=dns:" + name,
            "-ext",
            "bc=ca:true",
            "-startdate",
            "-" + daysAgo + "d",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      certificate =
          write(
              folder.resolve(file + ".crt"),
              "CERTIFICATE",
              keys.getCertificate(ALIAS).getEncoded());
      key =
          write(
              folder.resolve(file + ".key"),
              "PRIVATE KEY",
              keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path write(Path file, String kind, byte[] content) throws IOException {
    return Files.writeString(
        file,
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(
                kind,
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                    .encodeToString(content),
                kind));
  }

  public Path certificate() {
    return certificate;
  }

  /** The lines for nats-server that speaks TLS only, as this. */
  public String natsConfig() {
    return "tls { cert_file: \"%s\", key_file: \"%s\" }".formatted(certificate, key);
  }
}
