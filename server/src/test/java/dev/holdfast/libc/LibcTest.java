package dev.holdfast.libc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.libc.Descriptors.Pipe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibcTest {
  @TempDir Path folder;

  @Test
  void aFailedCallTellsItsErrno() {
    assertThat(open("none", OpenFlags.READ)).isEqualTo(-Errno.ENOENT);
    assertThat(FileCalls.makeFolder(FileCalls.CURRENT_FOLDER, folder.toString(), 0700))
        .isEqualTo(-Errno.EEXIST);
  }

  @Test
  void aLinkIsNotOpened() throws Exception {
    Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc/passwd"));
    assertThat(open("link", OpenFlags.READ)).isEqualTo(-Errno.ELOOP);
  }

  @Test
  void theFlagForFoldersIsTheOneOfThisMachine() throws Exception {
    Files.createFile(folder.resolve("file"));
    Files.createDirectory(folder.resolve("folder"));
    assertThat(open("file", OpenFlags.FOLDER)).isEqualTo(-Errno.ENOTDIR);
    int open = open("folder", OpenFlags.FOLDER);
    assertThat(open).isNotNegative();
    Descriptors.close(open);
  }

  @Test
  void aPipeCarriesBytesAndTellsThatItsOtherSideIsClosed() {
    Pipe pipe = Objects.requireNonNull(Descriptors.pipe());
    try (Arena arena = Arena.ofConfined()) {
      assertThat(isReady(set -> set.addRead(pipe.readEnd()))).isFalse();
      assertThat(isReady(set -> set.addWrite(pipe.writeEnd()))).isTrue();
      MemorySegment sent = arena.allocateFrom(ValueLayout.JAVA_BYTE, "hi".getBytes(UTF_8));
      assertThat(Descriptors.write(pipe.writeEnd(), sent)).isEqualTo(2);
      MemorySegment got = arena.allocate(8);
      assertThat(Descriptors.read(pipe.readEnd(), got)).isEqualTo(2);
      assertThat(got.asSlice(0, 2).toArray(ValueLayout.JAVA_BYTE)).isEqualTo("hi".getBytes(UTF_8));
      Descriptors.close(pipe.readEnd());
      assertThat(isReady(set -> set.addWrite(pipe.writeEnd()))).isTrue();
      assertThat(Descriptors.write(pipe.writeEnd(), sent)).isEqualTo(-Errno.EPIPE);
    }
    Descriptors.close(pipe.writeEnd());
  }

  private static boolean isReady(ToIntFunction<PollSet> added) {
    try (PollSet set = new PollSet()) {
      int place = added.applyAsInt(set);
      set.await(0);
      return set.isReady(place);
    }
  }

  @Test
  void manyDescriptorsAreWaitedForTogether() {
    List<Pipe> pipes = Stream.generate(Descriptors::pipe).limit(200).toList();
    try (PollSet set = new PollSet();
        Arena arena = Arena.ofConfined()) {
      Descriptors.write(pipes.get(150).writeEnd(), arena.allocate(1));
      List<Integer> places = pipes.stream().map(pipe -> set.addRead(pipe.readEnd())).toList();
      set.await(1000);
      assertThat(places.stream().filter(set::isReady)).containsExactly(places.get(150));
    } finally {
      pipes.forEach(pipe -> Descriptors.close(pipe.readEnd()));
      pipes.forEach(pipe -> Descriptors.close(pipe.writeEnd()));
    }
  }

  @Test
  void whatIsNoTerminalHasNoColumns() throws Exception {
    Files.createDirectory(folder.resolve("folder"));
    int open = open("folder", OpenFlags.FOLDER);
    assertThat(TerminalCalls.columns(open)).isZero();
    Descriptors.close(open);
  }

  private int open(String name, int flags) {
    return FileCalls.open(FileCalls.CURRENT_FOLDER, folder.resolve(name).toString(), flags, 0);
  }
}
