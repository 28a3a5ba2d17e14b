package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EventReaderTest {
  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static EventReader reader(InputStream in) {
    return new EventReader(in, false, 1000);
  }

  @Test
  void aStreamIsTakenUpAgainBehindTheLastEventThatCameWhole() throws Exception {
    EventReader reader = reader(bytes("id: 6\ndata: a\n\nid: 7\ndata: b"));
    reader.next();
    EventReader.Event cut = reader.next();
    assertThat(cut).isEqualTo(new EventReader.Event("", "b"));
    assertThat(reader.lastId()).isEqualTo("6");
  }

  @Test
  void anEventThatBreaksOffLeavesNoPointToGoOnFrom() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("reset");
          }

          @Override
          public int read(byte[] into, int offset, int length) throws IOException {
            return read();
          }
        };
    EventReader reader = reader(new SequenceInputStream(bytes("id: 7\ndata: the ans"), broken));
    assertThatIOException().isThrownBy(reader::next);
    assertThat(reader.lastId()).isEmpty();
  }

  @Test
  void anIdWithoutAnEventIsAPointToGoOnFrom() throws Exception {
    EventReader reader = reader(bytes("id: 1\n\nid: 2\n\n"));
    assertThat(reader.next()).isNull();
    assertThat(reader.lastId()).isEqualTo("2");
  }
}
