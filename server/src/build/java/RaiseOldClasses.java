import static java.lang.classfile.ClassFile.JAVA_8_VERSION;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Raises the class files of a jar that are older than Java 6 to Java 8, with stack maps: a start-up
 * cache of the JVM leaves those without out, and each start would load and verify them anew. Run
 * with the jar as the class path and as the argument; the jar is changed in its place.
 */
final class RaiseOldClasses {
  /** That of Java 6. */
  private static final int FIRST_WITH_STACK_MAPS = 50;

  private static final int MAJOR_VERSION_AT = 7;
  private static final ClassFile FILES = ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS);

  private RaiseOldClasses() {}

  public static void main(String[] args) throws IOException {
    URI jar = URI.create("jar:" + Path.of(args[0]).toUri());
    try (FileSystem entries = FileSystems.newFileSystem(jar, Map.of())) {
      for (Path path : classes(entries.getPath("/"))) {
        if (isOld(path)) {
          Files.write(path, raised(Files.readAllBytes(path)));
        }
      }
    }
  }

  private static List<Path> classes(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(path -> path.toString().endsWith(".class")).toList();
    }
  }

  private static boolean isOld(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(MAJOR_VERSION_AT + 1)[MAJOR_VERSION_AT] < FIRST_WITH_STACK_MAPS;
    }
  }

  private static byte[] raised(byte[] old) {
    return FILES.transformClass(
        FILES.parse(old),
        ClassTransform.transformingMethodBodies(CodeBuilder::with)
            .andThen(ClassTransform.endHandler(made -> made.withVersion(JAVA_8_VERSION, 0))));
  }
}
