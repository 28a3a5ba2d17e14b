package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.Descriptors.Pipe;
import dev.holdfast.processes.Children.Isolation;
import dev.holdfast.time.Time;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts one child with its isolation, limits, environment and pipes. */
final class ChildLauncher {
  private static final File DEV_NULL = new File("/dev/null");

  private final SandboxCommand sandbox;
  private final Optional<ControlGroups> groups;
  private final Optional<ChildOwner> owner;
  private final Spawner spawner;
  private final PipeLoop pipeLoop;
  private final Time time;

  ChildLauncher(
      SandboxCommand sandbox,
      Optional<ControlGroups> groups,
      Optional<ChildOwner> owner,
      Spawner spawner,
      PipeLoop pipeLoop,
      Time time) {
    this.sandbox = sandbox;
    this.groups = groups;
    this.owner = owner;
    this.spawner = spawner;
    this.pipeLoop = pipeLoop;
    this.time = time;
  }

  /**
   * Whether a child sees no more of the files of secrets than one that were started now. True where
   * children are not kept from any.
   */
  boolean hidesSecretsFrom(RunningChild child) {
    return sandbox.isolation() == Isolation.PROCESS_GROUP
        || child.covered().hidesAllOf(sandbox.hidden().now());
  }

  /** The program that this isolation needs and this machine does not have. */
  Optional<String> missing() {
    return sandbox.missing();
  }

  /**
   * @throws CallFailedException PERMANENT when the command or its folder is not there, TRANSIENT
   *     when the machine has no room for another process
   */
  RunningChild start(Launch asked, ChildStreams.Factory streams)
      throws CallFailedException, InterruptedException {
    Path program =
        sandbox
            .programs()
            .find(asked.command().getFirst())
            .orElseThrow(
                () -> failed(FailureKind.PERMANENT, "no program " + asked.command().getFirst()));
    CoveredPlaces covered = sandbox.hidden().now();
    Launch spec = inRealFolder(asked, covered);
    ControlGroups.@Nullable Group group = groups.map(all -> all.make(spec.limits())).orElse(null);
    if (group == null && groups.isPresent()) {
      throw failed(FailureKind.TRANSIENT, "the kernel refuses a control group");
    }
    String mark = UUID.randomUUID().toString();
    ProcessBuilder builder = builder(spec, program, group, mark, covered);
    Pipes pipes = new Pipes();
    boolean started = false;
    try {
      pipes.open(builder, streams.hasInput());
      Process process = spawner.start(builder);
      started = true;
      var containment = new RunningChild.Containment(sandbox.isolation(), group, mark, covered);
      return new RunningChild(process, containment, pipes.attach(streams, pipeLoop), time);
    } catch (IOException e) {
      throw new CallFailedException(refused(e), e);
    } finally {
      pipes.closeChildEnds();
      if (!started) {
        pipes.closeServerEnds();
        if (group != null) {
          boolean _ = group.remove();
        }
      }
    }
  }

