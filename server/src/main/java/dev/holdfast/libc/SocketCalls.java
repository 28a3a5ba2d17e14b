package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Datagrams to Unix sockets, which the JDK does not send. */
public final class SocketCalls {
  public static final short AF_UNIX = 1;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_DONTWAIT = 0x40;

  private static final MethodHandle SOCKET =
      Libc.find("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SENDTO =
      Libc.find(
          "sendto",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  private SocketCalls() {}

  /** socket(2), closed in children: a descriptor, or the negative {@link Errno}. */
  public static int unixDatagrams() {
    return (int)
        Libc.call(
            (_, state) -> (int) SOCKET.invokeExact(state, (int) AF_UNIX, SOCK_DGRAM_CLOEXEC, 0));
  }

  /**
   * sendto(2): how many bytes were sent, or the negative {@link Errno}.
   *
   * @param address a {@code struct sockaddr_un}, as long as its name
   * @param mayWait whether the call may block until the receiver has room
   */
  public static long send(
      int descriptor, MemorySegment message, MemorySegment address, boolean mayWait) {
    int flags = mayWait ? MSG_NOSIGNAL : MSG_NOSIGNAL | MSG_DONTWAIT;
    return Libc.call(
        (_, state) ->
            (long)
                SENDTO.invokeExact(
                    state,
                    descriptor,
                    message,
                    message.byteSize(),
                    flags,
                    address,
                    (int) address.byteSize()));
  }
}
