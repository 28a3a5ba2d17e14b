package dev.holdfast.natskit;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPortWithWriteTimeout;
import java.io.IOException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * The socket of a connection. Over TLS it also demands that the server's certificate names the host
 * of the address, which the library does not. Public because the library makes it, by its name.
 */
public class VerifiedDataPort extends SocketDataPortWithWriteTimeout {
  @Override
  public void upgradeToSecure() throws IOException {
    Connection known = connection; // its own class is not public
    SSLSocketFactory sockets = known.getOptions().getSslContext().getSocketFactory();
    SSLSocket secure = (SSLSocket) sockets.createSocket(socket, host, port, true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    socket = secure;
    in = secure.getInputStream();
    out = secure.getOutputStream();
    isSecure = true;
  }
}
