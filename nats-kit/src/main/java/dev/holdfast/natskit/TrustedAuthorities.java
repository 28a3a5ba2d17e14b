package dev.holdfast.natskit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS that trusts whom a file names. */
public final class TrustedAuthorities {
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
    List<Certificate> found;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      found = new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(in));
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist: put the certificate of the CA there", e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    } catch (CertificateException _) {
      found = List.of();
    }
    if (found.isEmpty()) {
      throw new IOException(file + " has no certificate in PEM: replace it");
    }
    return found;
  }
}
