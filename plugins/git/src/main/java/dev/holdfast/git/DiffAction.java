package dev.holdfast.git;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows changes as a unified diff. */
final class DiffAction {
  private static final int BYTES_MAX = 200_000;
  private static final int SUMMARY_BYTES_MAX = 1 << 20;
  private static final int FILES_MAX = 300;

  private static final List<String> OPTIONS =
      List.of(
          "diff",
          "--no-ext-diff",
          "--no-textconv",
          "--no-color",
          "--no-renames",
          "--no-relative",
          "--ignore-submodules=all",
          "--src-prefix=a/",
          "--dst-prefix=b/");

  private DiffAction() {}

  static Map<String, Object> run(ActionPayload payload, Repository repository)
      throws ActionRefusedException, IOException, InterruptedException {
    List<String> what = new ArrayList<>();
    if (payload.flag("staged")) {
      what.add("--cached");
    }
    what.add("--");
    if (payload.has("path")) {
      what.add(WorkTreePath.of(payload.text("path")).argument());
    }
    GitCommand.Result summary = diff(repository, SUMMARY_BYTES_MAX, "--numstat", "-z", what);
    GitCommand.Result patch = diff(repository, BYTES_MAX, "--patch", "--unified=3", what);
    List<Map<String, Object>> files = files(summary.output());
    byte[] bytes = patch.isCut() ? wholeLines(patch.output()) : patch.output();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repo", repository.found().path().toString());
    data.put("files", files.stream().limit(FILES_MAX).toList());
    data.put("diff", new String(bytes, StandardCharsets.UTF_8));
    if (!isText(bytes)) {
      data.put("not_utf8", true);
    }
    data.put("truncated", patch.isCut() || summary.isCut() || files.size() > FILES_MAX);
    return data;
  }

  private static GitCommand.Result diff(
      Repository repository, int bytesMax, String form, String detail, List<String> what)
      throws ActionRefusedException, IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(OPTIONS);
    arguments.add(form);
    arguments.add(detail);
    arguments.addAll(what);
    GitCommand.Result result = repository.command().run(bytesMax, new byte[0], arguments);
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.UNREADABLE);
    }
    return result;
  }

  /** Lines of added, deleted and name, with hyphens for the numbers of a binary file. */
  private static List<Map<String, Object>> files(byte[] summary) {
    List<Map<String, Object>> files = new ArrayList<>();
    for (byte[] line : WorkTreeChanges.lines(summary)) {
      String[] parts = new String(line, StandardCharsets.ISO_8859_1).split("\t", 3);
      if (parts.length < 3) {
        continue;
      }
      Map<String, Object> file = new LinkedHashMap<>();
      file.put("path", QuotedName.show(parts[2].getBytes(StandardCharsets.ISO_8859_1)));
      if (parts[0].equals("-")) {
        file.put("binary", true);
      } else {
        file.put("added", Long.valueOf(parts[0]));
        file.put("deleted", Long.valueOf(parts[1]));
      }
      files.add(file);
    }
    return files;
  }

  private static byte[] wholeLines(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    return Arrays.copyOf(bytes, end);
  }

  private static boolean isText(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }
}
