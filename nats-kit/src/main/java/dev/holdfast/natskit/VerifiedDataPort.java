package dev.holdfast.natskit;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPortWithWriteTimeout;
import java.io.IOException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * The socket of a connection. Over TLS it also demands what the library and the JDK do not: that
 * the server's certificate names the host of the address, and is in its time even if it is trusted
 * by itself. Before that, it reads no more than a first line. Public because the library makes it,
 * by its name.
 */
public class VerifiedDataPort extends SocketDataPortWithWriteTimeout {
  /** What a server of a large cluster says of itself has some kilobytes. */
  private static final int FIRST_LINE_MAX = 256 * 1024;

  private int beforeLineEnd;

  @Override
  public int read(byte[] target, int offset, int max) throws IOException {
    int count = super.read(target, offset, max);
    for (int i = 0; i < count && beforeLineEnd >= 0; i++) {
      beforeLineEnd = target[offset + i] == '\n' ? -1 : beforeLineEnd + 1;
    }
    if (beforeLineEnd > FIRST_LINE_MAX) {
      throw new IOException("its first line does not end: it is no NATS server");
    }
    return count;
  }

  @Override
  public void upgradeToSecure() throws IOException {
    Connection known = connection; // its own class is not public
    SSLSocketFactory sockets = known.getOptions().getSslContext().getSocketFactory();
    SSLSocket secure = (SSLSocket) sockets.createSocket(socket, host, port, true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    for (Certificate certificate : secure.getSession().getPeerCertificates()) {
      checkTime(certificate);
    }
    socket = secure;
    in = secure.getInputStream();
    out = secure.getOutputStream();
    isSecure = true;
  }

  private static void checkTime(Certificate certificate) throws SSLHandshakeException {
    try {
      if (certificate instanceof X509Certificate dated) {
        dated.checkValidity();
      }
    } catch (CertificateException e) {
      SSLHandshakeException refused = new SSLHandshakeException(e.getMessage());
      throw (SSLHandshakeException) refused.initCause(e);
    }
  }
}
