package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
}
