package dev.holdfast.natskit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS that trusts whom a file names. */
public final class TrustedAuthorities {
  private static final Pattern BEGIN = Pattern.compile("-----BEGIN [A-Z0-9 ]*CERTIFICATE-----");

  private TrustedAuthorities() {}

  /**
   * Trusts the certificates of a file and no others. Blocks.
   *
   * @param file in PEM
   * @throws IOException that names the file and what to do
   */
  public static SSLContext of(Path file) throws IOException {
    List<Certificate> authorities = read(file.toAbsolutePath());
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry(Integer.toString(i), authorities.get(i));
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has these", e);
    }
  }

  private static List<Certificate> read(Path file) throws IOException {
    String text = text(file);
    List<Certificate> found;
    try {
      found =
          List.copyOf(
              CertificateFactory.getInstance("X.509")
                  .generateCertificates(
                      new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1))));
    } catch (CertificateException _) {
      found = List.of();
    }
    if (found.isEmpty() || found.size() < BEGIN.matcher(text).results().count()) {
      throw new IOException(file + " has no certificate in PEM, or a damaged one: replace it");
    }
    List<Certificate> valid = found.stream().filter(TrustedAuthorities::isInItsTime).toList();
    if (valid.isEmpty()) {
      throw new IOException("each certificate in " + file + " has expired: replace it");
    }
    return valid;
  }

  private static String text(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist: put the certificate of the CA there", e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** The JDK does not look at that. */
  private static boolean isInItsTime(Certificate certificate) {
    try {
      ((X509Certificate) certificate).checkValidity();
      return true;
    } catch (CertificateException _) {
      return false;
    }
  }
}
