package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import shark.CloseableHeapGraph;
import shark.FilteringLeakingObjectFinder;
import shark.HeapAnalysis;
import shark.HeapAnalysisSuccess;
import shark.HeapAnalyzer;
import shark.HeapObject;
import shark.HprofHeapGraph;
import shark.HprofRecordTag;
import shark.IgnoredReferenceMatcher;
import shark.Leak;
import shark.MetadataExtractor;
import shark.OnAnalysisProgressListener;
import shark.ReferenceMatcher;
import shark.ReferencePattern;

/** Finds what keeps objects in the memory of another Java process. */
public final class HeapPaths {
  /** References that keep nothing in memory for long. */
  private static final List<ReferenceMatcher> WEAK =
      Stream.of("Reference", "WeakReference", "SoftReference", "PhantomReference", "FinalReference")
          .<ReferenceMatcher>map(
              name ->
                  new IgnoredReferenceMatcher(
                      new ReferencePattern.InstanceFieldPattern(
                          "java.lang.ref." + name, "referent")))
          .toList();

  /** What holds objects from outside the heap. */
  private static final Set<HprofRecordTag> ROOTS =
      Arrays.stream(HprofRecordTag.values())
          .filter(tag -> tag.name().startsWith("ROOT_") && tag != HprofRecordTag.ROOT_UNREACHABLE)
          .collect(Collectors.toCollection(() -> EnumSet.noneOf(HprofRecordTag.class)));

  private HeapPaths() {}

  /**
   * The shortest path from a root to an object of each class, as text; empty when there is none.
   * Takes seconds.
   */
  public static String to(long pid, String className) throws IOException {
    Path folder = ServerRig.newFolder("holdfast-heap");
    try {
      Path dump = folder.resolve("heap.hprof");
      Commands.run(
          Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
          Long.toString(pid),
          "GC.heap_dump",
          dump.toString());
      if (!Files.exists(dump)) {
        return "no heap dump could be made";
      }
      return paths(dump, className);
    } finally {
      ServerRig.delete(folder);
    }
  }

  private static String paths(Path dump, String className) {
    FilteringLeakingObjectFinder.LeakingObjectFilter isSought =
        object ->
            object instanceof HeapObject.HeapInstance instance
                && instance.getInstanceClassName().equals(className);
    HeapAnalysis analysis;
    try (CloseableHeapGraph graph =
        HprofHeapGraph.Companion.openHeapGraph(dump.toFile(), null, ROOTS)) {
      analysis =
          new HeapAnalyzer(OnAnalysisProgressListener.Companion.getNO_OP())
              .analyze(
                  dump.toFile(),
                  graph,
                  new FilteringLeakingObjectFinder(List.of(isSought)),
                  WEAK,
                  false,
                  List.of(),
                  MetadataExtractor.Companion.getNO_OP());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return analysis instanceof HeapAnalysisSuccess found
        ? Stream.concat(found.getApplicationLeaks().stream(), found.getLibraryLeaks().stream())
            .map(Leak::toString)
            .collect(Collectors.joining("\n"))
        : analysis.toString();
  }
}
