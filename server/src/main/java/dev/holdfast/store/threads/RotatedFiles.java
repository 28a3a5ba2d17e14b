package dev.holdfast.store.threads;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * The earlier parts of a file that is begun anew from time to time: {@code <name>.<n>.jsonl.gz},
 * the newest with the highest number. There are never more than {@code max} for long: the oldest
 * go.
 */
record RotatedFiles(Path folder, String name, int max) {
  private static final int BUFFER = 65_536;

  private record Part(Path path, int number) {}

  /**
   * Keeps a copy of the file, durably; the file itself stays. A crash leaves all of the copy or
   * none.
   *
   * @throws java.io.SyncFailedException when an fsync failed
   */
  void keep(Path file) throws IOException {
    List<Part> parts = parts();
    int number = parts.isEmpty() ? 1 : parts.getFirst().number() + 1;
    AtomicFiles.write(
        folder.resolve(name + "." + number + ".jsonl.gz"),
        out -> {
          GZIPOutputStream zipped = new GZIPOutputStream(out, BUFFER);
          try (FileInputStream in = new FileInputStream(file.toFile())) { // no interrupt closes it
            in.transferTo(zipped);
          }
          zipped.finish();
        });
    for (Part tooMany : parts.subList(Math.min(max - 1, parts.size()), parts.size())) {
      Files.deleteIfExists(tooMany.path());
    }
  }

  /** The newest first; empty when the folder is missing. */
  List<Path> newestFirst() throws IOException {
    return parts().stream().map(Part::path).toList();
  }

  private List<Part> parts() throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    Pattern named = Pattern.compile(Pattern.quote(name) + "\\.(\\d{1,9})\\.jsonl\\.gz");
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .flatMap(
              file -> {
                Matcher match = named.matcher(file.getFileName().toString());
                return match.matches()
                    ? Stream.of(new Part(file, Integer.parseInt(match.group(1))))
                    : Stream.empty();
              })
          .sorted(Comparator.comparingInt(Part::number).reversed())
          .toList();
    }
  }
}
