package dev.holdfast.plugins;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Turns calls that end the process into calls of {@link ExitGuard}. A call by reflection or native
 * code is not found: this keeps a careless plugin from ending the server, not a hostile one.
 */
final class ExitRewriter {
  private static final ClassDesc GUARD = ClassDesc.of(ExitGuard.class.getName());
  private static final ClassDesc RUNTIME = ClassDesc.of("java.lang.Runtime");
  private static final MethodTypeDesc OF_SYSTEM =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final MethodTypeDesc OF_RUNTIME =
      MethodTypeDesc.of(ConstantDescs.CD_void, RUNTIME, ConstantDescs.CD_int);

  private enum Exit {
    NONE,
    SYSTEM,
    RUNTIME
  }

  private ExitRewriter() {}

  /**
   * The class without such calls; the same bytes when it has none.
   *
   * @param classes where the classes that it names are found
   */
  static byte[] rewritten(byte[] bytes, ClassLoader classes) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(bytes);
      if (!namesExit(model)) {
        return bytes;
      }
    } catch (IllegalArgumentException _) {
      return bytes; // no class of a version that this Java knows: it refuses it itself
    }
    ClassFile file =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(classes)
                    .orElse(ClassHierarchyResolver.defaultResolver())));
    return file.transformClass(
        model,
        ClassTransform.transformingMethodBodies(
            (code, element) -> {
              Exit exit =
                  element instanceof InvokeInstruction call
                      ? exit(
                          call.owner().asInternalName(),
                          call.name().stringValue(),
                          call.type().stringValue())
                      : Exit.NONE;
              switch (exit) {
                case SYSTEM -> code.invokestatic(GUARD, "exit", OF_SYSTEM);
                case RUNTIME -> code.invokestatic(GUARD, "exit", OF_RUNTIME);
                case NONE -> code.with(element);
              }
            }));
  }

  private static boolean namesExit(ClassModel model) {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof MemberRefEntry ref
          && exit(ref.owner().asInternalName(), ref.name().stringValue(), ref.type().stringValue())
              != Exit.NONE) {
        return true;
      }
    }
    return false;
  }

  private static Exit exit(String owner, String name, String type) {
    if (!type.equals("(I)V")) {
      return Exit.NONE;
    }
    return switch (owner + "." + name) {
      case "java/lang/System.exit" -> Exit.SYSTEM;
      case "java/lang/Runtime.exit", "java/lang/Runtime.halt" -> Exit.RUNTIME;
      default -> Exit.NONE;
    };
  }
}
