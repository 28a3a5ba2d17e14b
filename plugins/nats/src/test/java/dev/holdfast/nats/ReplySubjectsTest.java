package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplySubjectsTest {
  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("replies.txt");
  }

  @Test
  void whatIsKeptOutlivesACrash() throws Exception {
    try (ReplySubjects replies = ReplySubjects.open(file(), 10)) {
      replies.put("a", "answers.a");
      replies.put("b", "");
    }
    try (ReplySubjects replies = ReplySubjects.open(file(), 10)) {
      assertThat(replies.find("a")).contains("answers.a");
      assertThat(replies.find("b")).isEmpty();
    }
  }

  @Test
  void aLineThatACrashHasCutOffIsLeftOut() throws Exception {
    try (ReplySubjects replies = ReplySubjects.open(file(), 10)) {
      replies.put("a", "answers.a");
    }
    Files.writeString(file(), "b\tanswers.lo", StandardOpenOption.APPEND);
    try (ReplySubjects replies = ReplySubjects.open(file(), 10)) {
      assertThat(replies.find("a")).contains("answers.a");
      assertThat(replies.find("b")).isEmpty();
      replies.put("c", "answers.c");
    }
    try (ReplySubjects replies = ReplySubjects.open(file(), 10)) {
      assertThat(replies.find("c")).contains("answers.c");
    }
  }

  @Test
  void theOldestMakeRoomAndTheFileStaysSmall() throws Exception {
    try (ReplySubjects replies = ReplySubjects.open(file(), 3)) {
      for (int i = 0; i < 100; i++) {
        replies.put("key" + i, "answers." + i);
      }
      assertThat(replies.find("key96")).isEmpty();
      assertThat(replies.find("key97")).contains("answers.97");
      assertThat(Files.readAllLines(file())).hasSizeLessThanOrEqualTo(7);
    }
  }

  @Test
  void twoThatHaveTheFileWhileTheConfigurationChangesKnowWhatEachKeeps() throws Exception {
    try (ReplySubjects old = ReplySubjects.open(file(), 10);
        ReplySubjects young = ReplySubjects.open(file(), 10)) {
      for (int i = 0; i < 200; i++) {
        (i % 3 == 0 ? young : old).put("key" + i, "answers." + i);
        assertThat((i % 2 == 0 ? young : old).find("key" + i)).contains("answers." + i);
      }
      assertThat(Files.readAllLines(file())).hasSizeLessThanOrEqualTo(40);
    }
    try (ReplySubjects next = ReplySubjects.open(file(), 10)) {
      assertThat(next.find("key199")).contains("answers.199");
      assertThat(next.find("key198")).contains("answers.198");
    }
  }

  @Test
  void twoThatWriteAtOnceLoseNothing() throws Exception {
    int count = 400;
    for (int round = 0; round < 2; round++) {
      Path file = folder.resolve("round" + round);
      try (ReplySubjects old = ReplySubjects.open(file, 450);
          ReplySubjects young = ReplySubjects.open(file, 450)) {
        for (int i = 0; i < 600; i++) {
          old.put("early" + i, "answers.early");
        }
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread writer =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        for (int i = 0; i < count; i++) {
                          old.put("old" + i, "answers.old." + i);
                        }
                      } catch (IOException e) {
                        failure.set(e);
                      }
                    });
        for (int i = 0; i < count; i++) {
          young.put("young" + i, "answers.young." + i);
          assertThat(young.find("young" + i)).contains("answers.young." + i);
        }
        writer.join();
        assertThat(failure).hasValue(null);
        assertThat(young.find("old" + (count - 1))).contains("answers.old." + (count - 1));
      }
      try (ReplySubjects next = ReplySubjects.open(file, 450)) {
        assertThat(next.find("old" + (count - 1))).contains("answers.old." + (count - 1));
        assertThat(next.find("young" + (count - 1))).contains("answers.young." + (count - 1));
      }
    }
  }
}
