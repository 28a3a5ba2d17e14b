package dev.holdfast.ingress.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpMessage;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * The decoder of Vert.x, which also refuses header lines that are folded onto the next one: it
 * would join them with a space, and a list of signatures is written with spaces. Tells its {@link
 * RequestLimits} about every read.
 */
final class StrictDecoder extends VertxHttpRequestDecoder {
  private final RequestLimits limits;
  private boolean inHeaders;

  StrictDecoder(HttpServerOptions options, RequestLimits limits) {
    super(options);
    this.limits = limits;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (limits.onBytes(message)) {
      super.channelRead(context, message);
    }
  }

  @Override
  protected HttpMessage createMessage(String[] initialLine) {
    inHeaders = true;
    return super.createMessage(initialLine);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf buffer, List<Object> out)
      throws Exception {
    boolean between = limits.isBetweenMessages();
    if ((between || inHeaders) && hasFoldedLine(buffer)) {
      buffer.skipBytes(buffer.readableBytes());
      limits.refuse(400);
      return;
    }
    int before = out.size();
    super.decode(context, buffer, out);
    if (out.size() > before) {
      inHeaders = false;
    }
  }

  /**
   * Whole lines are consumed at a time, so a fold is a blank after a line's end or, in the headers,
   * at the start.
   */
  private boolean hasFoldedLine(ByteBuf buffer) {
    int end = buffer.writerIndex();
    int start = buffer.readerIndex();
    if (inHeaders && start < end && isBlank(buffer.getByte(start))) {
      return true;
    }
    while (!inHeaders && start < end && isLineEnd(buffer.getByte(start))) {
      start++; // the decoder skips empty lines before a request, so they do not end its head
    }
    for (int at = buffer.indexOf(start, end, (byte) '\n');
        at >= 0 && at + 1 < end;
        at = buffer.indexOf(at + 1, end, (byte) '\n')) {
      byte next = buffer.getByte(at + 1);
      if (isBlank(next)) {
        return true;
      }
      if (isLineEnd(next)) {
        return false; // the end of the head: what follows is a body
      }
    }
    return false;
  }

  private static boolean isLineEnd(byte b) {
    return b == '\r' || b == '\n';
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
    if (cause instanceof DecoderException) {
      limits.refuse(400);
    } else {
      super.exceptionCaught(context, cause);
    }
  }
}
