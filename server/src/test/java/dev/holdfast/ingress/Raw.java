package dev.holdfast.ingress;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A connection on which anything can be sent. Reads give up after 10 s. */
public final class Raw implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** An answer as it came; status 0: the connection was closed instead. */
  public record Answer(int status, Map<String, String> headers, String body) {
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  public Raw(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /**
   * A plain request; with a body it gets a length and, unless another is given, the type of JSON.
   */
  public static String request(String method, String path, String body, String... headers) {
    StringBuilder text = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    String all = String.join("\r\n", headers);
    if (!all.toLowerCase(Locale.ROOT).contains("host:")) {
      text.append("Host: localhost\r\n");
    }
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    if (!body.isEmpty()) {
      if (!all.toLowerCase(Locale.ROOT).contains("content-type:")) {
        text.append("Content-Type: application/json\r\n");
      }
      text.append("Content-Length: ")
          .append(body.getBytes(StandardCharsets.UTF_8).length)
          .append("\r\n");
    }
    return text.append("\r\n").append(body).toString();
  }

  public Raw send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  public Raw send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /** The next answer. */
  public Answer answer() throws IOException {
    String status = line();
    if (status.isEmpty()) {
      return new Answer(0, Map.of(), "");
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    int code = Integer.parseInt(status.substring(9, 12));
    if (code == 100) {
      return answer();
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = code == 304 ? new byte[0] : in.readNBytes(length);
    return new Answer(code, headers, new String(body, StandardCharsets.UTF_8));
  }

  /** The next line without its end; empty at the end of the stream. */
  public String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
        line.write(b);
      }
    } catch (java.net.SocketException _) {
      return "";
    }
    return line.toString(StandardCharsets.UTF_8).stripTrailing();
  }

  /** Whether the server ends the connection, by an end or a reset, without a further byte. */
  public boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketTimeoutException _) {
      return false;
    } catch (java.net.SocketException _) {
      return true;
    }
  }

  public Socket socket() {
    return socket;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