  private Launch inRealFolder(Launch spec, CoveredPlaces covered) throws CallFailedException {
    try {
      Path real = spec.folder().toRealPath();
      if (!Files.isDirectory(real)) {
        throw failed(FailureKind.PERMANENT, "the working folder is not a folder");
      }
      if (covered.isIn(real)) {
        throw failed(FailureKind.INVALID, "the working folder holds what children must not see");
      }
      for (GrantedFolder granted : spec.granted()) {
        checkGranted(granted, covered);
      }
      return spec.in(real);
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "a child's working folder is not there")
              .as(FailureKind.PERMANENT),
          e);
    }
  }

  /** It would be mounted over the covers: so none of it may be what children must not see. */
  private void checkGranted(GrantedFolder granted, CoveredPlaces covered)
      throws CallFailedException {
    Path path = granted.path();
    Path real;
    try {
      real = path.toRealPath();
    } catch (IOException _) {
      throw failed(FailureKind.PERMANENT, "the folder " + path + " is not there");
    }
    if (!real.equals(path)) {
      throw failed(FailureKind.PERMANENT, "the folder " + path + " is a link: name " + real);
    }
    if (!Files.isDirectory(real)) {
      throw failed(FailureKind.PERMANENT, path + " is not a folder");
    }
    boolean isHidden = covered.covers(real) && !granted.isServers();
    if (isHidden || covered.isIn(real) || sandbox.hidden().hasSecretIn(real)) {
      throw failed(
          FailureKind.PERMANENT, "the folder " + path + " holds what children must not see");
    }
  }

  private ProcessBuilder builder(
      Launch spec,
      Path program,
      ControlGroups.@Nullable Group group,
      String mark,
      CoveredPlaces covered) {
    List<Path> joined = group == null ? List.of() : group.procs();
    int processesMax = processesMax(spec);
    var builder = new ProcessBuilder(sandbox.wrap(spec, program, processesMax, joined, covered));
    builder.directory(spec.folder().toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(
        ChildEnvironment.of(
            spec.environment(),
            System.getenv(),
            sandbox.programs().searchPath(),
            spec.folder().toString()));
    owner.ifPresent(server -> environment.put(ChildOwner.VARIABLE, server.dataDir().toString()));
    if (sandbox.isolation() == Isolation.PROCESS_GROUP) {
      environment.put(ProcessTree.VARIABLE, mark);
    }
    return builder;
  }

  /**
   * The kernel's limit per user: it does not bind root, and without a namespace the server's own
   * threads count.
   */
  private int processesMax(Launch spec) {
    if (groups.filter(ControlGroups::boundsProcesses).isPresent() || sandbox.isRoot()) {
      return 0;
    }
    int counted = sandbox.isolation() == Isolation.PROCESS_GROUP ? UserTasks.count() : 3;
    return counted + spec.limits().processes();
  }

  private static CallFailedException failed(FailureKind kind, String what) {
    return new CallFailedException(
        Failure.of(FailureCode.IO, "A child cannot be started: " + what).as(kind));
  }

  /**
   * The wrappers were found, so what the kernel refuses is room: for a process, a descriptor,
   * memory.
   */
  private static Failure refused(IOException e) {
    String said = String.valueOf(e.getMessage());
    String reason;
    if (said.contains("Too many open files") || said.contains("descriptor")) {
      reason = "no file descriptor is free";
    } else if (said.contains("error=11")) {
      reason = "there is no room for another process";
    } else if (said.contains("error=12")) {
      reason = "there is no memory for another process";
    } else {
      reason = said.lines().findFirst().orElse("");
    }
    return Failure.of(FailureCode.IO, "A child cannot be started now: " + reason);
  }

  /** Both ends of the child's streams, until it has its own. */
  private static final class Pipes {
    private final List<Integer> childEnds = new ArrayList<>();
    private @Nullable Pipe input;
    private @Nullable Pipe output;
    private @Nullable Pipe errors;

    void open(ProcessBuilder builder, boolean hasInput) throws IOException {
      Pipe out = pipe();
      output = out;
      childEnds.add(out.writeEnd());
      Pipe err = pipe();
      errors = err;
      childEnds.add(err.writeEnd());
      builder.redirectOutput(reopened(out.writeEnd()));
      builder.redirectError(reopened(err.writeEnd()));
      builder.redirectInput(DEV_NULL);
      if (hasInput) {
        Pipe in = pipe();
        input = in;
        childEnds.add(in.readEnd());
        builder.redirectInput(reopened(in.readEnd()));
      }
    }

    ChildStreams attach(ChildStreams.Factory factory, PipeLoop loop) {
      ChildStreams streams =
          factory.create(
              new ChildStreams.Ends(
                  input == null ? -1 : input.writeEnd(), readEnd(output), readEnd(errors)));
      streams.all().forEach(pipe -> pipe.start(loop));
      return streams;
    }

    private static int readEnd(@Nullable Pipe pipe) {
      return pipe == null ? -1 : pipe.readEnd();
    }

    private Pipe pipe() throws IOException {
      Pipe pipe = Descriptors.pipe();
      if (pipe == null) {
        throw new IOException("no file descriptor is free");
      }
      return pipe;
    }

    /**
     * The child opens its side anew by this name, so that it may block on it while ours never does.
     */
    private static File reopened(int end) {
      return new File("/proc/self/fd/" + end);
    }

    void closeChildEnds() {
      childEnds.forEach(Descriptors::close);
    }

    void closeServerEnds() {
      if (output != null) {
        Descriptors.close(output.readEnd());
      }
      if (errors != null) {
        Descriptors.close(errors.readEnd());
      }
      if (input != null) {
        Descriptors.close(input.writeEnd());
      }
    }
  }
}
